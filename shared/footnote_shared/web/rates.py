"""How often something may happen: counted for all processes in Redis, or here.

Here it is while Redis does not answer, and where no other process answers requests.
"""

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache

import redis.asyncio

from footnote_shared.kernel.errors import Unavailable
from footnote_shared.redis.connection import redis_errors
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_REDIS_ANSWERS_WITHIN_S = 1.0
_LOCAL_FOR_S = 5.0
_MOST_COUNTED = 20_000
_ROUNDING = 1e-6

# The generic cell rate algorithm (ITU-T I.371, annex A) keeps one moment per key: when its next event is due
# if events come at an even rate. An event may be ahead of that by the whole span. All keys take it, or none.
_TAKE = """
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local due, wait = {}, 0
for i, key in ipairs(KEYS) do
  local interval, span = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  due[i] = math.max(tonumber(redis.call('GET', key) or '0'), now) + interval
  wait = math.max(wait, due[i] - span - now)
end
local answer = {math.ceil(wait)}
for i, key in ipairs(KEYS) do
  if wait > 0 then
    due[i] = due[i] - tonumber(ARGV[2 * i - 1])
  else
    redis.call('SET', key, string.format('%.0f', due[i]), 'PX', math.ceil((due[i] - now) / 1000))
  end
  answer[i + 1] = math.ceil(due[i] - now)
end
return answer
"""

_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Allowance:
    """What `key` may do: `most` events in a span of `span_s` seconds, at once or one by one."""

    key: str
    most: int
    span_s: float

    @property
    def interval_s(self) -> float:
        """Seconds after which one more event is allowed."""
        return self.span_s / self.most


@dataclass(frozen=True, slots=True)
class Counted:
    """What became of one event. `wait_s`: 0 if it was counted, else seconds until there is room for it.

    `ahead_s` tells for each allowance by how many seconds its count runs ahead of an even rate.
    """

    wait_s: float
    ahead_s: tuple[float, ...]

    def fields(self, names: Sequence[str], allowances: Sequence[Allowance]) -> dict[str, str]:
        """`RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers): what is left."""
        each = list(zip(names, allowances, self.ahead_s, strict=True))
        policy = (f'"{name}";q={one.most};w={one.span_s:.0f}' for name, one, _ in each)
        left = (f'"{name}";r={_left(one, ahead)};t={math.ceil(ahead)}' for name, one, ahead in each)
        return {"RateLimit-Policy": ", ".join(policy), "RateLimit": ", ".join(left)}


def _left(allowance: Allowance, ahead_s: float) -> int:
    return max(0, int((allowance.span_s - ahead_s) / allowance.interval_s + _ROUNDING))


@dataclass(slots=True)
class LocalRates:
    """The count of one process. `clock` gives seconds."""

    clock: Callable[[], float] = time.monotonic
    _due: dict[str, float] = field(default_factory=dict)
    _room: int = _MOST_COUNTED

    def take(self, allowances: Sequence[Allowance]) -> float:
        """Like `Rates.take`."""
        return self.count(allowances).wait_s

    def count(self, allowances: Sequence[Allowance]) -> Counted:
        """Like `Rates.count`."""
        now = self.clock()
        if len(self._due) > self._room:
            self._due = {key: due for key, due in self._due.items() if due > now}
            # Where most are still due, going through all of them is not for every event.
            self._room = max(_MOST_COUNTED, 2 * len(self._due))
        due = {one.key: max(self._due.get(one.key, 0.0), now) + one.interval_s for one in allowances}
        wait = max((due[one.key] - one.span_s - now for one in allowances), default=0.0)
        if wait > 0:
            return Counted(wait, tuple(due[one.key] - one.interval_s - now for one in allowances))
        self._due.update(due)
        return Counted(0.0, tuple(due[one.key] - now for one in allowances))


@cache
def rates_of_process() -> LocalRates:
    """The count of this process, for all services in it: a key has one allowance for them together."""
    return LocalRates()


class Rates:
    """The count of all processes. While Redis does not answer each process counts for itself, and says so.

    `alone` is the count of this process where no other one answers requests. Redis is not asked then.
    """

    def __init__(
        self,
        client: redis.asyncio.Redis,
        clock: Callable[[], float] = time.monotonic,
        alone: LocalRates | None = None,
    ) -> None:
        self._take = client.register_script(_TAKE)
        self._alone = alone
        self._local = LocalRates(clock)
        self._clock = clock
        self._local_until = 0.0

    async def take(self, allowances: Sequence[Allowance]) -> float:
        """Count one event against all allowances; 0 if they have room for it.

        Otherwise nothing is counted, and the answer is the seconds after which there is room.
        """
        return (await self.count(allowances)).wait_s

    async def count(self, allowances: Sequence[Allowance]) -> Counted:
        """Like `take`, with what is left of each allowance."""
        if self._alone is not None:
            return self._alone.count(allowances)
        if self._clock() >= self._local_until:
            try:
                return await self._take_in_redis(allowances)
            except Unavailable as error:
                self._local_until = self._clock() + _LOCAL_FOR_S
                _log.warning("rates.local", detail=error.detail)
        metrics.RATES_LOCAL.inc()
        return self._local.count(allowances)

    async def _take_in_redis(self, allowances: Sequence[Allowance]) -> Counted:
        spans = [round(seconds * 1e6) for one in allowances for seconds in (one.interval_s, one.span_s)]
        try:
            async with asyncio.timeout(_REDIS_ANSWERS_WITHIN_S):
                with redis_errors():
                    told = await self._take(keys=[one.key for one in allowances], args=spans)
                    wait, *ahead = (int(one) / 1e6 for one in told)
                    return Counted(wait, tuple(ahead))
        except TimeoutError as error:
            raise Unavailable("redis", "Redis does not answer in time.") from error
