"""The whole funnel over fakes of its ports: vectors in memory, a model without weights, a small ingest."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import httpx

from footnote_retriever.funnel.embed import LaneModel, QueryModel, QueryVectors
from footnote_retriever.funnel.fuse import ranked, weighted_blend
from footnote_retriever.funnel.lane import SearchedLane
from footnote_retriever.funnel.look import SearchQuery
from footnote_retriever.funnel.model_words import ModelWords
from footnote_retriever.funnel.one_search import OneSearch
from footnote_retriever.funnel.plan import BUILT_IN, resolve
from footnote_retriever.funnel.resources import Limits, SearchResources
from footnote_retriever.funnel.second_order import moved_by
from footnote_retriever.rerankers.protocol import Reranker
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import HistoryMessage, SearchResult, SearchScope
from footnote_shared.contracts.search import Reranker as RerankerName
from footnote_shared.embedding import sparse
from footnote_shared.kernel.errors import FootnoteError, Unavailable
from footnote_shared.kernel.evidence_scale import Scale
from footnote_shared.kernel.vector_values import TERMS_VERSION
from footnote_shared.settings.base import Settings
from footnote_shared.settings.flag_values import fallbacks
from footnote_shared.vectors.protocol import Feedback, HybridHits, HybridQuery, MovedScores, PointVectors
from footnote_testing.fake_embedder import FakeEmbedder
from footnote_testing.fake_ingest import FakeIngest
from footnote_testing.library import Book, Library
from footnote_testing.memory_vectors import MemoryVectorIndex

LANE = "document"
SECRET = "only the services of this test share it"


def caller(workspace: str = "acme") -> Principal:
    return Principal(workspace_id=workspace, avatar_id=f"{workspace}-avatar", scopes=frozenset({"read"}))


class WatchedIndex(MemoryVectorIndex):
    """Counts searches, and fails as told: `broken` always, `sparse_broken` a search with term
    weights, `vectors_broken` a read of stored vectors. With `moves` it moves queries itself, as the bridge
    does.
    """

    def __init__(self, terms: int = TERMS_VERSION) -> None:
        super().__init__(terms)
        self.searches: list[HybridQuery] = []
        self.broken: FootnoteError | None = None
        self.sparse_broken: FootnoteError | None = None
        self.vectors_broken: FootnoteError | None = None
        self.moves = False

    async def search(self, lane: str, query: HybridQuery) -> HybridHits:
        self.searches.append(query)
        if self.broken or (self.sparse_broken and query.sparse):
            raise self.broken or self.sparse_broken or Unavailable("qdrant", "")
        hits = await super().search(lane, query)
        if not self.moves or query.feedback is None or not hits.dense:
            return hits
        return replace(hits, moved=await self._moved(lane, query, query.feedback, hits))

    async def _moved(
        self, lane: str, query: HybridQuery, feedback: Feedback, hits: HybridHits
    ) -> MovedScores:
        dense, sparse = ({hit.id: hit.score for hit in leg} for leg in (hits.dense, hits.sparse))
        blend = weighted_blend(dense, sparse, alpha=feedback.alpha)
        best = ranked(blend)[: feedback.passages]
        stored = await super().vectors(lane, best)
        moved = moved_by(
            QueryVectors(query.dense, query.sparse),
            [(blend[point], stored[point]) for point in best],
            feedback.added,
        )
        scores = await super().score(lane, list(blend), moved.dense, moved.sparse, corpus=query.corpus)
        return MovedScores(
            frozenset(best),
            {point: found.dense or 0.0 for point, found in scores.items()},
            {point: found.sparse or 0.0 for point, found in scores.items()},
        )

    async def vectors(self, lane: str, ids: Sequence[str]) -> dict[str, PointVectors]:
        if self.vectors_broken:
            raise self.vectors_broken
        return await super().vectors(lane, ids)


class FakeReranker:
    """Prefers longer texts, or does what it is told: raise, or never answer."""

    name: RerankerName = "cross_encoder"

    def __init__(self, error: FootnoteError | None = None, silent: bool = False) -> None:
        self.error = error
        self.silent = silent
        self.seen: list[str] = []

    async def score(self, query: str, texts: Sequence[str]) -> list[float]:
        self.seen = list(texts)
        if self.silent:
            await asyncio.Event().wait()
        if self.error:
            raise self.error
        return [float(len(text)) for text in texts]

    async def close(self) -> None:
        pass


class FunnelOnFakes:
    def __init__(
        self,
        reranker: Reranker | None = None,
        limits: Limits | None = None,
        terms: int = TERMS_VERSION,
        words: ModelWords | None = None,
    ) -> None:
        self.index = WatchedIndex(terms)
        self.embedder = FakeEmbedder()
        self.scales: dict[RerankerName, Scale] = {}
        self.ingest = FakeIngest(SECRET)
        self.library = Library(self.index, LANE, self.embedder, self.ingest)
        self.lane = SearchedLane(self.index, LANE)
        self.http = httpx.AsyncClient(transport=httpx.ASGITransport(app=self.ingest.app))
        rerankers: dict[RerankerName, Reranker] = {} if reranker is None else {reranker.name: reranker}
        self.funnel = SearchResources(
            self.lane,
            QueryModel(self._model, cache_size=8, wait_s=60),
            IngestClient(self.http, "http://ingest", SECRET),
            rerankers,
            limits or Limits(search_s=60, rerank_s=60),
            words,
        )

    def _model(self) -> LaneModel:
        return LaneModel(
            self.embedder.fingerprint,
            self.embedder.embed_queries,
            sparse.embed_query,
            lambda text: len(text.split()),
            reranked=self.scales,
        )

    async def add(self, *books: Book, owner: Principal | None = None) -> None:
        await self.library.add(owner or caller(), *books)

    async def search(
        self,
        query: str,
        *,
        scope: SearchScope | None = None,
        explain: bool = False,
        by: Principal | None = None,
        history: Sequence[HistoryMessage] = (),
        **settings: Any,
    ) -> SearchResult:
        plan = resolve(BUILT_IN["default"], settings, self.funnel.rerankers, fallbacks(Settings()))
        asked = SearchQuery(by or caller(), query, scope, plan, explain, history)
        return await OneSearch(self.funnel, asked).run()


def short(words: str, number: int) -> Book:
    """A book of one chunk whose text is its own."""
    return Book(f"book {number}", [f"{words} number{number}"])


def dead(book: Book) -> Book:
    return replace(book, live=False)
