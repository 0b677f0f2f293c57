"""Asking systems outside: by the guarded client, no faster than their share, with errors by who must act."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

import redis.asyncio

from footnote_ingest.connectors.errors import OwnerMustAct, SourceBusy, SourceDown
from footnote_shared.egress.client import EgressClient, FetchAsked, Fetched, FetchLimits, Validators
from footnote_shared.egress.errors import FetchedTooMuch, FetchRefused
from footnote_shared.egress.policy import EgressPolicy, policy_of
from footnote_shared.egress.retry_after import retry_after
from footnote_shared.egress.targets import read_target
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.redis import keys
from footnote_shared.redis.connection import connect_async
from footnote_shared.settings.base import Settings
from footnote_shared.web.rates import Allowance, Rates

_SPAN_S = 60.0
_LONGEST_WAIT_S = 2.0
"""Seconds for which a run waits for its turn at a host. For longer it lets other runs go first."""

_BUSY_S = 60.0
"""Seconds to leave a host alone that says it is busy and not for how long."""

_FETCH_S = 30.0
WAITED_FOR = FetchLimits(max_bytes=5 * 2**20, total_s=10.0)
WAITED_FOR_S = 20.0
"""For one answer, and in seconds for all of them, where a request to us waits for the system in a thread."""

_REFUSED = (401, 403, 407)
_BUSY = (429, 503)


@dataclass(frozen=True, slots=True)
class OutsideResources:
    """What every source outside needs. `most_a_minute` holds for one host, for all workers together.

    `within_s`: seconds that all requests of one run may take; None: as long as they get on. `account`: whose
    credentials requests bring, if any: a host counts such requests by account, and so do we. What comes
    without credentials counts against the host as a whole.
    """

    policy: EgressPolicy = field(default_factory=EgressPolicy)
    redis_url: str = ""
    most_a_minute: int = 120
    limits: FetchLimits = field(default_factory=FetchLimits)
    within_s: float | None = None
    account: str = ""

    @classmethod
    def from_settings(cls, settings: Settings) -> "OutsideResources":
        return cls(
            policy_of(settings),
            settings.redis_url,
            settings.connector_requests_per_host,
            FetchLimits(max_bytes=settings.max_upload_bytes, total_s=_FETCH_S),
        )


@dataclass(frozen=True, slots=True)
class _Opened:
    """The event loop of one run, and what belongs to it. `ends_at`, by the monotonic clock, if it has one."""

    runner: asyncio.Runner
    client: EgressClient
    redis: redis.asyncio.Redis
    rates: Rates
    ends_at: float | None


class Outside:
    """A client for one run, on an event loop of its own. Nothing is opened before the first request."""

    def __init__(self, resources: OutsideResources) -> None:
        self._resources = resources
        self._opened: _Opened | None = None
        self._paces: dict[str, float] = {}

    def pace(self, url: str, seconds: float) -> None:
        """Keep this many seconds between two requests to this host, if its share alone would allow more."""
        self._paces[_host(url)] = seconds

    def get(self, url: str, *, seen: Validators | None = None, most_bytes: int | None = None) -> Fetched:
        """What stands at the address, if it is there, gone or unchanged: 200, 304, 404 or 410.

        Raises SourceBusy, SourceDown, OwnerMustAct, and FetchedTooMuch for more than `most_bytes`, or than
        any answer may have.
        """
        return judged(url, self.ask(url, seen=seen, most_bytes=most_bytes))

    def ask(
        self,
        url: str,
        *,
        seen: Validators | None = None,
        headers: Mapping[str, str] | None = None,
        most_bytes: int | None = None,
        sent: bytes | None = None,
    ) -> Fetched:
        """The answer, whatever its status. `sent` is posted. Raises like `get` if there is none."""
        opened = self._opened = self._opened or self._open()
        asked = FetchAsked(url, "GET" if sent is None else "POST", headers or {}, sent, seen)
        limits = self._resources.limits
        if most_bytes is not None:
            limits = replace(limits, max_bytes=min(limits.max_bytes, most_bytes))
        try:
            read_target(url)
            return opened.runner.run(self._in_time(opened, asked, limits))
        except FetchRefused as refused:
            raise OwnerMustAct(f"{named(url)} is not fetched: {refused.detail}") from refused
        except FetchedTooMuch:
            raise
        except Unavailable as down:
            raise SourceDown(f"{named(url)}: {down.detail}") from down

    def close(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.runner.run(opened.client.aclose())
            opened.runner.run(opened.redis.aclose())
            opened.runner.close()

    def _open(self) -> _Opened:
        client = connect_async(self._resources.redis_url, connections=2)
        within_s = self._resources.within_s
        ends_at = None if within_s is None else time.monotonic() + within_s
        return _Opened(asyncio.Runner(), EgressClient(self._resources.policy), client, Rates(client), ends_at)

    async def _in_time(self, opened: _Opened, asked: FetchAsked, limits: FetchLimits) -> Fetched:
        if opened.ends_at is None:
            return await self._ask(opened, asked, limits)
        try:
            async with asyncio.timeout(max(0.0, opened.ends_at - time.monotonic())):
                return await self._ask(opened, asked, limits)
        except TimeoutError as error:
            within_s = self._resources.within_s
            raise SourceDown(f"{named(asked.url)} did not answer within {within_s:g} seconds.") from error

    async def _ask(self, opened: _Opened, asked: FetchAsked, limits: FetchLimits) -> Fetched:
        host = _host(asked.url)
        most = self._resources.most_a_minute
        if self._paces.get(host):
            most = max(1, min(most, int(_SPAN_S / self._paces[host])))
        told = {name.lower() for name in asked.headers}
        spent = f"{self._resources.account}:{host}" if "authorization" in told else host
        allowance = Allowance(keys.rate("outside", spent), most, _SPAN_S)
        while (wait := await opened.rates.take([allowance])) > 0:
            if wait > _LONGEST_WAIT_S:
                raise SourceBusy(f"{host} was asked as often as it may be; the sync goes on later.", wait)
            await asyncio.sleep(wait)
        return await opened.client.send(asked, limits)


def judged(url: str, answer: Fetched) -> Fetched:
    """The answer if it says what is there; else raises what it means, by who has to act."""
    status = answer.status
    if status in (200, 304, 404, 410):
        return answer
    wait = retry_after(answer.headers.get("retry-after"), now)
    if status in _BUSY and (wait is not None or status == 429):
        raise SourceBusy(
            f"{named(url)} asks to be left alone for a while ({status}).", _BUSY_S if wait is None else wait
        )
    if status in _REFUSED:
        raise OwnerMustAct(
            f"{named(url)} refuses us ({status}). Look after the credentials and what they allow."
        )
    if status >= 500:
        raise SourceDown(f"{named(url)} does not work now ({status}).")
    raise OwnerMustAct(f"{named(url)} does not give what was asked for ({status}). Look after its address.")


def named(url: str) -> str:
    """The address in one line, without what may be a secret in it: a password, a query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "The address"
    shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"[:300]
    return "".join(char for char in shown if char.isprintable())


def _host(url: str) -> str:
    return read_target(url).host
