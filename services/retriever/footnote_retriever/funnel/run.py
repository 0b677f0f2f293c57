"""The funnel, wide to narrow: the stages in order, each with its line in the explanation (spec 4.2)."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anyio import to_thread

from footnote_retriever.funnel.budget import Taken, Text, fit
from footnote_retriever.funnel.candidates import Candidate, Live, passage_of
from footnote_retriever.funnel.diversify import same_text_once
from footnote_retriever.funnel.embed import QueryModel, QueryVectors
from footnote_retriever.funnel.enrich import enrich
from footnote_retriever.funnel.fuse import fuse
from footnote_retriever.funnel.gate import is_sufficient, near_enough
from footnote_retriever.funnel.lane import SearchedLane
from footnote_retriever.funnel.plan import MAX_RETRIEVE_K, Plan
from footnote_retriever.funnel.rerank import SHARE, rerank
from footnote_retriever.funnel.search import Found, Population, is_empty, search
from footnote_retriever.funnel.trace import StageRun, Trace
from footnote_retriever.rerankers.protocol import Reranker
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import Reranker as RerankerName
from footnote_shared.contracts.search import SearchResult, SearchScope, SearchSettings
from footnote_shared.kernel.errors import FootnoteError, Misconfigured, Unavailable
from footnote_shared.kernel.ids import new_id
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger
from footnote_shared.vectors.protocol import HybridQuery

WIDER = 8
"""How many times more candidates a second search asks for when dead ones have starved the first."""

_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """What is searched, by whom and where, with its settings decided."""

    caller: Principal
    query: str
    scope: SearchScope | None
    plan: Plan
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that the parts of a search may take."""

    search_s: float
    rerank_s: float


