"""Feedback from the best passages of a first look, without a model: what they share is asked for too.

In the dense leg the query moves towards their mean (Rocchio 1971). In the terms it gets their most frequent
ones, as RM3 does (Abdul-Jaleel et al. 2004, "UMass at TREC 2004: Novelty and HARD"). Pure.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from footnote_shared.kernel.vector_values import SparseVector
from footnote_shared.vectors.protocol import Dense

PASSAGES = 5
"""Passages that feedback is taken from."""

LIKENESS = 0.35
"""How far in standard scores a passage has to be behind the best one to count e times less."""

TERMS = 10
"""Terms that RM3 adds at most."""

ROCCHIO = 0.4
"""The weight of the passages' mean beside the query's vector."""

RM3 = 0.3
"""The share of the added terms in the weight of all."""


def trust_in(scores: Sequence[float]) -> list[float]:
    """How much each passage counts, by its score in the blend; together 1.

    One that stands out counts nearly alone, so that it cannot be led away by what came behind it. RM3 weighs
    its passages by the likelihood of the query in the same way.
    """
    if not scores:
        return []
    best = max(scores)
    parts = [math.exp((score - best) / LIKENESS) for score in scores]
    whole = math.fsum(parts)
    return [part / whole for part in parts]


def rocchio(
    query: Dense, passages: Sequence[Dense], weight: float = ROCCHIO, trust: Sequence[float] | None = None
) -> Dense:
    """The query's vector moved towards the mean of the passages', with length 1.

    `trust` weighs the passages; without it each counts alike.
    """
    if not passages:
        return query
    mean = np.average([_unit(passage) for passage in passages], axis=0, weights=trust)
    return _unit((_unit(query) + weight * mean).astype(np.float32))


def rm3(
    query: SparseVector,
    passages: Sequence[SparseVector],
    share: float = RM3,
    most: int = TERMS,
    trust: Sequence[float] | None = None,
) -> SparseVector:
    """The query's terms and the `most` frequent of the passages, which have `share` of the weight together.

    `trust` weighs the passages; without it each counts alike, whatever its length. Terms of the query that no
    passage has count for nothing here: a query has terms for the stems of many languages.
    """
    found: dict[int, float] = defaultdict(float)
    for passage, counts in zip(passages, trust or [1.0] * len(passages), strict=True):
        whole = math.fsum(passage.values) or 1.0
        for term, value in zip(passage.indices, passage.values, strict=True):
            found[term] += counts * value / whole
    best = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:most]
    weights = dict(zip(query.indices, query.values, strict=True))
    shared = math.fsum(value for term, value in weights.items() if term in found)
    if not best or not shared:
        return query
    scale = share / (1 - share) * shared / math.fsum(value for _, value in best)
    for term, value in best:
        weights[term] = weights.get(term, 0.0) + scale * value
    return SparseVector(list(weights), list(weights.values()))


def with_terms(query: SparseVector, others: Sequence[SparseVector]) -> SparseVector:
    """The query's terms, and those of other wordings by the share of the wordings that have them, halved."""
    weights = dict(zip(query.indices, query.values, strict=True))
    counts = Counter(term for other in others for term in set(other.indices) if term not in weights)
    weights.update({term: 0.5 * count / len(others) for term, count in counts.items()})
    return SparseVector(list(weights), list(weights.values()))


def _unit(vector: Dense) -> Dense:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
