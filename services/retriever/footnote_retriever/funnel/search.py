"""The step "search": the dense and the sparse leg in one round trip."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from footnote_retriever.funnel.trace import Trace
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import SearchScope
from footnote_shared.kernel.errors import Misconfigured, NoAnswer, OurFault, Unavailable
from footnote_shared.telemetry.logs import logger
from footnote_shared.vectors.filters import All, Filter
from footnote_shared.vectors.protocol import (
    Hit,
    HybridHits,
    HybridQuery,
    MovedScores,
    VectorIndex,
)
from footnote_shared.vectors.visibility import corpus_of, visible_to, within

_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Population:
    """What a search may find, and whose term statistics weigh its words. Both follow from who calls."""

    visible: Filter
    corpus: Filter

    @classmethod
    def of(
        cls, caller: Principal, scope: SearchScope | None, named: SearchScope | None = None
    ) -> "Population":
        """`named` is the scope that the query itself names. Both hold."""
        if scope is None and named is None:
            return _everywhere(caller)
        visible = visible_to(caller, scope)
        if named is not None:
            visible = All((visible, *within(named)))
        return cls(visible, corpus_of(caller, scope))


@lru_cache(maxsize=1024)
def _everywhere(caller: Principal) -> Population:
    """That of a caller who searches without a scope. Most searches do, and it follows from the caller."""
    return Population(visible_to(caller), corpus_of(caller))


@dataclass(slots=True)
class LegHits:
    """What the two legs found: scores by point, and ranks from 1 of what a leg returned by itself.

    After a complete search both legs score the same points. `points` has a hit of each, for what is stored
    with it. `facts` are the ids of the facts that brought a point in. `moved`: scores by a moved query, where
    the store can move one. `cut`: a leg was full, so there may be more.
    """

    points: dict[str, Hit] = field(default_factory=dict)
    dense: dict[str, float] = field(default_factory=dict)
    sparse: dict[str, float] = field(default_factory=dict)
    dense_ranks: dict[str, int] = field(default_factory=dict)
    sparse_ranks: dict[str, int] = field(default_factory=dict)
    facts: dict[str, list[str]] = field(default_factory=dict)
    moved: MovedScores | None = None
    cut: bool = False

    def own_scores(self) -> tuple[dict[str, float], dict[str, float]]:
        """The scores of what each leg returned by itself, dense and sparse."""
        return (
            {point: self.dense[point] for point in self.dense_ranks},
            {point: self.sparse[point] for point in self.sparse_ranks},
        )


def is_empty(scope: SearchScope | None) -> bool:
    """Whether the scope can match nothing: it has an empty list, or a range that ends before it begins."""
    if scope is None:
        return False
    lists: Iterable[list[str] | None] = (
        scope.document_ids,
        scope.folder_ids,
        scope.connector_ids,
        scope.source_types,
        scope.kinds,
        scope.document_types,
    )
    if any(values is not None and not values for values in lists):
        return True
    return (
        scope.created_from is not None
        and scope.created_to is not None
        and scope.created_from > scope.created_to
    )


async def search(index: VectorIndex, lane: str, query: HybridQuery, trace: Trace) -> LegHits:
    """Both legs. Where they fail together and the dense leg alone does not, `degraded` says `sparse`.

    Raises `Unavailable("qdrant")` when the store does not answer. The index has tried more than once by then.
    """
    try:
        hits = await index.search(lane, query)
    except (Misconfigured, NoAnswer):
        raise
    except (Unavailable, OurFault) as error:
        if query.dense is None or not query.sparse:
            raise
        hits = await index.search(lane, replace(query, sparse=None))
        _log.warning("search.sparse_failed", reason=error.detail)
        trace.degrade("sparse")
    return _leg_hits(hits, query)


def _leg_hits(hits: HybridHits, query: HybridQuery) -> LegHits:
    legs = LegHits(moved=hits.moved)
    for hit in (*hits.dense, *hits.sparse):
        legs.points.setdefault(hit.id, hit)
    legs.dense, legs.sparse = ({hit.id: hit.score for hit in leg} for leg in (hits.dense, hits.sparse))
    # A complete search scores more points than the leg would have returned by itself; those get no rank.
    own = hits.dense[: query.limit], [hit for hit in hits.sparse[: query.limit] if hit.score > 0]
    legs.dense_ranks, legs.sparse_ranks = ({hit.id: rank for rank, hit in enumerate(leg, 1)} for leg in own)
    legs.cut = any(len(leg) >= query.limit for leg in own)
    return legs
