"""Translation from our own vocabulary to Qdrant's JSON and back."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any as AnyJson

import numpy as np

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
from footnote_shared.vectors.payloads import read, stored
from footnote_shared.vectors.protocol import Dense, Hit, PointPayload, PointVectors, VectorPoint
from footnote_shared.vectors.qdrant_rest import Json
from footnote_shared.vectors.schema import DENSE, SPARSE


def to_filter(condition: Filter) -> Json:
    """The condition as a whole filter."""
    match condition:
        case All(parts):
            return {"must": [to_condition(part) for part in parts]}
        case Any(parts):
            # An empty `should` restricts nothing in Qdrant. For us, no alternative means no match.
            return {"should": [to_condition(part) for part in parts] or [{"has_id": []}]}
        case Not(part):
            return {"must_not": [to_condition(part)]}
        case _:
            return {"must": [to_condition(condition)]}


def to_condition(condition: Filter) -> Json:
    match condition:
        case Match(field, value):
            return {"key": field, "match": {"value": value}}
        case MatchAny(field, values):
            return {"key": field, "match": {"any": list(values)}}
        case Range():
            return {"key": condition.field, "range": _to_range(condition)}
        case HasId(ids):
            return {"has_id": sorted(ids)}
        case IsEmpty(field):
            return {"is_empty": {"key": field}}
        case All() | Any() | Not():
            return to_filter(condition)


def _to_range(bounds: Range) -> Json:
    given = {"gte": bounds.gte, "gt": bounds.gt, "lte": bounds.lte, "lt": bounds.lt}
    return {
        name: bound.astimezone(UTC).isoformat() if isinstance(bound, datetime) else bound
        for name, bound in given.items()
        if bound is not None
    }


def to_point(point: VectorPoint) -> Json:
    vector: Json = {DENSE: to_dense(point.dense)}
    if point.sparse:
        vector[SPARSE] = to_sparse(point.sparse)
    return {"id": point.id, "vector": vector, "payload": stored(point.payload)}


def to_dense(vector: Dense) -> Dense:
    """The numbers as the encoder writes them: each as short as it can be in single precision."""
    return np.ascontiguousarray(vector, np.float32)


def to_sparse(vector: SparseVector) -> Json:
    return {"indices": vector.indices, "values": vector.values}


def from_vectors(vector: Mapping[str, AnyJson]) -> PointVectors:
    """The stored vectors of a record that was read with both of them."""
    dense, sparse = vector.get(DENSE, []), vector.get(SPARSE)
    return PointVectors(
        np.asarray(dense, np.float32),
        SparseVector([], []) if sparse is None else SparseVector(sparse["indices"], sparse["values"]),
    )


def from_points(points: list[Json], decoded: dict[str, PointPayload]) -> list[Hit]:
    """Hits, best first; equal scores are sorted by id.

    `decoded` keeps payloads, so that each is read only once.
    """
    hits = []
    for point in points:
        point_id = str(point["id"])
        if point_id not in decoded:
            decoded[point_id] = read(point_id, point.get("payload"))
        hits.append(Hit(point_id, point["score"], decoded[point_id]))
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))


def from_scores(scores: Mapping[str, float], payloads: Mapping[str, PointPayload]) -> list[Hit]:
    """The same from scores alone.

    A point without a known payload was removed in the meantime and is left out.
    """
    hits = [
        Hit(point_id, score, payloads[point_id]) for point_id, score in scores.items() if point_id in payloads
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))
