"""One search, wide to narrow: the steps of the funnel in order, each of which explains itself (spec 4.2)."""

from dataclasses import replace
from functools import partial

from anyio import to_thread

from footnote_retriever.funnel.as_asked import as_asked
from footnote_retriever.funnel.best_sentence import by_best_sentence, is_by_sentences
from footnote_retriever.funnel.budget import Taken
from footnote_retriever.funnel.candidates import Live, passage_of, scores_of
from footnote_retriever.funnel.correct import SelfCorrection
from footnote_retriever.funnel.embed import QueryVectors
from footnote_retriever.funnel.expand import by_feedback, by_model, standalone
from footnote_retriever.funnel.fact_leg import told
from footnote_retriever.funnel.fates import Fates
from footnote_retriever.funnel.fitting import Fitting
from footnote_retriever.funnel.gate import EvidenceGate, Passed, is_long, needs_cosines
from footnote_retriever.funnel.look import IndexLooks, SearchQuery
from footnote_retriever.funnel.neighbours import Shown, joined
from footnote_retriever.funnel.plan import MAX_RETRIEVE_K
from footnote_retriever.funnel.rerank import SHARE, rerank
from footnote_retriever.funnel.resources import SearchResources
from footnote_retriever.funnel.search import is_empty
from footnote_retriever.funnel.sections import in_sections
from footnote_retriever.funnel.trace import Trace
from footnote_retriever.funnel.understand import named_scope, notes_of
from footnote_shared.contracts.search import Passage, SearchResult
from footnote_shared.embedding.identifiers import identifiers_in
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.kernel.ids import new_id
from footnote_shared.kernel.query_operators import UnderstoodQuery
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

WIDER = 8
"""How many times as many candidates the second look asks for, after dead ones have starved the first."""

_log = logger(__name__)


