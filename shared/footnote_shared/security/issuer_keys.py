"""The keys of the issuer of users' tokens: fetched when they are needed, kept, and fetched again."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from anyio import to_thread

from footnote_shared.egress.client import EgressClient, FetchLimits
from footnote_shared.kernel.errors import CallerError, Unavailable
from footnote_shared.security.key_set import MOST_BYTES, IssuerKey, read_key_set
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

FRESH_S = 300.0
"""Seconds after which the keys are fetched again: for so long a key that the issuer takes back stays good."""

KEPT_S = 86_400.0
"""Seconds for which the keys that are there stay good while the issuer does not answer."""

APART_S = 30.0
"""Seconds between two fetches: a stranger who makes up ids of keys cannot make us ask more often."""

_LIMITS = FetchLimits(max_bytes=MOST_BYTES, total_s=5.0, redirects=0)

Fetch = Callable[[], Awaitable[bytes]]

_log = logger(__name__)


class IssuerKeys:
    """The keys of one issuer in one process. `clock` gives seconds."""

    def __init__(self, fetch: Fetch, clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch = fetch
        self._clock = clock
        self._keys: dict[str, IssuerKey] = {}
        self._read_at = self._asked_at = -float("inf")
        self._fetching = asyncio.Lock()

    async def find(self, key_id: str) -> IssuerKey | None:
        """The key of this id. None for one that the issuer does not publish, as far as is known.

        Raises Unavailable where there are no keys that are still good, because the issuer does not answer.
        """
        # Nobody whose key is known waits for a fetch that another request has begun.
        if self._is_wanted(key_id) and not (key_id in self._good() and self._fetching.locked()):
            async with self._fetching:
                # Whoever waited here finds what the one before has fetched.
                if self._is_wanted(key_id) and self._clock() - self._asked_at >= APART_S:
                    await self._renew()
        keys = self._good()
        if not keys and self._read_at < self._asked_at:
            raise Unavailable("issuer", "The keys that sign tokens cannot be had now.", retry_after=APART_S)
        return keys.get(key_id)

    def _is_wanted(self, key_id: str) -> bool:
        return self._clock() - self._read_at >= FRESH_S or key_id not in self._keys

    def _good(self) -> dict[str, IssuerKey]:
        return self._keys if self._clock() - self._read_at < KEPT_S else {}

    async def _renew(self) -> None:
        self._asked_at = self._clock()
        try:
            body = await self._fetch()
            self._keys = await to_thread.run_sync(read_key_set, body)
        except (Unavailable, CallerError, ValueError) as error:
            metrics.ISSUER_FETCHES.labels("failed").inc()
            _log.warning("issuer.failed", reason=type(error).__name__, kept=len(self._good()))
            return
        self._read_at = self._asked_at
        metrics.ISSUER_FETCHES.labels("ok").inc()


def fetch_from(client: EgressClient, url: str) -> Fetch:
    """Fetches the set of keys that stands at an address."""

    async def fetch() -> bytes:
        answer = await client.fetch(url, _LIMITS)
        if answer.status != 200:
            raise ValueError(f"status {answer.status}")
        return answer.body

    return fetch