class Funnel:
    """Answers questions; one per process, safe for any number of searches at once."""

    def __init__(
        self,
        lane: SearchedLane,
        model: QueryModel,
        ingest: IngestClient,
        rerankers: Mapping[RerankerName, Reranker],
        limits: Limits,
    ) -> None:
        self._lane = lane
        self._model = model
        self._ingest = ingest
        self.rerankers = rerankers
        self._limits = limits

    async def run(self, question: Question) -> SearchResult:
        """The passages. Raises `Unavailable` named for the part without which there is no honest answer."""
        trace = Trace()
        plan = question.plan
        try:
            live: list[Live] = []
            if not is_empty(question.scope):
                live = await self._live(question, trace)
                live = await self._rerank(question, live, trace)
            with trace.stage("gate", len(live)) as run:
                near = near_enough(live, plan.settings.min_similarity)[: plan.settings.top_k]
                sufficient = is_sufficient(near, plan.settings.min_avg_similarity)
                run.given = len(near)
                run.notes["sufficient"] = sufficient
            taken = await self._budget(question, near, trace)
        except FootnoteError:
            metrics.SEARCHES.labels("failed").inc()
            raise
        passages = [passage_of(near[index], text) for index, text in taken]
        metrics.SEARCHES.labels("sufficient" if sufficient else "insufficient").inc()
        metrics.SEARCH_RESULTS.observe(len(passages))
        result = SearchResult(
            retrieval_id=new_id(),
            passages=passages,
            sufficient=sufficient,
            degraded=trace.degraded,
            settings=plan.settings,
            settings_hash=plan.digest,
            preset=plan.preset,
            timings_ms=trace.timings_ms(),
            left_out=len(near) - len(taken),
            explanation=trace.explanation() if question.explain else None,
        )
        _log.info(
            "search.done",
            retrieval_id=result.retrieval_id,
            preset=plan.preset,
            settings=plan.settings.model_dump(),
            settings_hash=result.settings_hash,
            passages=len(passages),
            sufficient=sufficient,
            degraded=trace.degraded,
            timings_ms=result.timings_ms,
        )
        return result

    async def _live(self, question: Question, trace: Trace) -> list[Live]:
        """Live candidates, different texts only, in fused order; from a wider search when dead ones starved the first."""
        plan = question.plan
        population = Population.of(question.caller, question.scope)
        vectors = await self._embed(question, trace)
        limit = plan.retrieve_k
        wanted = plan.settings.top_k * (SHARE if plan.settings.reranker != "none" else 1)
        while True:
            found, fused_run, candidates = await self._candidates(question, vectors, population, limit, trace)
            with trace.stage("enrich", len(candidates)) as run:
                live, asked = await enrich(self._ingest, question.caller, candidates, wanted)
                run.given = len(live)
                run.notes.update(asked=asked, not_live=asked - len(live))
            with trace.stage("diversify", len(live)) as run:
                live = same_text_once(live)
                run.given = len(live)
            if (
                len(live) >= plan.settings.top_k
                or not found.cut
                or limit > plan.retrieve_k
                or limit >= MAX_RETRIEVE_K
            ):
                break
            limit = min(limit * WIDER, MAX_RETRIEVE_K)
        if question.explain:
            fused_run.notes["scores"] = [_scores_of(one) for one in live[: plan.settings.top_k]]
        return live

    async def _embed(self, question: Question, trace: Trace) -> QueryVectors:
        settings = question.plan.settings
        with trace.stage("embed", 1) as run:
            vectors, cached = await self._model.vectors(question.query)
            run.given = 1
            run.notes.update(cached=cached, terms=len(vectors.sparse.indices) if vectors.sparse else 0)
        if settings.fusion == "dense_only":
            return QueryVectors(vectors.dense, None)
        if settings.fusion == "sparse_only" and not _is_judged(settings):
            return QueryVectors(None, vectors.sparse)
        return vectors

    async def _candidates(
        self, question: Question, vectors: QueryVectors, population: Population, limit: int, trace: Trace
    ) -> tuple[Found, StageRun, list[Candidate]]:
        settings = question.plan.settings
        blend = settings.fusion == "weighted_blend"
        with trace.stage("search", 1) as run:
            query = HybridQuery(
                vectors.dense,
                vectors.sparse,
                limit,
                population.visible,
                population.corpus,
                complete=blend or _is_judged(settings),
                bare=True,
            )
            found = await self._search(query, trace)
            run.given = len(found.refs)
            run.notes.update(limit=limit, dense=len(found.dense_ranks), sparse=len(found.sparse_ranks))
        with trace.stage("fuse", len(found.refs)) as run:
            dense, sparse = found.dense, found.sparse
            if not blend:
                dense, sparse = (_only(dense, found.dense_ranks), _only(sparse, found.sparse_ranks))
            fused = fuse(settings.fusion, dense, sparse, alpha=settings.alpha, rrf_k=settings.rrf_k)
            candidates = [
                Candidate(
                    id=point,
                    ref=found.refs[point],
                    score=score,
                    fused_rank=rank,
                    dense=found.dense.get(point),
                    sparse=found.sparse.get(point),
                    dense_rank=found.dense_ranks.get(point),
                    sparse_rank=found.sparse_ranks.get(point),
                )
                for rank, (point, score) in enumerate(fused, 1)
            ]
            run.given = len(candidates)
            run.notes["method"] = settings.fusion
        return found, run, candidates

    async def _search(self, query: HybridQuery, trace: Trace) -> Found:
        lane = self._lane
        try:
            async with asyncio.timeout(self._limits.search_s):
                fingerprint = await self._model.fingerprint()
                await lane.ensure_open(fingerprint)
                try:
                    return await search(lane.index, lane.name, query, trace)
                except Misconfigured:
                    lane.doubt()
                    await lane.ensure_open(fingerprint)
                    return await search(lane.index, lane.name, query, trace)
        except TimeoutError as error:
            raise Unavailable("qdrant", "The vector store did not answer in time.") from error

    async def _rerank(self, question: Question, live: Sequence[Live], trace: Trace) -> list[Live]:
        settings = question.plan.settings
        if settings.reranker not in self.rerankers or not live:
            return list(live)
        top = SHARE * settings.top_k
        with trace.stage("rerank", len(live)) as run:
            reranked = await rerank(
                live,
                question.query,
                self.rerankers[settings.reranker],
                top=top,
                timeout_s=self._limits.rerank_s,
                trace=trace,
                run=run,
            )
            run.given = len(reranked)
            run.notes["reranker"] = settings.reranker
            if question.explain:
                run.notes["scores"] = [
                    {"chunk_id": one.chunk.chunk_id, "before": one.candidate.score, "after": one.rerank_score}
                    for one in reranked[: settings.top_k]
                ]
        return reranked

    async def _budget(self, question: Question, live: Sequence[Live], trace: Trace) -> list[Taken]:
        settings = question.plan.settings
        with trace.stage("budget", len(live)) as run:
            texts = [Text(one.chunk.text, one.chunk.tokens) for one in live]

            def work() -> list[Taken]:
                return fit(texts, settings.context_tokens, self._model.count_tokens, clip=settings.clip)

            # Counting takes milliseconds and belongs in a thread; without it a thread costs more than it spares.
            known = [text.tokens for text in texts if text.tokens is not None]
            counts = len(known) < len(texts) or (settings.clip and sum(known) > settings.context_tokens)
            taken = await to_thread.run_sync(work) if counts else work()
            run.given = len(taken)
            run.notes["clipped"] = any(len(text) < len(texts[rank].text) for rank, text in taken)
        return taken


def _is_judged(settings: SearchSettings) -> bool:
    """Whether the gate needs to know cosines, also of what the sparse leg alone has found."""
    return settings.min_similarity > 0 or settings.min_avg_similarity > 0


def _only(scores: Mapping[str, float], own: Mapping[str, int]) -> dict[str, float]:
    return {point: scores[point] for point in own}


def _scores_of(live: Live) -> dict[str, Any]:
    candidate = live.candidate
    return {
        "chunk_id": candidate.ref.chunk_id,
        "dense": candidate.dense,
        "sparse": candidate.sparse,
        "fused": candidate.score,
    }
