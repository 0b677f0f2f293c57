"""Two ranked lists become one. Pure: scores in, scores out.

The same hits fuse to the same list in whatever order the store returned them: `math.fsum` gives the same sum
in any order, and equal scores are ordered by id.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from footnote_shared.contracts.search import Fusion

Scores = Mapping[str, float]

_ROUNDING = 1e-12
"""Scores whose deviation is no larger share of their mean than this are equal."""


class Fused(NamedTuple):
    """A candidate after fusion. Scores of different methods cannot be compared."""

    id: str
    score: float


def fuse(how: Fusion, dense: Scores, sparse: Scores, *, alpha: float, rrf_k: int) -> list[Fused]:
    """Candidates by fused score, best first.

    `dense` and `sparse` hold the scores of each leg by id. An empty leg did not answer and has no say. For
    `weighted_blend`, a leg that answered should have a score for every candidate of the other.
    """
    match how:
        case "rrf":
            scores = rrf(dense, sparse, k=rrf_k)
        case "weighted_blend":
            scores = weighted_blend(dense, sparse, alpha=alpha)
        case "dbsf":
            scores = dbsf(dense, sparse)
        case "dense_only":
            scores = dict(dense)
        case "sparse_only":
            scores = dict(sparse)
    return [Fused(found, scores[found]) for found in ranked(scores)]


def ranked(scores: Scores) -> list[str]:
    """Ids by falling score, equal ones by id."""
    # Sorting by score leaves equal ones in the order of before, from the highest score on as well.
    return sorted(sorted(scores), key=scores.__getitem__, reverse=True)


def rrf(dense: Scores, sparse: Scores, *, k: int) -> dict[str, float]:
    """Reciprocal rank fusion: the sum of 1 / (k + rank) over the legs (Cormack, Clarke and Büttcher 2009)."""
    parts: dict[str, list[float]] = {}
    for leg in (dense, sparse):
        for rank, found in enumerate(ranked(leg), 1):
            parts.setdefault(found, []).append(1 / (k + rank))
    return {found: math.fsum(terms) for found, terms in parts.items()}


def weighted_blend(dense: Scores, sparse: Scores, *, alpha: float) -> dict[str, float]:
    """`alpha` times the standard score of the dense leg plus the rest times that of the sparse leg.

    A standard score has mean 0 and deviation 1 over the candidates of both legs. A candidate whose point went
    away between two reads has no score in one leg; it counts with the lowest score of that leg.
    """
    union = sorted(dense.keys() | sparse.keys())
    first, second = _standard(dense, union), _standard(sparse, union)
    if not dense or not sparse:
        alpha = 1.0 if dense else 0.0
    blended = zip(union, first, second, strict=True)
    return {found: alpha * one + (1 - alpha) * other for found, one, other in blended}


def _standard(leg: Scores, union: list[str]) -> list[float]:
    """The standard score of each candidate of the union, in its order."""
    if not leg:
        return [0.0] * len(union)
    lowest = min(leg.values())
    values = [leg.get(found, lowest) for found in union]
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    # Equal scores differ from their mean by rounding alone. Dividing by that would make a difference of it.
    if deviation <= _ROUNDING * max(1.0, abs(mean)):
        return [0.0] * len(union)
    return [(value - mean) / deviation for value in values]


def dbsf(dense: Scores, sparse: Scores) -> dict[str, float]:
    """Distribution-based score fusion (Mazzeschi 2023): the sum of a candidate's shares in the two legs.

    In each leg, mean - 3 deviations is a share of 0 and mean + 3 deviations a share of 1. As Qdrant computes
    it: the deviation is that of a sample, shares are not clipped, each is 0.5 where all scores of a leg are
    equal, and a leg that did not return the candidate adds nothing.
    """
    parts: dict[str, list[float]] = {}
    for leg in (dense, sparse):
        for found, share in _within_three_deviations(leg).items():
            parts.setdefault(found, []).append(share)
    return {found: math.fsum(shares) for found, shares in parts.items()}


def _within_three_deviations(leg: Scores) -> dict[str, float]:
    if not leg:
        return {}
    mean = math.fsum(leg.values()) / len(leg)
    squares = math.fsum((value - mean) ** 2 for value in leg.values())
    deviation = math.sqrt(squares / (len(leg) - 1)) if len(leg) > 1 else 0.0
    if deviation <= _ROUNDING * max(1.0, abs(mean)):
        return dict.fromkeys(leg, 0.5)
    return {found: (value - mean + 3 * deviation) / (6 * deviation) for found, value in leg.items()}
