"""How the results of two versions differ: shares, moved places, and nDCG by judgements. Pure."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

DEPTH = 10
"""Results of a query that are compared."""

_RRF_K = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009)."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Of one query: the share of the former results that are kept, whether the first one is the same, and the
    mean number of places by which those in both have moved. None where there is nothing to compare."""

    overlap: float
    first_kept: bool
    rank_change: float | None


def fused(legs: Sequence[Sequence[str]]) -> list[str]:
    """The best results of several rankings together, by their reciprocal ranks; ties are sorted by id."""
    scores: dict[str, float] = {}
    for leg in legs:
        for rank, found in enumerate(leg, 1):
            scores[found] = scores.get(found, 0.0) + 1 / (_RRF_K + rank)
    return sorted(scores, key=lambda found: (-scores[found], found))[:DEPTH]


def difference(former: Sequence[str], following: Sequence[str]) -> Difference | None:
    """How the results of a query differ. None if there were none before."""
    before, after = former[:DEPTH], following[:DEPTH]
    if not before:
        return None
    places = {found: place for place, found in enumerate(after)}
    moved = [abs(place - places[found]) for place, found in enumerate(before) if found in places]
    return Difference(
        overlap=len(moved) / len(before),
        first_kept=bool(after) and after[0] == before[0],
        rank_change=sum(moved) / len(moved) if moved else None,
    )


def ndcg(documents: Sequence[str], relevant: Collection[str]) -> float:
    """nDCG@10 with judgements of yes and no (Järvelin and Kekäläinen, 2002). A document counts once."""
    wanted = set(relevant)
    ranking = list(dict.fromkeys(documents))[:DEPTH]
    gained = sum(1 / math.log2(place + 2) for place, found in enumerate(ranking) if found in wanted)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(len(wanted), DEPTH)))
    return gained / ideal if ideal else 0.0


def mean(values: Sequence[float]) -> float | None:
    """None if there are no values."""
    return sum(values) / len(values) if values else None


def documents_of(points: Sequence[str], owners: Mapping[str, str]) -> list[str]:
    """The documents of these points, each once, in their order."""
    return list(dict.fromkeys(owners[point] for point in points))
