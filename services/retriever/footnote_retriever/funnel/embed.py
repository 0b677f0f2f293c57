"""The query as vectors of the lane: made in a thread, so that the event loop goes on, and kept in memory.

Queries that wait while the model works go through it together. To embed one reads all weights of the model
from memory, and so does to embed eight: together, each takes a third of the processor time.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from anyio import CapacityLimiter, to_thread

from footnote_retriever.funnel.budget import CountTokens
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import Reranker
from footnote_shared.embedding.protocol import Vectors
from footnote_shared.kernel.background_load import BackgroundLoad
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.kernel.evidence_scale import Scale
from footnote_shared.kernel.vector_values import LaneFingerprint, SparseVector
from footnote_shared.telemetry import metrics
from footnote_shared.vectors.protocol import Dense

_RETRY_S = 10.0
_COUNTS_KEPT = 16_384
_TOGETHER = 8
"""Queries that are embedded at once. More would gain little, and the first would wait for the last."""


@dataclass(frozen=True, slots=True)
class LaneModel:
    """What the model of a lane does for a search: it makes vectors of a query and counts tokens of texts.

    `scale` is what the gate judges by; None where nobody has calibrated the lane. `reranked` are scales for
    passages that a reranker has scored.
    """

    fingerprint: LaneFingerprint
    embed_queries: Callable[[Sequence[str]], Sequence[Dense] | Vectors]
    encode_sparse: Callable[[str], SparseVector]
    count_tokens: CountTokens
    scale: Scale | None = None
    reranked: Mapping[Reranker, Scale] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """A query on both legs. None: the leg is not searched. Stop words alone have an empty `sparse`."""

    dense: Dense | None
    sparse: SparseVector | None


@dataclass(slots=True)
class _Batch:
    """Queries that wait for the model together, and the task that gives their vectors in this order."""

    queries: list[str] = field(default_factory=list)
    made: asyncio.Task[list[QueryVectors]] | None = None


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
        self._one_batch = CapacityLimiter(1)
        self._gathering: _Batch | None = None
        # The same passages come back again and again, and counting is the most expensive part of the budget.
        self.count_tokens: CountTokens = lru_cache(maxsize=_COUNTS_KEPT)(self._count_tokens)

    def begin_loading(self) -> None:
        """Load the model without waiting for it."""
        self._model.begin()

    @property
    def scale(self) -> Scale | None:
        """The scale of the loaded model."""
        return self._model.loaded().scale

    def scale_after(self, reranker: Reranker) -> Scale | None:
        """The scale of the loaded model for what this reranker has scored."""
        return self._model.loaded().reranked.get(reranker)

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
        made = await self._embedded(model, query)
        self._cache[key] = made
        while len(self._cache) > self._size:
            self._cache.popitem(last=False)
        return made, False

    async def _embedded(self, model: LaneModel, query: str) -> QueryVectors:
        batch = self._gathering
        if batch is None or batch.made is None or len(batch.queries) >= _TOGETHER:
            batch = self._gathering = _Batch()
            batch.made = asyncio.create_task(self._embed(model, batch))
        place = len(batch.queries)
        batch.queries.append(query)
        # One who gives up does not take the vectors from the others.
        return (await asyncio.shield(batch.made))[place]

    async def _embed(self, model: LaneModel, batch: _Batch) -> list[QueryVectors]:
        async with self._one_batch:
            if self._gathering is batch:
                self._gathering = None
            return await to_thread.run_sync(_embed, model, list(batch.queries))

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


def _embed(model: LaneModel, queries: list[str]) -> list[QueryVectors]:
    with metrics.EMBED_SECONDS.labels("query").time():
        dense = model.embed_queries(queries)
        return [QueryVectors(dense[i], model.encode_sparse(query)) for i, query in enumerate(queries)]
