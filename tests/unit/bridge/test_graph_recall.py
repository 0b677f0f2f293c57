"""What a search by the graph finds of what an exact one finds, on vectors that lie as those of texts do."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import qdrant_edge as qe

from footnote_bridge.bodies import CreateCollectionBody
from footnote_bridge.collections import Collections

DIMENSION = 384
POINTS = 4_000
"""More than are scanned: below some 3,300 points of this dimension no graph is built."""

CLUSTERS = 80
QUERIES = 100
FOUND = 10
NAME = "lane"
Vectors = npt.NDArray[np.float32]


def of_texts(count: int, seed: int) -> Vectors:
    """Vectors in clusters, as texts are about something, and all of them on one side of the space."""
    chance = np.random.default_rng(7)
    centres = 0.6 * chance.standard_normal(DIMENSION) + chance.standard_normal((CLUSTERS, DIMENSION))
    own = np.random.default_rng(seed)
    found = centres[own.integers(CLUSTERS, size=count)] + own.standard_normal((count, DIMENSION))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


def with_a_graph(folder: Path) -> Collections:
    collections = Collections.load(folder)
    layout = {"vectors": {"dense": {"size": DIMENSION, "distance": "Cosine"}}}
    collections.create(NAME, CreateCollectionBody.model_validate(layout))
    shard = collections.shards[NAME]
    tenants = qe.KeywordIndexParams(is_tenant=True)
    shard.apply(qe.UpdateOperation.create_field_index("workspace_id", tenants), touched=1)
    points = [
        qe.Point(number, {"dense": vector.tolist()}, {"workspace_id": "w"})
        for number, vector in enumerate(of_texts(POINTS, seed=1))
    ]
    shard.apply(qe.UpdateOperation.upsert_points(points), touched=len(points))
    collections.rebuild(NAME)
    return collections


def test_the_graph_finds_99_of_100_of_the_nearest(tmp_path: Path) -> None:
    collections = with_a_graph(tmp_path)
    engine = collections.shards[NAME].engine
    assert engine.info().indexed_vectors_count >= POINTS, "no graph was built"

    def nearest(vector: list[float], params: qe.SearchParams | None) -> set[object]:
        request = qe.QueryRequest(
            limit=FOUND,
            query=qe.Query.Nearest(vector, using="dense"),
            filter=qe.Filter(must=[qe.FieldCondition("workspace_id", match=qe.MatchValue("w"))]),
            params=params,
        )
        return {point.id for point in engine.query(request)}

    queries = [vector.tolist() for vector in of_texts(QUERIES, seed=2)]
    exact = [nearest(query, qe.SearchParams(exact=True)) for query in queries]

    def recall(params: qe.SearchParams | None) -> float:
        shared = sum(len(nearest(query, params) & best) for query, best in zip(queries, exact, strict=True))
        return shared / (QUERIES * FOUND)

    found, hurried = recall(None), recall(qe.SearchParams(hnsw_ef=FOUND))
    collections.close()
    assert found >= 0.99
    assert hurried < 1, "the graph was not asked: an exact search would find all"
