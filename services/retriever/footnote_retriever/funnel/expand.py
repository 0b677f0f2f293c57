"""The step "expand": a query is widened before it is searched for, or after a first look (spec 4.2.1).

Each way is off until it is asked for. One that fails is skipped: the search goes on without it, and
`degraded` names it.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from footnote_retriever.funnel.candidates import Live
from footnote_retriever.funnel.embed import QueryVectors
from footnote_retriever.funnel.feedback import PASSAGES, rm3, rocchio, with_terms
from footnote_retriever.funnel.lane import SearchedLane
from footnote_retriever.funnel.model_words import ModelWords
from footnote_retriever.funnel.trace import StepRun, Trace
from footnote_shared.contracts.search import Expansion, HistoryMessage
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.kernel.follow_ups import is_follow_up
from footnote_shared.kernel.query_operators import UnderstoodQuery, read_query
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

_LONGEST = 2000


def standalone(query: str, history: Sequence[HistoryMessage], *, operators: bool) -> UnderstoodQuery:
    """A follow-up with the words of the question before it; any other query as it is.

    Operators of the earlier question held for that one: they leave out nothing of this search.
    """

    def read(text: str) -> UnderstoodQuery:
        return read_query(text) if operators else UnderstoodQuery(text)

    asked = read(query)
    earlier = [message.text for message in history if message.role == "user"]
    if not earlier or not is_follow_up(query):
        return asked
    return replace(asked, text=f"{read(earlier[-1][-_LONGEST:]).text} {asked.text}"[-_LONGEST:])


async def by_model(
    ways: Sequence[Expansion],
    query: str,
    vectors: QueryVectors,
    words: ModelWords | None,
    embed: Callable[[str], Awaitable[QueryVectors]],
    trace: Trace,
) -> QueryVectors:
    """The vectors with those of what a model wrote: an imagined answer counts in the dense leg alone."""
    for way in [way for way in ways if way in ("hyde", "multi_query")]:
        with trace.step("expand", 1) as step:
            step.notes["way"] = way
            if words is None:
                _skip(way, "no model of the role fast is set", step, trace)
                continue
            try:
                texts = await (words.answer(query) if way == "hyde" else words.wordings(query))
                added = [await embed(text) for text in texts]
            except (FootnoteError, TimeoutError) as error:
                _skip(
                    way, error.detail if isinstance(error, FootnoteError) else "not done in time", step, trace
                )
                continue
            step.notes["texts"] = texts
            step.given = len(texts)
            vectors = _joined(vectors, added, terms=way == "multi_query")
    return vectors


async def by_feedback(
    ways: Sequence[Expansion],
    vectors: QueryVectors,
    live: Sequence[Live],
    lane: SearchedLane,
    trace: Trace,
) -> QueryVectors | None:
    """The vectors with what the best passages have in common; None if there is nothing to add.

    Only passages that the caller sees are asked: those that ingest has confirmed.
    """
    wanted = [way for way in ways if way in ("rocchio", "rm3")]
    best = [one.candidate.id for one in live[:PASSAGES]]
    if not wanted or not best:
        return None
    with trace.step("expand", len(best)) as step:
        step.notes["way"] = ", ".join(wanted)
        try:
            stored = await lane.index.vectors(lane.name, best)
        except FootnoteError as error:
            for way in wanted:
                _skip(way, error.detail, step, trace)
            return None
        passages = [stored[point] for point in best if point in stored]
        dense, sparse = vectors.dense, vectors.sparse
        if "rocchio" in wanted and dense is not None:
            dense = rocchio(dense, [passage.dense for passage in passages])
        if "rm3" in wanted and sparse:
            sparse = rm3(sparse, [passage.sparse for passage in passages])
            step.notes["terms"] = len(sparse.indices) - len((vectors.sparse or sparse).indices)
        step.given = len(passages)
    return QueryVectors(dense, sparse)


def _joined(vectors: QueryVectors, added: Sequence[QueryVectors], *, terms: bool) -> QueryVectors:
    dense, sparse = vectors.dense, vectors.sparse
    if dense is not None:
        dense = rocchio(dense, [one.dense for one in added if one.dense is not None], weight=1.0)
    if terms and sparse is not None:
        sparse = with_terms(sparse, [one.sparse for one in added if one.sparse])
    return QueryVectors(dense, sparse)


def _skip(way: str, reason: str, step: StepRun, trace: Trace) -> None:
    _log.warning("expand.failed", way=way, reason=reason)
    step.notes["failed"] = reason
    trace.degrade(way)
