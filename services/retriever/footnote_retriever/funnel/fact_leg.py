"""Facts in a search: a fact that is near the query brings in the passage that states it (spec 3.9).

What is found is the passage, with the nearer of its own cosine and that of its facts. So fusion, visibility,
budget and citations know nothing of facts. Facts that cannot be looked at are named in `degraded`.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from anyio import to_thread

from footnote_retriever.funnel.candidates import Live
from footnote_retriever.funnel.resources import SearchResources
from footnote_retriever.funnel.search import LegHits
from footnote_retriever.funnel.trace import Trace
from footnote_shared.contracts.facts import ShownFact
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import Passage, PassageFact, SearchResult
from footnote_shared.kernel.errors import FootnoteError, Misconfigured
from footnote_shared.kernel.ids import point_id
from footnote_shared.telemetry.logs import logger
from footnote_shared.vectors.protocol import Dense, Hit, HybridQuery, version_name

_FACTS_AT_ONCE = 20
_OF_A_PASSAGE = 3

_log = logger(__name__)


async def with_facts(funnel: SearchResources, hits: LegHits, query: HybridQuery, trace: Trace) -> None:
    """Add the passages of the nearest facts to what the legs found. A search by words alone has none."""
    if query.dense is None:
        return
    try:
        async with asyncio.timeout(funnel.limits.search_s):
            near = await _near(funnel, query, query.dense)
            if near is None:
                trace.degrade("facts")
            elif near:
                await _add(funnel, hits, query, near)
    except (FootnoteError, TimeoutError) as error:
        _log.warning("search.facts_failed", reason=str(error))
        trace.degrade("facts")


async def _near(funnel: SearchResources, query: HybridQuery, dense: Dense) -> list[Hit] | None:
    """The nearest facts that the caller may see. None: they are embedded by another model at the moment."""
    try:
        return await _in_live_version(funnel, query, dense)
    except Misconfigured:
        # The version that was live a moment ago may have been removed.
        funnel.fact_lane.doubt()
        return await _in_live_version(funnel, query, dense)


async def _in_live_version(funnel: SearchResources, query: HybridQuery, dense: Dense) -> list[Hit] | None:
    index, lane = funnel.lane.index, funnel.fact_lane
    live = await lane.live(index)
    if live is None:
        return []
    if live.fingerprint != await funnel.model.fingerprint():
        return None
    wanted = HybridQuery(dense, None, _FACTS_AT_ONCE, query.filter, bare=query.bare)
    return (await index.search(version_name(lane.lane, live.number), wanted)).dense


async def _add(funnel: SearchResources, hits: LegHits, query: HybridQuery, near: Sequence[Hit]) -> None:
    lane = funnel.lane
    cosines: dict[str, float] = {}
    for fact in near:
        ref = fact.ref
        point = point_id(ref.document_id, ref.chunk_id, ref.text_hash)
        cosines[point] = max(cosines.get(point, -1.0), fact.score)
        hits.facts.setdefault(point, []).append(fact.id)
        hits.points.setdefault(point, fact)
    unknown = [point for point in cosines if point not in hits.dense or point not in hits.sparse]
    own = await lane.index.score(lane.name, unknown, query.dense, query.sparse or None, corpus=query.corpus)
    for point in unknown:
        # A passage whose own point is not there is stale, and ingest would not confirm it.
        scores = own.get(point)
        if scores is None and point not in hits.dense:
            hits.points.pop(point)
            cosines.pop(point)
        elif scores is not None:
            if scores.dense is not None:
                hits.dense.setdefault(point, scores.dense)
            if scores.sparse is not None and query.sparse:
                hits.sparse.setdefault(point, scores.sparse)
    for point, cosine in cosines.items():
        hits.dense[point] = max(hits.dense.get(point, -1.0), cosine)
    ranked = sorted({*hits.dense_ranks, *cosines}, key=lambda point: (-hits.dense[point], point))
    hits.dense_ranks = {point: rank for rank, point in enumerate(ranked, 1)}


async def told(
    funnel: SearchResources, caller: Principal, result: SearchResult, passages: Sequence[Live], trace: Trace
) -> SearchResult:
    """The result with the facts that are near the query, beside the passages that state them.

    Their words come from ingest, which knows what the caller may see now. They take what the passages leave
    of the budget, in the order of the passages.
    """
    wanted = [fact for live in passages for fact in live.candidate.facts[:_OF_A_PASSAGE]]
    if not wanted:
        return result
    try:
        found = {fact.id: fact for fact in (await funnel.ingest.lookup_facts(caller, wanted)).items}
    except FootnoteError as error:
        _log.warning("search.facts_failed", reason=str(error))
        trace.degrade("facts")
        return result.model_copy(update={"degraded": list(trace.degraded)})

    def work() -> list[Passage]:
        return _beside(result, passages, found, funnel.model.count_tokens)

    # Counting takes milliseconds, which a thread is for.
    shown = await to_thread.run_sync(work)
    return result.model_copy(update={"passages": shown})


def _beside(
    result: SearchResult,
    passages: Sequence[Live],
    found: Mapping[str, ShownFact],
    count_tokens: Callable[[str], int],
) -> list[Passage]:
    room = result.settings.context_tokens - sum(count_tokens(passage.text) for passage in result.passages)
    shown = []
    for passage, live in zip(result.passages, passages, strict=True):
        facts: list[PassageFact] = []
        for fact_id in live.candidate.facts[:_OF_A_PASSAGE]:
            fact = found.get(fact_id)
            if fact is None or not _states(fact, live) or not _shows(passage, fact):
                continue
            tokens = count_tokens(fact.text)
            if tokens > room:
                break
            room -= tokens
            facts.append(PassageFact(id=fact.id, text=fact.text, quote=fact.quote))
        shown.append(passage.model_copy(update={"facts": facts}) if facts else passage)
    return shown


def _states(fact: ShownFact, live: Live) -> bool:
    return (fact.document_id, fact.chunk_id) == (live.chunk.document_id, live.chunk.chunk_id)


def _shows(passage: Passage, fact: ShownFact) -> bool:
    """Whether what the fact was read from is still there, after the passage was cut."""
    return not passage.clipped or " ".join(fact.quote.split()) in " ".join(passage.text.split())
