"""The vectors that the engine keeps of points, in the shape in which our adapter reads them."""

import base64
from collections.abc import Iterable

import numpy as np
import qdrant_edge as qe

from footnote_bridge.held_block import PointId

_DENSE, _SPARSE = "dense", "sparse"


def stored_vectors(engine: qe.EdgeShard, ids: Iterable[PointId]) -> dict[str, object]:
    """By id the dense vector in base64, and terms as numbers and weights, of the points that are there."""
    records = engine.retrieve(list(ids), False, [_DENSE, _SPARSE])
    return {str(record.id): _stored(record) for record in records}


def _stored(record: qe.Record) -> object:
    found = record.vector if isinstance(record.vector, dict) else {}
    dense, sparse = found.get(_DENSE), found.get(_SPARSE)
    numbers = np.asarray(dense if isinstance(dense, list) else [], "<f4")
    terms = sparse if isinstance(sparse, qe.SparseVector) else qe.SparseVector([], [])
    return {
        "dense": base64.b64encode(numbers.tobytes()).decode(),
        "indices": list(terms.indices),
        "values": list(terms.values),
    }
