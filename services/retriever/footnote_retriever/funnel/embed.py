"""The query as vectors of the lane: made in a thread, so that the event loop goes on, and kept in memory."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from anyio import CapacityLimiter, to_thread

from footnote_retriever.funnel.budget import CountTokens
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.background_load import BackgroundLoad
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.kernel.vector_values import LaneFingerprint, SparseVector
from footnote_shared.telemetry import metrics
from footnote_shared.vectors.protocol import Dense

_RETRY_S = 10.0
_THREADS = 2
_COUNTS_KEPT = 16_384


@dataclass(frozen=True, slots=True)
class LaneModel:
    """What the model of a lane does for a search: it makes vectors of a query and counts tokens of texts."""

    fingerprint: LaneFingerprint
    embed_query: Callable[[str], Dense]
    encode_sparse: Callable[[str], SparseVector]
    count_tokens: CountTokens


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """A query on both legs. None: the leg is not searched. Stop words alone have an empty `sparse`."""

    dense: Dense | None
    sparse: SparseVector | None


class QueryModel:
    """The lane's model in this process, loaded beside the first requests. It keeps the latest vectors.

    What one avatar asked is kept for that avatar alone: an answer that came fast would tell another one that
    somebody has asked the same.
    """

    def __init__(self, load: Callable[[], LaneModel], cache_size: int, wait_s: float) -> None:
        self._model = BackgroundLoad(load, retry_s=_RETRY_S)
        self._wait_s = wait_s
        self._size = cache_size
        self._cache: OrderedDict[tuple[str, str, str], QueryVectors] = OrderedDict()
        self._limiter = CapacityLimiter(_THREADS)
        # The same passages come back again and again, and counting is the most expensive part of the budget.
        self.count_tokens: CountTokens = lru_cache(maxsize=_COUNTS_KEPT)(self._count_tokens)

    def begin_loading(self) -> None:
        """Load the model without waiting for it."""
        self._model.begin()

    async def fingerprint(self) -> LaneFingerprint:
        """Raises what loading raised, and `Unavailable("embedder")` when it takes longer than `wait_s`."""
        return (await self._loaded()).fingerprint

    async def vectors(self, caller: Principal, query: str) -> tuple[QueryVectors, bool]:
        """Both vectors, and whether they were kept from an earlier search of the caller.

        Raises as `fingerprint` does.
        """
        key = (caller.workspace_id, caller.avatar_id, query)
        known = self._cache.get(key)
        metrics.QUERY_CACHE.labels("miss" if known is None else "hit").inc()
        if known is not None:
            self._cache.move_to_end(key)
            return known, True
        model = await self._loaded()
        made = await to_thread.run_sync(_embed, model, query, limiter=self._limiter)
        self._cache[key] = made
        while len(self._cache) > self._size:
            self._cache.popitem(last=False)
        return made, False

    async def _loaded(self) -> LaneModel:
        try:
            async with asyncio.timeout(self._wait_s):
                return await self._model.get()
        except TimeoutError as error:
            raise Unavailable("embedder", "The embedding model is still being loaded.") from error

    def _count_tokens(self, text: str) -> int:
        return self._model.loaded().count_tokens(text)

    async def close(self) -> None:
        await self._model.close()


def _embed(model: LaneModel, query: str) -> QueryVectors:
    with metrics.EMBED_SECONDS.labels("query").time():
        return QueryVectors(model.embed_query(query), model.encode_sparse(query))
