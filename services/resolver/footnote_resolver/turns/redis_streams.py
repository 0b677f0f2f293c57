"""The two Redis streams of a turn, its lease, and the scripts that change them. What is written is fenced by the lease.

A paused resolver that wakes up late cannot write: every append names the lease that it believes to hold and the number of
events that it believes to be there, and Redis checks both in one step.
"""

import asyncio
import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import redis.asyncio
from redis.exceptions import NoScriptError, RedisError

from footnote_shared.kernel.errors import Unavailable
from footnote_shared.redis import keys
from footnote_shared.redis.connection import redis_errors

FIRST = "0-0"
_STATE_MS = 24 * 3600 * 1000
_PAGE = 1000

_TAKE = """
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) == false then return 'held' end
if redis.call('EXISTS', KEYS[2]) == 1 then return 'known' end
if ARGV[4] == '0' then return 'gone' end
redis.call('SET', KEYS[2], '1', 'PX', ARGV[3])
return 'new'
"""
_RENEW = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
"""
_RELEASE = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
"""
_APPEND = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 'lost' end
if redis.call('XLEN', KEYS[2]) ~= tonumber(ARGV[2]) then return 'moved' end
for i = 5, #ARGV, 2 do
  if i == 5 and ARGV[4] ~= '' then
    redis.call('XADD', KEYS[2], '*', 't', ARGV[i], 'e', ARGV[i + 1], 'j', ARGV[4])
  else
    redis.call('XADD', KEYS[2], '*', 't', ARGV[i], 'e', ARGV[i + 1])
  end
end
if ARGV[3] ~= '0' then
  for i = 2, #KEYS do redis.call('PEXPIRE', KEYS[i], ARGV[3]) end
  redis.call('DEL', KEYS[1])
