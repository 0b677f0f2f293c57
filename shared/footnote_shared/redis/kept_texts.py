"""Texts that Redis keeps for a while, for caches. While Redis does not answer, there is no cache."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import redis.asyncio

from footnote_shared.kernel.errors import Unavailable
from footnote_shared.redis.connection import redis_errors
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

ANSWER_S = 0.2
"""Seconds that Redis has for an answer. After more, doing without it is as fast."""

_AWAY_S = 5.0
"""Seconds for which a Redis that did not answer is left alone."""

_log = logger(__name__)


class KeptTexts:
    """One per cache and process. Each text is kept for `keep_s` seconds."""

    def __init__(
        self,
        client: redis.asyncio.Redis,
        keep_s: int,
        clock: Callable[[], float] = time.monotonic,
        answer_s: float = ANSWER_S,
    ) -> None:
        self._redis = client
        self._keep_s = keep_s
        self._clock = clock
        self._answer_s = answer_s
        self._away_until = -_AWAY_S

    async def get(self, key: str) -> str | None:
        """The text; None where there is none, or while Redis is away."""
        text = await self._call(lambda: self._redis.get(key))
        return text if isinstance(text, str) else None

    async def put(self, key: str, text: str) -> None:
        await self._call(lambda: self._redis.set(key, text, ex=self._keep_s))

    async def _call(self, command: Callable[[], Awaitable[Any]]) -> Any:
        """What Redis answers; None while it is away."""
        if self._clock() < self._away_until:
            return None
        try:
            with redis_errors():
                async with asyncio.timeout(self._answer_s):
                    return await command()
        except (Unavailable, TimeoutError) as error:
            self._away_until = self._clock() + _AWAY_S
            metrics.DEGRADED.labels("cache").inc()
            _log.warning("cache.away", reason=str(error))
            return None
