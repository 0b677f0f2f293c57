"""What a search by the graph finds of what an exact one finds, on vectors that lie as those of texts do."""

import base64
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import qdrant_edge as qe

from footnote_bridge import query_parts
from footnote_bridge.bodies import CreateCollectionBody
from footnote_bridge.collections import Collections
from footnote_bridge.hybrid import HybridBody, hybrid_in_engine
from footnote_shared.kernel.vector_values import LaneFingerprint
from footnote_shared.settings.stores import Quantisation
from footnote_shared.vectors.filters import EVERYTHING
from footnote_shared.vectors.protocol import HybridQuery
from footnote_shared.vectors.qdrant_requests import search_requests
from footnote_shared.vectors.schema import DENSE, dense_config

DIMENSION = 384
POINTS = 4_000
"""More than are scanned: below some 3,300 points of this dimension no graph is built."""

CLUSTERS = 80
QUERIES = 100
FOUND = 10
NAME = "lane"
Vectors = npt.NDArray[np.float32]

HARD_POINTS = 10_500

SCOPES = 3
"""A third of the hard points is more than is scanned, too."""


def of_texts(count: int, seed: int) -> Vectors:
    """Vectors in clusters, as texts are about something, and all of them on one side of the space."""
    chance = np.random.default_rng(7)
    centres = 0.6 * chance.standard_normal(DIMENSION) + chance.standard_normal((CLUSTERS, DIMENSION))
    own = np.random.default_rng(seed)
    found = centres[own.integers(CLUSTERS, size=count)] + own.standard_normal((count, DIMENSION))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


def hard(count: int, seed: int) -> Vectors:
    """Vectors without clusters: hardly one is much nearer than many others.

    Those of texts lie in fewer dimensions than these, and each one more makes graphs miss more.
    """
    found = np.random.default_rng(seed).standard_normal((count, DIMENSION))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


def with_a_graph(folder: Path, quantisation: Quantisation, vectors: Vectors) -> Collections:
    collections = Collections.load(folder)
    fingerprint = LaneFingerprint("model", "1", DIMENSION, "", "", True)
    layout = {
        name: params.model_dump(exclude_none=True, mode="json")
        for name, params in dense_config(fingerprint, quantisation).items()
    }
    collections.create(NAME, CreateCollectionBody.model_validate_json(json.dumps({"vectors": layout})))
    shard = collections.shards[NAME]
    tenants = qe.KeywordIndexParams(is_tenant=True)
    shard.apply(qe.UpdateOperation.create_field_index("workspace_id", tenants), touched=1)
    documents = qe.KeywordIndexParams(enable_hnsw=False)
    shard.apply(qe.UpdateOperation.create_field_index("document_id", documents), touched=1)
    points = [
        qe.Point(
            number,
            {"dense": vector.tolist()},
            {"workspace_id": "w", "document_id": f"document {number % SCOPES}"},
        )
        for number, vector in enumerate(vectors)
    ]
    shard.apply(qe.UpdateOperation.upsert_points(points), touched=len(points))
    collections.rebuild(NAME)
    return collections


def hybrid_search(collections: Collections, query: list[float], named: str) -> list[tuple[int, float]]:
    body = HybridBody(
        dense=base64.b64encode(np.asarray(query, "<f4").tobytes()).decode(),
        sparse=None,
        limit=FOUND,
        filter=named,
        corpus=None,
        complete=True,
        payload=[],
    )
    answer = hybrid_in_engine(collections, NAME, body)
    assert isinstance(answer, dict)
    return list(zip(answer["ids"], answer["dense"], strict=True))


def recall_of(found: Callable[[list[float]], set[int]], best: Callable[[list[float]], set[int]]) -> float:
    queries = [vector.tolist() for vector in hard(QUERIES, seed=2)]
    return sum(len(found(query) & best(query)) for query in queries) / (QUERIES * FOUND)


def test_what_lies_near_many_others_is_found_within_a_scope_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a million points are looked through as narrowly, for their number, as these with a quarter."""
    vectors = hard(HARD_POINTS, seed=1)
    collections = with_a_graph(tmp_path, "none", vectors)
    workspace = '{"key": "workspace_id", "match": {"value": "w"}}'
    document = '{"key": "document_id", "match": {"any": ["document 1"]}}'

    def recall(conditions: str, rows: npt.NDArray[np.int64]) -> float:
        def found(query: list[float]) -> set[int]:
            named = f'{{"must": [{conditions}]}}'
            return {point for point, _ in hybrid_search(collections, query, named)}

        def best(query: list[float]) -> set[int]:
            scores = vectors[rows] @ np.asarray(query, np.float32)
            return set(rows[np.argpartition(-scores, FOUND)[:FOUND]].tolist())

        return recall_of(found, best)

    everything = np.arange(HARD_POINTS)
    of_all = recall(workspace, everything)
    monkeypatch.setattr(query_parts, "_GRAPH_BREADTH", 512)
    of_one = recall(f"{workspace}, {document}", everything[1::SCOPES])
    collections.close()
    assert of_all >= 0.999
    assert of_one >= 0.99


def test_a_search_by_the_bridge_is_as_wide_as_one_by_a_server() -> None:
    asked = search_requests(HybridQuery(np.ones(DIMENSION, np.float32), None, FOUND, EVERYTHING))[DENSE]
    by_server, by_bridge = asked.params, query_parts.as_near_as_asked()
    assert by_server is not None
    assert by_server.quantization is not None
    assert by_bridge.quantization is not None
    assert by_bridge.hnsw_ef == by_server.hnsw_ef
    assert by_bridge.quantization.oversampling == by_server.quantization.oversampling


@pytest.mark.parametrize("quantisation", ["none", "scalar"])
def test_the_graph_finds_99_of_100_of_the_nearest(tmp_path: Path, quantisation: Quantisation) -> None:
    collections = with_a_graph(tmp_path, quantisation, of_texts(POINTS, seed=1))
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

    named = '{"must": [{"key": "workspace_id", "match": {"value": "w"}}]}'
    hits = [hybrid_search(collections, query, named) for query in queries]
    shared = sum(len({point for point, _ in own} & best) for own, best in zip(hits, exact, strict=True))
    bare, hurried = recall(None), recall(qe.SearchParams(hnsw_ef=FOUND))
    stored = of_texts(POINTS, seed=1)
    collections.close()
    assert shared / (QUERIES * FOUND) >= 0.99
    assert hurried < 1, "the graph was not asked: an exact search would find all"
    assert (bare >= 0.99) is (quantisation == "none"), "whether vectors are quantised"
    for query, own in zip(queries, hits, strict=True):
        for point, score in own:
            assert score == pytest.approx(float(stored[point] @ np.asarray(query)), abs=1e-4)
