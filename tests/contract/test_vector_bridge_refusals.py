"""What the development vector server refuses, and in which words."""

import json

import httpx
import pytest
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.http.exceptions import UnexpectedResponse

from tests.contract.bridge_collections import make_collection

COLLECTION = {"vectors": {"dense": {"size": 2, "distance": "Cosine"}}}
HYBRID = {
    "dense": "AAAAAAAAgD8=",  # 0.0 and 1.0
    "sparse": None,
    "limit": 1,
    "filter": "{}",
    "corpus": None,
    "complete": True,
    "payload": None,
}
FEEDBACK = {
    "alpha": 0.5,
    "passages": 5,
    "once": "text_hash",
    "likeness": 0.35,
    "towards": 0.8,
    "terms": 10,
    "added": 0.2,
}


class TestRefusing:
    @pytest.fixture
    async def refusing(self, client: AsyncQdrantClient) -> str:
        return f"/collections/{await make_collection(client, 'refusing')}"

    @pytest.mark.parametrize(
        ("method", "path", "body"),
        [
            ("GET", "/collections/none", None),
            ("POST", "/collections/none/points/count", {}),
            ("POST", "/collections/none/points/query/batch", {"searches": [{"query": [0.0]}]}),
            ("PUT", "/collections/none/points", {"points": []}),
        ],
    )
    def test_an_unknown_collection_is_404_in_qdrants_words(
        self, http: httpx.Client, method: str, path: str, body: object
    ) -> None:
        answer = http.request(method, path, json=body)
        assert answer.status_code == 404
        assert answer.json()["status"] == {"error": "Not found: Collection `none` doesn't exist!"}

    @pytest.mark.parametrize(
        "condition",
        [
            {"musst": []},
            {"must": [{"key": "a"}]},
            {"must": [{"key": "a", "matches": {"value": 1}}]},
            {"must": [{"key": "a", "match": {"value": 1, "any": [1]}}]},
            {"must": [{"key": "a", "match": {"fuzzy": "x"}}]},
            {"must": [{"key": "a", "match": {"value": 1.5}}]},
            {"must": [{"key": "a", "range": {"ge": 1}}]},
            {"must": [{"key": "a", "range": {"gt": "noon"}}]},
            {"must": [{"key": "a", "range": {"gt": 1, "lt": "2026-01-10T00:00:00Z"}}]},
            {"must": [{"has_ids": []}]},
            {"must": [{"has_id": ["not-an-id"]}]},
            {"must": ["a"]},
            {"must": [{"slice": {"index": 0, "total": 2}}]},
            [],
            "all",
            # What Qdrant knows and our adapter never writes.
            {"must": [{"key": "a", "match": {"except": ["b"]}}]},
            {"must": [{"key": "a", "match": {"text": "b"}}]},
            {"must": [{"key": "a", "values_count": {"gte": 2}}]},
            {"must": [{"key": "a", "geo_radius": {"center": {"lon": 1, "lat": 2}, "radius": 3}}]},
            {
                "must": [
                    {
                        "key": "a",
                        "geo_bounding_box": {
                            "top_left": {"lon": 0, "lat": 70},
                            "bottom_right": {"lon": 20, "lat": 40},
                        },
                    }
                ]
            },
            {"must": [{"is_null": {"key": "a"}}]},
            {"must": [{"has_vector": "sparse"}]},
            {"must": [{"nested": {"key": "a", "filter": {"must": []}}}]},
            {"min_should": {"conditions": [], "min_count": 0}},
        ],
    )
    def test_a_filter_that_is_not_understood_is_refused_not_ignored(
        self, http: httpx.Client, refusing: str, condition: object
    ) -> None:
        search = {"query": [0.0, 1.0], "using": "dense", "filter": condition}
        corpus = {"query": [0.0, 1.0], "using": "dense", "params": {"idf": {"corpus": condition}}}
        for path, body in (
            ("points/delete", {"filter": condition}),
            ("points/count", {"filter": condition}),
            ("points/scroll", {"filter": condition}),
            ("points/query/batch", {"searches": [search]}),
            ("points/query/batch", {"searches": [corpus]}),
            ("points/query/batch", {"searches": [{**search, "filter": None, "prefetch": [search]}]}),
            ("points/payload", {"filter": condition, "payload": {"a": 1}}),
            ("points/hybrid", {**HYBRID, "filter": json.dumps(condition)}),
            ("points/hybrid", {**HYBRID, "corpus": json.dumps(condition)}),
        ):
            answer = http.post(f"{refusing}/{path}", json=body)
            assert answer.status_code == 400, path
            assert answer.json()["status"]["error"]

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("points", {"points": [{"id": "x", "vector": {}}]}),
            ("points", {"points": [{"id": 1, "vector": {"dense": [1.0]}}]}),
            ("points", {"points": [{"id": 1, "vector": {"dense": ["a", "b"]}}]}),
            ("points", {"points": [{"id": 1, "vector": {"sparse": {"indices": [1, 1], "values": [1, 1]}}}]}),
            ("points", {"points": [{"id": 1, "vector": {"sparse": {"indices": [1, 2], "values": [1]}}}]}),
            ("points", {"points": [{"id": 1, "vector": {"other": [1.0, 0.0]}}]}),
            ("points", {"points": [{"id": 1, "vector": {"dense": [1.0, 0.0]}, "payload": []}]}),
            ("points", {"points": [{"id": -1, "vector": {"dense": [1.0, 0.0]}}]}),
            ("points", {"points": [{"id": 2**64, "vector": {"dense": [1.0, 0.0]}}]}),
            ("points", {"dots": []}),
            ("points", []),
            ("index", {"field_name": "a", "field_schema": "colour"}),
            ("index", {"field_name": "a", "field_schema": {"type": "geo"}}),
        ],
    )
    def test_bodies_that_make_no_sense_are_400(
        self, http: httpx.Client, refusing: str, path: str, body: object
    ) -> None:
        answer = http.put(f"{refusing}/{path}", json=body)
        assert answer.status_code == 400
        assert "error" in answer.json()["status"]

    @pytest.mark.parametrize(
        "search",
        [
            {"query": {"fusion": "rrf"}, "prefetch": [{"query": [0.0, 1.0], "using": "dense"}]},
            {"prefetch": [{"query": [0.0, 1.0], "using": "dense"}]},
            {"query": 7, "using": "dense"},
            {"query": {"sample": "random"}},
            {"query": [0.0, 1.0], "using": "dense", "score_threshold": 0.2},
            {"query": [0.0, 1.0], "using": "dense", "offset": 2},
            {"query": [0.0, 1.0], "using": "dense", "limit": 0},
        ],
    )
    def test_a_search_of_another_kind_is_refused_with_its_place(
        self, http: httpx.Client, refusing: str, search: object
    ) -> None:
        answer = http.post(f"{refusing}/points/query/batch", json={"searches": [search]})
        assert answer.status_code == 400
        assert answer.json()["status"]["error"].startswith("Format error in JSON body: searches.0")

    def test_nothing_and_two_things_at_once_are_not_deleted(self, http: httpx.Client, refusing: str) -> None:
        for body in ({}, {"points": [1], "filter": {"must": []}}, {"points": None}):
            assert http.post(f"{refusing}/points/delete", json=body).status_code == 400

    @pytest.mark.parametrize(
        ("method", "path"),
        [("GET", "/telemetry"), ("POST", "/collections/refusing/facet"), ("PATCH", "/collections/refusing")],
    )
    def test_what_is_not_served_says_so(self, http: httpx.Client, method: str, path: str) -> None:
        answer = http.request(method, path)
        assert answer.status_code == 404
        assert answer.json()["status"] == {"error": f"Not found: {method} {path} is not served here"}

    def test_a_body_that_is_not_json_is_400(self, http: httpx.Client) -> None:
        assert http.put("/collections/x", content=b"{").status_code == 400
        assert http.put("/collections/x", content=b'{"vectors":' * 5_000).status_code == 400

    def test_a_body_that_is_too_large_is_413(self, http: httpx.Client, refusing: str) -> None:
        answer = http.put(f"{refusing}/points", content=b" " * (64 * 2**20 + 1))
        assert answer.status_code == 413
        assert "larger than allowed" in answer.json()["status"]["error"]

    def test_pages_in_a_browser_are_refused(self, http: httpx.Client) -> None:
        assert http.get("/aliases", headers={"Origin": "https://example.org"}).status_code == 403
        assert http.get("/aliases", headers={"Host": "example.org:80"}).status_code == 403
        assert http.get("/aliases").status_code == 200

    @pytest.mark.parametrize("name", ["a%3Ab", "a%2A", "x" * 256])
    def test_a_name_that_a_folder_cannot_have_is_refused(self, http: httpx.Client, name: str) -> None:
        answer = http.put(f"/collections/{name}", json=COLLECTION)
        assert answer.status_code == 400
        assert "cannot name a collection" in answer.json()["status"]["error"]

    def test_the_longest_name_of_a_folder_is_served(self, http: httpx.Client) -> None:
        assert http.put(f"/collections/{'x' * 255}", json=COLLECTION).status_code == 200

    @pytest.mark.parametrize(
        "change",
        [
            {"dense": "not base64!"},
            {"dense": "AAAA"},
            {"dense": "AAAAAA=="},
            {"filter": "{"},
            {"limit": 0},
            {"sparse": {"indices": [1], "values": []}},
            {"exact": True},
            {"feedback": {"alpha": 0.5}},
            {"feedback": {**FEEDBACK, "alpha": 2.0}},
            {"feedback": {**FEEDBACK, "added": 1.0}},
            {"feedback": {**FEEDBACK, "likeness": 0.0}},
        ],
    )
    def test_a_whole_search_that_makes_no_sense_is_400(
        self, http: httpx.Client, refusing: str, change: dict[str, object]
    ) -> None:
        for fine in (HYBRID, {**HYBRID, "feedback": FEEDBACK}):
            assert http.post(f"{refusing}/points/hybrid", json=fine).status_code == 200
        assert http.post(f"{refusing}/points/hybrid", json={**HYBRID, **change}).status_code == 400

    async def test_a_second_collection_of_the_same_name_is_409(self, client: AsyncQdrantClient) -> None:
        await make_collection(client, "twice")
        with pytest.raises(UnexpectedResponse) as refused:
            await client.create_collection(
                "twice", vectors_config={"d": models.VectorParams(size=2, distance=models.Distance.COSINE)}
            )
        assert refused.value.status_code == 409
