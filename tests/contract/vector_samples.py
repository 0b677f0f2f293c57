"""Points for tests of the vector index, with valid defaults."""

import uuid
from datetime import UTC, datetime
from typing import Any as AnyValue

import numpy as np

from footnote_shared.kernel.vector_values import LaneFingerprint, SparseVector
from footnote_shared.vectors.filters import EVERYTHING, Any, Filter
from footnote_shared.vectors.protocol import Dense, HybridQuery, PointPayload, VectorPoint

DIMENSION = 8
FINGERPRINT = LaneFingerprint("test-model", "1", DIMENSION, "", "", True)
NOTHING: Filter = Any(())


def make_payload(**fields: AnyValue) -> PointPayload:
    given = {
        "workspace_id": "w1",
        "avatar_id": "a1",
        "document_id": "d1",
        "chunk_id": "c1",
        "text_hash": "0f",
        "folder_ids": ("f1",),
        "source_type": "upload",
        "kind": "prose",
        "document_type": "text",
        "ordinal": 0,
        "created_at": datetime(2026, 1, 2, 3, 4, 5, 678000, UTC),
        "version": 1,
        "text": "The quick brown fox",
        "title": "Foxes",
        "heading_path": ("Animals", "Foxes"),
        "page_start": 3,
        "char_start": 10,
        "char_end": 29,
        "source": "foxes.txt",
    }
    return PointPayload.model_validate(given | fields)


def make_point(
    dense: Dense | None = None,
    sparse: dict[int, float] | None = None,
    *,
    point_id: str = "",
    **fields: AnyValue,
) -> VectorPoint:
    terms = {1: 1.0} if sparse is None else sparse
    return VectorPoint(
        point_id or str(uuid.uuid4()),
        axis(0) if dense is None else dense,
        SparseVector(list(terms), list(terms.values())),
        make_payload(**fields),
    )


def axis(direction: int) -> Dense:
    vector = np.zeros(DIMENSION, np.float32)
    vector[direction] = 1.0
    return vector


def random_points(count: int, seed: int, **fields: AnyValue) -> list[VectorPoint]:
    """Points with vectors of their own and about ten of fifty terms."""
    rng = np.random.default_rng(seed)
    points = []
    for _ in range(count):
        terms = {
            int(term): round(float(rng.uniform(0.2, 2.0)), 3) for term in rng.choice(50, 10, replace=False)
        }
        dense = rng.standard_normal(DIMENSION).astype(np.float32)
        points.append(
            make_point(dense, terms, point_id=str(uuid.UUID(bytes=rng.bytes(16), version=4)), **fields)
        )
    return points


def everywhere(dense: int | None = 0, terms: dict[int, float] | None = None, limit: int = 10) -> HybridQuery:
    sparse = None if terms is None else SparseVector(list(terms), list(terms.values()))
    return HybridQuery(None if dense is None else axis(dense), sparse, limit, EVERYTHING)
