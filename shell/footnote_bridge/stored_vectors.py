"""The vectors that the engine keeps of points, and the shape in which our adapter reads them."""

import base64
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import qdrant_edge as qe

from footnote_bridge.held_block import Floats, PointId
from footnote_bridge.query_parts import DENSE, SPARSE


class StoredVectors(NamedTuple):
    """The dense vector of a point, with length 1, and its terms as numbers and weights."""

    dense: Floats
    terms: Sequence[int]
    weights: Sequence[float]


def stored_vectors(
    engine: qe.EdgeShard, ids: Iterable[PointId], dense: Mapping[PointId, Floats] | None = None
) -> dict[PointId, StoredVectors]:
    """Of the points that are there. `dense` has their dense vectors where those are known already."""
    records = engine.retrieve(list(ids), False, [DENSE, SPARSE] if dense is None else [SPARSE])
    return {record.id: _stored(record, dense) for record in records}


def in_json(stored: StoredVectors) -> object:
    """As our adapter reads them: the dense vector in base64, terms as numbers and weights."""
    return {
        "dense": base64.b64encode(stored.dense.astype("<f4").tobytes()).decode(),
        "indices": list(stored.terms),
        "values": list(stored.weights),
    }


def _stored(record: qe.Record, known: Mapping[PointId, Floats] | None) -> StoredVectors:
    found = record.vector if isinstance(record.vector, dict) else {}
    dense, sparse = found.get(DENSE), found.get(SPARSE)
    terms = sparse if isinstance(sparse, qe.SparseVector) else qe.SparseVector([], [])
    numbers: Floats = (
        np.asarray(dense if isinstance(dense, list) else [], np.float32)
        if known is None
        else known[record.id]
    )
    return StoredVectors(numbers, terms.indices, terms.values)
