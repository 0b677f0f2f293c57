"""A look into the index: what both legs find, fused, put in order by feedback, and kept where it lives."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from footnote_retriever.funnel.best_sentence import MOST, is_by_sentences
from footnote_retriever.funnel.candidates import Candidate, Live, candidates_of
from footnote_retriever.funnel.diversify import at_most, same_text_once, similar_once
from footnote_retriever.funnel.embed import QueryVectors
from footnote_retriever.funnel.enrich import MAX_REFS, Enriched, LookedIn, Seen, at_first, enrich, said
from footnote_retriever.funnel.fact_leg import with_facts
from footnote_retriever.funnel.fates import Fates
from footnote_retriever.funnel.fuse import fuse
from footnote_retriever.funnel.gate import needs_cosines
from footnote_retriever.funnel.plan import Plan
from footnote_retriever.funnel.query_length import share_of_dense, terms_of
from footnote_retriever.funnel.rerank import SHARE
from footnote_retriever.funnel.resources import SearchResources
from footnote_retriever.funnel.search import LegHits, Population, search
from footnote_retriever.funnel.second_order import (
    ForeseenOrder,
    WeighedQuery,
    feedback_of,
    foreseen_order,
    second_order,
)
from footnote_retriever.funnel.trace import StepRun, Trace
from footnote_retriever.funnel.weigh import is_weighed, order_of, today, weighed, weight_of
from footnote_retriever.funnel.wording import WantedWords
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import HistoryMessage, SearchScope
from footnote_shared.kernel.errors import Misconfigured, NoAnswer
from footnote_shared.kernel.query_operators import UnderstoodQuery
from footnote_shared.vectors.protocol import HybridQuery

_LOOK_TWICE = frozenset({"rocchio", "rm3"})
"""Ways of `expand` that search again by feedback, so that what was found needs no second order."""


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is searched for, by whom and where, with its settings decided.

    `recorded`: the workspace allows that the query is kept to compare versions of a lane by.
    """

    caller: Principal
    text: str
    scope: SearchScope | None
    plan: Plan
    explain: bool = False
    history: Sequence[HistoryMessage] = ()
    expect: str | None = None
    recorded: bool = False


@dataclass(frozen=True, slots=True)
class IndexLook:
    """What one look into the index brought: live candidates, each text once, in fused order.

    `cut`: a leg was full, so there may be more. `fused` is the step that put the candidates in order.
    """

    live: list[Live]
    cut: bool
    fused: StepRun


