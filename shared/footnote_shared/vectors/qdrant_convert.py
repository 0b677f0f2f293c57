"""Translation from our own vocabulary to Qdrant's and back."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any as Anything

import numpy as np
from qdrant_client import models

from footnote_shared.kernel.vector_values import SparseVector
from footnote_shared.vectors.filters import (
    All,
    Any,
    Filter,
    HasId,
    IsEmpty,
    Match,
    MatchAny,
    Not,
    Range,
)
from footnote_shared.vectors.payloads import stored
from footnote_shared.vectors.protocol import Dense, Hit, PointVectors, VectorPoint
from footnote_shared.vectors.schema import DENSE, SPARSE

_ID, _SCORE = attrgetter("id"), attrgetter("score")


def to_filter(condition: Filter) -> models.Filter:
    """The condition as a whole filter."""
    match condition:
        case All(parts):
            return models.Filter(must=[to_condition(part) for part in parts])
        case Any(parts):
            # An empty `should` restricts nothing in Qdrant. For us, no alternative means no match.
            return models.Filter(
                should=[to_condition(part) for part in parts] or [models.HasIdCondition(has_id=[])]
            )
        case Not(part):
            return models.Filter(must_not=[to_condition(part)])
        case _:
            return models.Filter(must=[to_condition(condition)])


def to_condition(condition: Filter) -> models.Condition:
    match condition:
        case Match(field, value):
            return models.FieldCondition(key=field, match=models.MatchValue(value=value))
        case MatchAny(field, values):
            return models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))
        case Range():
            return models.FieldCondition(key=condition.field, range=_to_range(condition))
        case HasId(ids):
            return models.HasIdCondition(has_id=sorted(ids))
        case IsEmpty(field):
            return models.IsEmptyCondition(is_empty=models.PayloadField(key=field))
        case All() | Any() | Not():
            return to_filter(condition)


def _to_range(bounds: Range) -> models.Range | models.DatetimeRange:
    given = {"gte": bounds.gte, "gt": bounds.gt, "lte": bounds.lte, "lt": bounds.lt}
    if any(isinstance(bound, int | float) for bound in given.values()):
        return models.Range.model_validate(given)
    return models.DatetimeRange.model_validate(given)


def to_point(point: VectorPoint) -> dict[str, object]:
    """The point as JSON has it. To make and to write models of it takes three times as long."""
    vector: dict[str, object] = {DENSE: to_dense(point.dense)}
    if point.sparse:
        vector[SPARSE] = {"indices": point.sparse.indices, "values": point.sparse.values}
    return {"id": point.id, "vector": vector, "payload": stored(point.payload)}


def to_dense(vector: Dense) -> list[float]:
    """The numbers with nine digits: half as long in JSON, yet finer than single precision at length 1."""
    rounded: list[float] = np.round(vector.astype(np.float64), 9).tolist()
    return rounded


def to_sparse(vector: SparseVector) -> models.SparseVector:
    return models.SparseVector(indices=vector.indices, values=vector.values)


def from_vectors(vector: object) -> PointVectors:
    """The stored vectors of a record that was read with both of them."""
    named = vector if isinstance(vector, dict) else {}
    dense, sparse = named.get(DENSE), named.get(SPARSE)
    return PointVectors(
        np.asarray(dense if isinstance(dense, list) else [], np.float32),
        SparseVector(sparse.indices, sparse.values)
        if isinstance(sparse, models.SparseVector)
        else SparseVector([], []),
    )


def from_points(points: list[models.ScoredPoint]) -> list[Hit]:
    """Hits, best first; equal scores are sorted by id."""
    return best_first([Hit(str(point.id), point.score, point.payload or {}) for point in points])


def from_scores(scores: Mapping[str, float], stored: Mapping[str, Mapping[str, Anything]]) -> list[Hit]:
    """The same from scores, and what is stored of each point.

    A point of which that is not known was removed in the meantime, and is left out.
    """
    return best_first(
        [Hit(point_id, score, stored[point_id]) for point_id, score in scores.items() if point_id in stored]
    )


def best_first(hits: list[Hit]) -> list[Hit]:
    """Hits by falling score; equal scores are sorted by id."""
    # Sorting by score leaves equal ones in the order of before, from the highest score on as well.
    return sorted(sorted(hits, key=_ID), key=_SCORE, reverse=True)