end
return 'ok'
"""

_HASHES = {script: hashlib.sha1(script.encode()).hexdigest() for script in (_TAKE, _RENEW, _RELEASE, _APPEND)}  # noqa: S324

Taken = Literal["held", "known", "gone", "new"]
Appended = Literal["ok", "lost", "moved"]


@dataclass(frozen=True, slots=True)
class WrittenEvent:
    """An entry of an events stream: its id, its type, the event as JSON, and the answers recorded with it, as JSON."""

    id: str
    type: str
    event: str
    journal: str


@dataclass(slots=True)
class _Call:
    script: str
    keys: list[str]
    arguments: list[str | int]
    answer: "asyncio.Future[Any]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class TurnStreams:
    """Typed access to the streams of turns. Calls that come together travel together, as one pipeline.

    One per process. `run` must be running while it is used. Errors of Redis are `Unavailable("redis")`.
    """

    def __init__(self, client: "redis.asyncio.Redis", *, lease_s: float, retention_s: int) -> None:
        self.client = client
        self._lease_ms = max(100, round(lease_s * 1000))
        self._retention_ms = retention_s * 1000
        self._waiting: list[_Call] = []
        self._wake = asyncio.Event()

    async def run(self) -> None:
        """Send what has been asked for, batch after batch, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            batch, self._waiting = self._waiting, []
            try:
                await self._send(batch)
            finally:
                for call in batch:
                    if not call.answer.done():
                        call.answer.set_exception(Unavailable("redis", "The resolver is stopping."))

    async def take(self, turn_id: str, token: str, *, announced: bool) -> Taken:
        """Try to take the lease. `new`: nobody had the turn before; `known`: somebody had; `held`: somebody has;
        `gone`: the lease is ours, but Redis has lost what it knew of a turn that was not announced just now.
        """
        keys_of = [keys.turn_lease(turn_id), keys.turn_state(turn_id)]
        answer: Taken = await self._call(_TAKE, keys_of, [token, self._lease_ms, _STATE_MS, int(announced)])
        return answer

    async def renew(self, turn_id: str, token: str) -> bool:
        """Keep the lease; False when it is not ours any more."""
        return bool(await self._call(_RENEW, [keys.turn_lease(turn_id)], [token, self._lease_ms]))

    async def release(self, turn_id: str, token: str) -> None:
        """Hand the turn back, so that another resolver takes it at once."""
        await self._call(_RELEASE, [keys.turn_lease(turn_id)], [token])

    async def append(
        self,
        turn_id: str,
        token: str,
        present: int,
        events: Sequence[tuple[str, str]],
        *,
        journal: str = "",
        last: bool = False,
    ) -> Appended:
        """Append (type, JSON) pairs behind the `present` events. `last`: with the terminal event, after which the streams
        expire and the lease is free.
        """
        keys_of = [
            keys.turn_lease(turn_id),
            keys.turn_events(turn_id),
            keys.turn_raw(turn_id),
            keys.turn_state(turn_id),
        ]
        flat = [part for pair in events for part in pair]
        retention = self._retention_ms if last else 0
        answer: Appended = await self._call(_APPEND, keys_of, [token, present, retention, journal, *flat])
        return answer

    async def written(self, turn_id: str) -> list[WrittenEvent]:
        """Every event that has been written for the turn."""
        entries = await self._whole(keys.turn_events(turn_id))
        return [
            WrittenEvent(entry_id, fields["t"], fields["e"], fields.get("j", ""))
            for entry_id, fields in entries
        ]

    async def last_written(self, turn_id: str) -> WrittenEvent | None:
        """The newest event of the turn, if any."""
        with redis_errors():
            entries: Any = await self.client.xrevrange(keys.turn_events(turn_id), count=1)
        return next((WrittenEvent(entry_id, f["t"], f["e"], f.get("j", "")) for entry_id, f in entries), None)

    async def first_raw(self, turn_id: str) -> str | None:
        """The first raw event of the turn, as JSON, if any."""
        with redis_errors():
            entries: Any = await self.client.xrange(keys.turn_raw(turn_id), count=1)
        return next((str(fields.get("e", "")) for _, fields in entries), None)

    async def holdings(self, turn_ids: Sequence[str]) -> list[tuple[bool, bool]]:
        """For each turn, whether somebody holds it, and whether Redis still knows it."""
        with redis_errors():
            pipeline = self.client.pipeline(transaction=False)
            for turn_id in turn_ids:
                pipeline.exists(keys.turn_lease(turn_id))
                pipeline.exists(keys.turn_state(turn_id))
            found = [bool(answer) for answer in await pipeline.execute()]
        return list(zip(found[::2], found[1::2], strict=True))

    async def _whole(self, key: str) -> list[tuple[str, dict[str, str]]]:
        found: list[tuple[str, dict[str, str]]] = []
        start = "-"
        while True:
            with redis_errors():
                page: Any = await self.client.xrange(key, min=start, count=_PAGE)
            found += page
            if len(page) < _PAGE:
                return found
            start = f"({page[-1][0]}"

    async def _call(self, script: str, keys_of: list[str], arguments: Sequence[str | int]) -> Any:
        call = _Call(script, keys_of, list(arguments))
        self._waiting.append(call)
        self._wake.set()
        return await call.answer

    async def _send(self, batch: list[_Call]) -> None:
        todo = [call for call in batch if not call.answer.done()]
        by_hash = True
        while todo:
            try:
                answers = await self._execute(todo, by_hash=by_hash)
            except RedisError as error:
                for call in todo:
                    call.answer.set_exception(_unavailable(error))
                return
            again = []
            for call, answer in zip(todo, answers, strict=True):
                if call.answer.done():
                    continue
                if isinstance(answer, NoScriptError):
                    again.append(call)
                elif isinstance(answer, RedisError):
                    call.answer.set_exception(_unavailable(answer))
                else:
                    call.answer.set_result(answer)
            # A Redis that has restarted knows no scripts; it learns those that it is sent in full.
            todo, by_hash = again, False

    async def _execute(self, calls: list[_Call], *, by_hash: bool) -> list[Any]:
        pipeline = self.client.pipeline(transaction=False)
        for call in calls:
            send = pipeline.evalsha if by_hash else pipeline.eval
            script = _HASHES[call.script] if by_hash else call.script
            send(script, len(call.keys), *call.keys, *call.arguments)
        answers: list[Any] = await pipeline.execute(raise_on_error=False)
        return answers


def new_token() -> str:
    """A lease's value: no two holders ever have the same."""
    return secrets.token_hex(16)


def _unavailable(error: RedisError) -> Unavailable:
    failure = Unavailable("redis", "Redis does not answer.")
    failure.__cause__ = error
    return failure
