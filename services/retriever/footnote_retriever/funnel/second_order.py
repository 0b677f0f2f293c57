"""The step "feedback": what was found is put in order a second time (docs/adr/0075).

The best passages change the query, and each candidate is scored by the changed one. Nothing new comes in, so
it costs no second search.
"""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from footnote_retriever.funnel.candidates import Candidate, Live
from footnote_retriever.funnel.embed import QueryVectors
from footnote_retriever.funnel.feedback import LIKENESS, PASSAGES, TERMS, rm3, rocchio, trust_in
from footnote_retriever.funnel.fuse import fuse
from footnote_retriever.funnel.query_length import share_of_added_terms
from footnote_retriever.funnel.resources import SearchResources
from footnote_retriever.funnel.trace import Trace
from footnote_shared.kernel.errors import FootnoteError, NoAnswer
from footnote_shared.telemetry.logs import logger
from footnote_shared.vectors.filters import Filter
from footnote_shared.vectors.protocol import Feedback, MovedScores, PointVectors

_log = logger(__name__)

TOWARDS = 0.8
"""How far the query's vector moves towards the passages' (`feedback.rocchio`)."""


class WeighedQuery(NamedTuple):
    """The query as it was asked: its vectors, the share of the dense leg, and its words that count."""

    vectors: QueryVectors
    alpha: float
    terms: int


def feedback_of(alpha: float, terms: int) -> Feedback:
    """What `moved_by` does, as numbers, for a store that can do it while it searches."""
    return Feedback(alpha, PASSAGES, LIKENESS, TOWARDS, TERMS, share_of_added_terms(terms))


class ForeseenOrder(NamedTuple):
    """The candidates by scores that came with the hits, and by which points their query was moved."""

    by: frozenset[str]
    order: list[Candidate]


def foreseen_order(
    candidates: Sequence[Candidate], moved: MovedScores | None, alpha: float
) -> ForeseenOrder | None:
    """What the second order will be if ingest confirms the points that have moved the query. Pure."""
    return None if moved is None else ForeseenOrder(moved.by, _reordered(candidates, moved, alpha))


async def second_order(
    query: WeighedQuery,
    candidates: Sequence[Candidate],
    live: Sequence[Live],
    funnel: SearchResources,
    corpus: Filter,
    *,
    foreseen: ForeseenOrder | None,
    trace: Trace,
) -> list[Candidate] | None:
    """The candidates by what the query and the best of `live` mean together; None where that changes nothing.

    `live` are passages that ingest has confirmed for this caller, the best ones first: a word of a passage
    that the caller may not see changes nothing. Their cosines with the query stay what they are. The order
    that was `foreseen` holds if the query was moved by these very passages. Else the store is asked. One that
    does not answer is named in `degraded`, and the first order stands.
    """
    best = list(live[:PASSAGES])
    if query.vectors.dense is None or not query.vectors.sparse or not best or len(candidates) < 2:
        return None
    if any(one.facts for one in candidates):
        # They are as near as their facts, which the changed query would not be compared with.
        return None
    with trace.step("feedback", len(candidates)) as step:
        if foreseen is not None and foreseen.by == {one.candidate.id for one in best}:
            order = foreseen.order
        else:
            try:
                async with asyncio.timeout(funnel.limits.search_s):
                    moved = await _asked(query, candidates, best, funnel, corpus)
            except (FootnoteError, TimeoutError) as error:
                why = error if isinstance(error, FootnoteError) else NoAnswer("qdrant", "not done in time")
                _log.warning("feedback.failed", reason=why.detail)
                step.notes["failed"] = why.detail
                trace.degrade("feedback")
                return None
            if moved is None:
                return None
            order = _reordered(candidates, moved, query.alpha)
        step.given = len(candidates)
        step.notes["passages"] = len(best)
        return order


async def _asked(
    query: WeighedQuery,
    candidates: Sequence[Candidate],
    best: Sequence[Live],
    funnel: SearchResources,
    corpus: Filter,
) -> MovedScores | None:
    """The scores by the query as these passages move it. None: the store has none of them any more."""
    index, name = funnel.lane.index, funnel.lane.name
    stored = await index.vectors(name, [one.candidate.id for one in best])
    there = [(one.candidate.score, stored[one.candidate.id]) for one in best if one.candidate.id in stored]
    if not there:
        return None
    moved = moved_by(query.vectors, there, share_of_added_terms(query.terms))
    scores = await index.score(name, [one.id for one in candidates], moved.dense, moved.sparse, corpus=corpus)
    return MovedScores(
        frozenset(stored),
        {point: found.dense for point, found in scores.items() if found.dense is not None},
        {point: found.sparse for point, found in scores.items() if found.sparse is not None},
    )


def moved_by(vectors: QueryVectors, best: Sequence[tuple[float, PointVectors]], added: float) -> QueryVectors:
    """The query with what passages have in common, each given with its score in the blend. Pure.

    `added` is the share of their terms in the weight of all.
    """
    trust = trust_in([score for score, _ in best])
    dense, sparse = vectors.dense, vectors.sparse
    if dense is not None:
        dense = rocchio(dense, [passage.dense for _, passage in best], TOWARDS, trust)
    if sparse and added:
        sparse = rm3(sparse, [passage.sparse for _, passage in best], added, trust=trust)
    return QueryVectors(dense, sparse)


def _reordered(candidates: Sequence[Candidate], moved: MovedScores, alpha: float) -> list[Candidate]:
    by_id = {one.id: one for one in candidates}
    fused = fuse("weighted_blend", moved.dense, moved.sparse, alpha=alpha, rrf_k=1)
    # What went away between two reads has no scores. It is dead.
    return [by_id[point].scored(score, rank) for rank, (point, score) in enumerate(fused, 1)]