class OneSearch:
    """One query on its way through the funnel. Made for one query, run once."""

    def __init__(self, funnel: SearchResources, query: SearchQuery) -> None:
        self._funnel = funnel
        self._query = query
        self._plan = query.plan
        self._settings = query.plan.settings
        self._trace = Trace()
        self.fates = Fates(recorded=query.explain)
        for part in query.plan.missing:
            self._trace.degrade(part)
        history = query.history if "rewrite" in self._settings.expand else ()
        self._asked = standalone(query.text, history, operators=self._settings.operators)
        self._looks = IndexLooks(funnel, query, self._asked, self._trace, self.fates)

    @property
    def looks(self) -> IndexLooks:
        """Where the search looked."""
        return self._looks

    @property
    def generation(self) -> int | None:
        """That of the workspace, as ingest said it last in this search."""
        return self._looks.generation

    async def run(self) -> SearchResult:
        """The passages. Raises `Unavailable` named for the part without which there is no honest answer."""
        try:
            live = await self._found() if await self._understand() else []
            passed = await self._gate(live)
            taken = await self._budget(passed.near)
            shown = await self._shown(passed.near, taken)
        except FootnoteError:
            metrics.SEARCHES.labels("failed").inc()
            raise
        metrics.SEARCHES.labels("sufficient" if passed.sufficient else "insufficient").inc()
        metrics.SEARCH_RESULTS.observe(len(shown))
        result = self._result(passed, [passage for _, passage in shown], len(passed.near) - len(taken))
        if self._settings.facts:
            result = await told(
                self._funnel, self._query.caller, result, [live for live, _ in shown], self._trace
            )
        _log.info(
            "search.done",
            retrieval_id=result.retrieval_id,
            preset=result.preset,
            settings={**self._plan.shown, "alpha": result.settings.alpha},
            settings_hash=result.settings_hash,
            passages=len(result.passages),
            sufficient=result.sufficient,
            degraded=result.degraded,
            timings_ms=result.timings_ms,
        )
        return result

    async def _found(self) -> list[Live]:
        return self._spread(await self._rerank(await self._by_sentences(await self._live())))

    async def _understand(self) -> bool:
        """Whether anything can be found at all. Looks up what the query names."""
        asked = self._asked
        if is_empty(self._query.scope):
            return False
        identifiers = identifiers_in(asked.text) if self._query.explain else []
        if asked == UnderstoodQuery(self._query.text) and not identifiers:
            return True
        with self._trace.step("understand", 1) as step:
            named = self._looks.named = await named_scope(self._funnel.ingest, self._query.caller, asked)
            step.given = 1
            step.notes.update(notes_of(asked, named, identifiers))
        return not is_empty(named)

    async def _live(self) -> list[Live]:
        """Live candidates in fused order, each text once. Dead ones may call for a second, wider look."""
        asked = await self._embed()
        vectors = await by_model(
            self._settings.expand,
            self._asked.text,
            asked,
            self._funnel.words,
            self._vectors_of,
            self._trace,
        )
        look = await self._looks.look(vectors, self._plan.retrieve_k)
        widened = await by_feedback(self._settings.expand, vectors, look.live, self._funnel.lane, self._trace)
        if widened is not None:
            vectors = widened
            look = await self._looks.look(vectors, self._plan.retrieve_k)
        found = len(self._looks.of_each(look.live))
        if look.cut and found < self._settings.top_k and self._plan.retrieve_k < MAX_RETRIEVE_K:
            wider = MAX_RETRIEVE_K if self._asked.worded else self._plan.retrieve_k * WIDER
            look = await self._looks.look(vectors, min(wider, MAX_RETRIEVE_K))
        if self._query.explain:
            look.fused.notes["scores"] = [scores_of(one) for one in look.live[: self._settings.top_k]]
        live = look.live if vectors.dense is asked.dense else await self._as_asked(asked, look.live)
        return await self._corrected(vectors, live, asked)

    async def _as_asked(self, asked: QueryVectors, live: list[Live]) -> list[Live]:
        """With cosines with the query as it was asked. Where the store fails, the evidence is not judged."""
        if asked.dense is None:
            return live
        with self._trace.step("as_asked", len(live)) as step:
            step.given = len(live)
            try:
                return await as_asked(asked.dense, live, {}, self._funnel.lane)
            except FootnoteError as error:
                _log.warning("gate.not_judged", reason=error.detail)
                step.notes["failed"] = error.detail
                self._trace.degrade("gate")
                return [replace(one, candidate=one.candidate._replace(dense=None)) for one in live]

    async def _corrected(self, vectors: QueryVectors, live: list[Live], asked: QueryVectors) -> list[Live]:
        if self._settings.correct == "none":
            return live

        async def look(other: QueryVectors) -> list[Live]:
            return (await self._looks.look(other, self._plan.retrieve_k, beside=True)).live

        correction = SelfCorrection(
            self._funnel, self._settings, self._asked.text, look, self._vectors_of, self._trace
        )
        union = self._looks.each_once(await correction.run(vectors, live, asked.dense))
        self.fates.join(union)
        return union

    async def _embed(self) -> QueryVectors:
        with self._trace.step("embed", 1) as step:
            vectors, cached = await self._funnel.model.vectors(self._query.caller, self._asked.text)
            step.given = 1
            step.notes.update(cached=cached, terms=len(vectors.sparse.indices) if vectors.sparse else 0)
        if self._settings.fusion == "dense_only":
            return QueryVectors(vectors.dense, None)
        if self._settings.fusion == "sparse_only" and not needs_cosines(self._settings):
            return QueryVectors(None, vectors.sparse)
        return vectors

    async def _vectors_of(self, text: str) -> QueryVectors:
        return (await self._funnel.model.vectors(self._query.caller, text))[0]

    async def _by_sentences(self, live: list[Live]) -> list[Live]:
        if not is_by_sentences(self._settings) or len(live) < 2:
            return live
        with self._trace.step("sentences", len(live)) as step:
            work = partial(by_best_sentence, self._asked.text, live, self._settings.sentences)
            # Cutting texts into sentences takes milliseconds, which a thread is for.
            ordered = await to_thread.run_sync(work)
            self.fates.reorder(ordered)
            step.given = len(ordered)
        return ordered

    def _spread(self, live: list[Live]) -> list[Live]:
        """At most this many of one document, if that is asked for: the best ones, after reranking."""
        if self._settings.per_document is None:
            return live
        with self._trace.step("spread", len(live)) as step:
            kept = self._looks.of_each(live)
            self.fates.keep("spread", "per_document", kept)
            step.given = len(kept)
        return kept

    async def _rerank(self, live: list[Live]) -> list[Live]:
        settings = self._settings
        reranker = self._funnel.rerankers.get(settings.reranker)
        if reranker is None or not live:
            return live
        with self._trace.step("rerank", len(live)) as step:
            reranked = await rerank(
                live,
                self._asked.text,
                reranker,
                top=SHARE * settings.top_k,
                timeout_s=self._funnel.limits.rerank_s,
                trace=self._trace,
                step=step,
            )
            self.fates.reorder(reranked)
            step.given = len(reranked)
            step.notes["reranker"] = settings.reranker
            if self._query.explain:
                step.notes["scores"] = [
                    {"chunk_id": one.chunk.chunk_id, "before": one.candidate.score, "after": one.rerank_score}
                    for one in reranked[: settings.top_k]
                ]
        return reranked

    async def _gate(self, live: list[Live]) -> Passed:
        with self._trace.step("gate", len(live)) as step:
            # Where nothing was asked for, the model may not be loaded yet.
            scale = self._funnel.model.scale if live else None
            reranked = self._funnel.model.scale_after(self._settings.reranker) if live else None
            gate = EvidenceGate(self._asked.text, self._settings, scale, reranked)
            work = partial(gate.judge, live, explain=self._query.explain)
            passed = await to_thread.run_sync(work) if is_long(live) else work()
            self.fates.keep("gate", "min_similarity", passed.near_enough)
            self.fates.keep("gate", "top_k", passed.near)
            step.given = len(passed.near)
            step.notes.update(sufficient=passed.sufficient, **passed.notes)
        return passed

    async def _budget(self, live: list[Live]) -> list[Taken]:
        settings = self._settings
        with self._trace.step("budget", len(live)) as step:
            fitting = Fitting(self._asked.text, live, settings, self._funnel.model.count_tokens)
            # Counting takes milliseconds, which a thread is for. Where all is counted, a thread costs more.
            taken = await to_thread.run_sync(fitting.taken) if fitting.counts else fitting.taken()
            self.fates.keep("budget", "context_tokens", [live[one.rank] for one in taken])
            step.given = len(taken)
            step.notes["clipped"] = any(len(one.text) < len(live[one.rank].chunk.text) for one in taken)
        return taken

    async def _shown(self, near: list[Live], taken: list[Taken]) -> Shown:
        shown = [(near[one.rank], passage_of(near[one.rank], one.text, one.start)) for one in taken]
        if not self._settings.parent or len(taken) < len(near):
            return self._joined(shown)
        budget, caller = self._settings.context_tokens, self._query.caller
        memory = self._looks.in_memory
        return await in_sections(
            self._funnel, caller, shown, budget, memory=memory, trace=self._trace, fates=self.fates
        )

    def _joined(self, shown: Shown) -> Shown:
        if not self._settings.neighbours or len(shown) < 2:
            return shown
        with self._trace.step("neighbours", len(shown)) as step:
            kept = joined(shown)
            self.fates.keep("neighbours", "neighbours", [live for live, _ in kept])
            step.given = len(kept)
        return kept

    def _result(self, passed: Passed, passages: list[Passage], left_out: int) -> SearchResult:
        return SearchResult(
            retrieval_id=new_id(),
            passages=passages,
            sufficient=passed.sufficient,
            missing=passed.missing,
            degraded=self._trace.degraded,
            settings=self._settings.model_copy(update={"alpha": self._looks.alpha}),
            settings_hash=self._plan.digest,
            preset=self._plan.preset,
            timings_ms=self._trace.timings_ms(),
            left_out=left_out,
            flags=dict(self._plan.flags),
            explanation=self._trace.explanation() if self._query.explain else None,
            candidates=self.fates.report() if self._query.explain else None,
        )