class IndexLooks:
    """Looks into the index for one query. `named` is the scope that the query itself names."""

    def __init__(
        self,
        funnel: SearchResources,
        query: SearchQuery,
        asked: UnderstoodQuery,
        trace: Trace,
        fates: Fates,
    ) -> None:
        self._funnel = funnel
        self._query = query
        self._settings = query.plan.settings
        self._trace = trace
        self._fates = fates
        self._worded = asked.worded
        self.wording = WantedWords.of(asked.phrases, asked.left_out)
        self._terms = terms_of(asked.text)
        self.alpha = share_of_dense(self._settings.alpha, self._terms)
        self.named: SearchScope | None = None
        self.generation: int | None = None

    @cached_property
    def population(self) -> Population:
        """What the search may find. What its query names is known before the first look."""
        return Population.of(self._query.caller, self._query.scope, self.named)

    @property
    def scopes(self) -> tuple[SearchScope | None, SearchScope | None]:
        """That of the request, and the one that the query itself names."""
        return self._query.scope, self.named

    @property
    def in_memory(self) -> bool:
        """Whether only memory is searched."""
        return self._query.scope is not None and bool(self._query.scope.memory)

    @property
    def where(self) -> LookedIn:
        """Where a document has to lie while it is searched."""
        folders = [frozenset(one.folder_ids) for one in self.scopes if one and one.folder_ids is not None]
        return LookedIn(self.in_memory, folders)

    async def look(self, vectors: QueryVectors, limit: int, *, beside: bool = False) -> IndexLook:
        """Search with `limit` candidates per leg, fuse, keep what lives. `beside`: what was found stays."""
        hits = await self._search(vectors, limit)
        candidates, fused = self._fuse(hits)
        candidates = self._weigh(candidates, hits)
        foreseen = foreseen_order(candidates, hits.moved, self.alpha)
        found = await self._enrich(candidates, foreseen=() if foreseen is None else foreseen.order)
        moved = await self._second_order(vectors, candidates, found.live, foreseen)
        if moved is not None:
            candidates = self._weigh(moved, hits)
            found = await self._enrich(candidates, found.seen)
        self._fates.begin(candidates, found.asked, found.live, beside=beside)
        with self._trace.step("diversify", len(found.live)) as step:
            once = same_text_once(found.live)
            self._fates.keep("diversify", "same_text", once)
            live = self.each_once(once)
            self._fates.keep("diversify", "near_duplicate", live)
            step.given = len(live)
        return IndexLook(live, hits.cut, fused)

    def each_once(self, live: Sequence[Live]) -> list[Live]:
        """Each text once, and of texts that are nearly the same the first."""
        once = same_text_once(live)
        share = self._settings.near_duplicates
        return once if share is None else similar_once(once, share)

    def of_each(self, live: Sequence[Live]) -> list[Live]:
        """At most this many of one document, if that is asked for."""
        most = self._settings.per_document
        return list(live) if most is None else at_most(live, most)

    def _distinct(self, live: Sequence[Live]) -> list[Live]:
        """What the passages can be made of: looking up goes on until there is enough of it."""
        return self.of_each(self.each_once(live))

    async def _search(self, vectors: QueryVectors, limit: int) -> LegHits:
        population = self.population
        query = HybridQuery(
            vectors.dense,
            vectors.sparse,
            limit,
            population.visible,
            population.corpus,
            complete=self._settings.fusion == "weighted_blend" or needs_cosines(self._settings),
            # Weights go by whole payloads, which also hold texts.
            bare=not is_weighed(self._settings),
            feedback=feedback_of(self.alpha, self._terms) if self._has_second_order else None,
        )
        with self._trace.step("search", 1) as step:
            hits = await self._search_lane(query)
            if self._settings.facts:
                await with_facts(self._funnel, hits, query, self._trace)
            step.given = len(hits.points)
            step.notes.update(
                limit=limit,
                dense=len(hits.dense_ranks),
                sparse=len(hits.sparse_ranks),
                terms_version=self._funnel.lane.terms_version,
            )
            if self._settings.facts:
                step.notes["facts"] = sum(map(len, hits.facts.values()))
        return hits

    async def _search_lane(self, query: HybridQuery) -> LegHits:
        lane = self._funnel.lane
        try:
            async with asyncio.timeout(self._funnel.limits.search_s):
                fingerprint = await self._funnel.model.fingerprint()
                await lane.ensure_open(fingerprint)
                try:
                    return await search(lane.index, lane.name, query, self._trace)
                except Misconfigured:
                    lane.doubt()
                    await lane.ensure_open(fingerprint)
                    return await search(lane.index, lane.name, query, self._trace)
        except TimeoutError as error:
            raise NoAnswer("qdrant", "The vector store did not answer in time.") from error

    def _fuse(self, hits: LegHits) -> tuple[list[Candidate], StepRun]:
        settings = self._settings
        with self._trace.step("fuse", len(hits.points)) as step:
            dense, sparse = hits.dense, hits.sparse
            if settings.fusion != "weighted_blend":
                dense, sparse = hits.own_scores()
            fused = fuse(settings.fusion, dense, sparse, alpha=self.alpha, rrf_k=settings.rrf_k)
            candidates = candidates_of(fused, hits)
            step.given = len(candidates)
            step.notes["method"] = settings.fusion
            if settings.fusion == "weighted_blend":
                step.notes["alpha"] = round(self.alpha, 3)
        return candidates, step

    @property
    def _has_second_order(self) -> bool:
        settings = self._settings
        return (
            settings.feedback
            and settings.fusion == "weighted_blend"
            and _LOOK_TWICE.isdisjoint(settings.expand)
        )

    async def _second_order(
        self,
        vectors: QueryVectors,
        candidates: Sequence[Candidate],
        live: Sequence[Live],
        foreseen: ForeseenOrder | None,
    ) -> list[Candidate] | None:
        if not self._has_second_order:
            return None
        return await second_order(
            WeighedQuery(vectors, self.alpha, self._terms),
            candidates,
            same_text_once(live),
            self._funnel,
            self.population.corpus,
            foreseen=foreseen,
            trace=self._trace,
        )

    def _weigh(self, candidates: list[Candidate], hits: LegHits) -> list[Candidate]:
        """In the order of the weighed scores, if metadata has weights. `score` and `fused_rank` stay."""
        if not is_weighed(self._settings):
            return candidates
        with self._trace.step("weigh", len(candidates)) as step:
            day = today()
            weights = [weight_of(hits.points[one.id].payload, self._settings, day) for one in candidates]
            values = weighed([one.score for one in candidates], weights)
            order = order_of(values)
            step.given = len(candidates)
            if self._query.explain:
                step.notes["weights"] = [
                    {
                        "chunk_id": candidates[at].ref.chunk_id,
                        "weight": weights[at],
                        "score": values[at],
                        "before": at + 1,
                        "after": rank,
                    }
                    for rank, at in enumerate(order[: self._settings.top_k], 1)
                ]
        return [candidates[at]._replace(weight=weights[at]) for at in order]

    async def _enrich(
        self,
        candidates: Sequence[Candidate],
        seen: Seen | None = None,
        foreseen: Sequence[Candidate] = (),
    ) -> Enriched:
        wanted = self._settings.top_k * (SHARE if self._settings.reranker != "none" else 1)
        if is_by_sentences(self._settings):
            wanted = max(wanted, MOST)
        with self._trace.step("enrich", len(candidates)) as step:
            if foreseen:
                # What will be the best in the next order is asked about in the same call.
                best = {one.id: one for one in (*candidates[: at_first(wanted)], *foreseen[:wanted])}
                seen, generation = await said(
                    self._funnel.ingest, self._query.caller, list(best.values())[:MAX_REFS], self.where
                )
                self.generation = generation or self.generation
            found = await enrich(
                self._funnel.ingest,
                self._query.caller,
                candidates,
                wanted,
                self.wording.allows if self._worded else None,
                distinct=self._distinct,
                where=self.where,
                seen=seen,
            )
            self.generation = found.generation or self.generation
            step.given = len(found.live)
            step.notes.update(asked=found.asked, not_live=found.asked - len(found.live) - found.unwanted)
            if self._worded:
                step.notes["other_words"] = found.unwanted
        return found
