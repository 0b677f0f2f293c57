"""How the best points that a search has found move its query. Pure.

The vector moves towards theirs (Rocchio 1971), and their most frequent terms are asked for too, as RM3 does
(Abdul-Jaleel et al. 2004, "UMass at TREC 2004: Novelty and HARD"). How far, is said by whoever asks.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Annotated, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from footnote_bridge.bodies import Body, SparseVectorBody
from footnote_bridge.held_block import Floats
from footnote_bridge.stored_vectors import StoredVectors

Key = TypeVar("Key", bound=Hashable)

_ROUNDING = 1e-12
"""Scores whose deviation is no larger share of their mean than this are equal."""


class FeedbackBody(Body):
    """How far a query is moved.

    The best points are the `passages` of the highest blend of both legs' standard scores, of which the dense
    leg has the share `alpha`; of those whose payloads have one value of the member `once`, the first. One
    counts e times less for each `likeness` that it is behind the best. The vector moves by `towards` times
    their mean. At most `terms` terms are added, with the share `added` in the weight of all.
    """

    alpha: Annotated[float, Field(ge=0, le=1)]
    passages: PositiveInt
    once: str
    likeness: PositiveFloat
    towards: NonNegativeFloat
    terms: NonNegativeInt
    added: Annotated[float, Field(ge=0, lt=1)]


def blended(
    cosines: Mapping[Key, float],
    weights: Mapping[Key, float],
    alpha: float,
    id_of: Callable[[Key], object] = lambda key: key,
) -> dict[Key, float]:
    """The blend of the standard scores of the points that both legs score, best first, equal ones by id."""
    keys = [key for key in cosines if key in weights]
    if not keys:
        return {}
    first, second = (_standard([leg[key] for key in keys]) for leg in (cosines, weights))
    blend: list[float] = (alpha * first + (1 - alpha) * second).tolist()
    pairs = list(zip(keys, blend, strict=True))
    if len(set(blend)) < len(blend):
        # To write the ids takes longer than the rest. Few searches have points with equal scores.
        pairs.sort(key=lambda pair: str(id_of(pair[0])))
    pairs.sort(key=lambda pair: -pair[1])
    return dict(pairs)


def first_of(blend: Iterable[Key], body: FeedbackBody, text_of: Callable[[Key], object]) -> list[Key]:
    """The best points, each text once."""
    best: dict[object, Key] = {}
    for key in blend:
        if len(best) == body.passages:
            break
        best.setdefault(text_of(key), key)
    return list(best.values())


def trust_in(scores: Sequence[float], likeness: float) -> list[float]:
    """How much each passage counts, by its score in the blend; together 1."""
    best = max(scores)
    parts = [math.exp((score - best) / likeness) for score in scores]
    whole = math.fsum(parts)
    return [part / whole for part in parts]


def moved_vector(
    query: Floats, passages: Sequence[StoredVectors], trust: Sequence[float], towards: float
) -> Floats:
    """The query's vector moved towards the mean of the passages', with length 1."""
    mean = np.average([_unit(passage.dense) for passage in passages], axis=0, weights=trust)
    return _unit((_unit(query) + towards * mean).astype(np.float32))


def added_terms(
    query: SparseVectorBody, passages: Sequence[StoredVectors], trust: Sequence[float], body: FeedbackBody
) -> tuple[list[int], list[float]]:
    """The most frequent terms of the passages, and what each adds to the weights of the query.

    Each passage counts alike, whatever its length. Terms of the query that no passage has count for nothing
    here: a query has terms for the stems of many languages.
    """
    if not body.added:
        return [], []
    found: dict[int, float] = defaultdict(float)
    for passage, counts in zip(passages, trust, strict=True):
        whole = math.fsum(passage.weights) or 1.0
        for term, weight in zip(passage.terms, passage.weights, strict=True):
            found[term] += counts * weight / whole
    best = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[: body.terms]
    shared = math.fsum(
        value for term, value in zip(query.indices, query.values, strict=True) if term in found
    )
    if not best or not shared:
        return [], []
    scale = body.added / (1 - body.added) * shared / math.fsum(weight for _, weight in best)
    return [term for term, _ in best], [scale * weight for _, weight in best]


def _standard(scores: Sequence[float]) -> npt.NDArray[np.float64]:
    given = np.asarray(scores, np.float64)
    mean, deviation = float(given.mean()), float(given.std())
    # Equal scores differ from their mean by rounding alone. Dividing by that would make a difference of it.
    if deviation <= _ROUNDING * max(1.0, abs(mean)):
        return np.zeros(len(given))
    return (given - mean) / deviation


def _unit(vector: Floats) -> Floats:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
