"""The development vector server: what it refuses, what it survives, and that it answers as Qdrant does."""

import asyncio
import itertools
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.http.exceptions import UnexpectedResponse

from footnote_bridge.__main__ import is_loopback
from footnote_shared.kernel.errors import Misconfigured, Unavailable
from footnote_shared.vectors.filters import All, Match
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_testing.bridge_process import BridgeProcess, start_bridge
from tests.contract.vector_samples import FINGERPRINT, random_points

LANE = "test"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BridgeProcess]:
    started = start_bridge(tmp_path_factory.mktemp("vectors"))
    yield started
    started.stop()


@pytest.fixture
def http(server: BridgeProcess) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, headers={"api-key": server.key}, trust_env=False) as client:
        yield client


@pytest.fixture
async def client(server: BridgeProcess) -> AsyncIterator[AsyncQdrantClient]:
    made = AsyncQdrantClient(url=server.url, headers={"api-key": server.key}, check_compatibility=False)
    yield made
    await made.close()


def run_server(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "footnote_bridge", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)


async def stored_ids(server: BridgeProcess) -> set[str]:
    index = QdrantVectorIndex(server.url, api_key=server.key)
    found = {ref.id async for ref in index.ids_of(LANE)}
    await index.close()
    return found


class TestStarting:
    def test_it_says_that_it_is_a_development_server(self, server: BridgeProcess) -> None:
        assert "development vector server" in server.log.read_text()

    @pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.1", "example.org", ""])
    def test_addresses_that_others_can_reach_are_refused(self, tmp_path: Path, host: str) -> None:
        refused = run_server("--data", str(tmp_path), "--port", "0", "--host", host)
        assert refused.returncode == 2
        assert "loopback only" in refused.stderr

    @pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
    def test_loopback_addresses_are_served(self, host: str) -> None:
        assert is_loopback(host)

    def test_two_never_share_a_folder(self, server: BridgeProcess) -> None:
        refused = run_server("--data", str(server.log.parent), "--port", "0")
        assert refused.returncode == 1
        assert f"in use by another vector server (process {server.process.pid})" in refused.stderr
        assert httpx.get(server.url, trust_env=False).status_code == 200

    def test_a_port_in_use_is_named(self, server: BridgeProcess, tmp_path: Path) -> None:
        refused = run_server("--data", str(tmp_path), "--port", server.url.rpartition(":")[2])
        assert refused.returncode == 2
        assert "cannot listen" in refused.stderr

    def test_a_folder_that_cannot_be_read_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "registry.json").write_text("{")
        refused = run_server("--data", str(tmp_path), "--port", "0")
        assert refused.returncode == 1
        assert f"The collections in {tmp_path} cannot be read" in refused.stderr


class TestItsKey:
    """Every user of a machine reaches its loopback ports."""

    @pytest.mark.parametrize("headers", [{}, {"api-key": ""}, {"api-key": "guessed"}, {"api-key": "é"}])
    def test_without_it_nothing_is_answered(self, server: BridgeProcess, headers: dict[str, str]) -> None:
        for method, path in (("GET", "/aliases"), ("GET", "/collections/a"), ("PUT", "/collections/a")):
            sent = [(name.encode(), value.encode()) for name, value in headers.items()]
            answer = httpx.request(method, f"{server.url}{path}", headers=sent, json={}, trust_env=False)
            assert answer.status_code == 401, answer.text

    async def test_the_operator_is_told_who_must_act(self, server: BridgeProcess) -> None:
        index = QdrantVectorIndex(server.url, api_key="an old one")
        with pytest.raises(Misconfigured, match="FOOTNOTE_QDRANT_API_KEY"):
            await index.count(LANE)
        await index.close()

    def test_it_is_random_stays_over_a_restart_and_is_its_owner_s(self, tmp_path: Path) -> None:
        first = start_bridge(tmp_path / "one")
        other = start_bridge(tmp_path / "two")
        first.stop()
        other.stop()
        assert first.key != other.key
        assert len(first.key) >= 32
        assert (tmp_path / "one" / "api_key").stat().st_mode & 0o777 == 0o600
        again = start_bridge(tmp_path / "one")
        assert again.key == first.key
        again.stop()


class TestSurviving:
    async def test_a_restart_finds_everything(self, tmp_path: Path) -> None:
        server = start_bridge(tmp_path)
        index = QdrantVectorIndex(server.url, api_key=server.key)
        await index.open_lane(LANE, FINGERPRINT)
        points = random_points(300, seed=1)
        await index.upsert(LANE, points)
        await index.close()
        assert server.stop() == 0

        server = start_bridge(tmp_path)
        index = QdrantVectorIndex(server.url, api_key=server.key)
        await index.open_lane(LANE, FINGERPRINT)
        assert await stored_ids(server) == {point.id for point in points}
        vectors = await index.vectors(LANE, [points[7].id])
        unit = points[7].dense / np.linalg.norm(points[7].dense)
        assert vectors[points[7].id].dense == pytest.approx(unit, abs=1e-5)
        await index.close()
        server.stop()

    async def test_kill_9_amid_upserts_loses_no_acknowledged_point(self, tmp_path: Path) -> None:
        acknowledged: set[str] = set()
        for attempt in range(3):
            server = start_bridge(tmp_path)
            index = QdrantVectorIndex(server.url, api_key=server.key)
            await index.open_lane(LANE, FINGERPRINT)
            enough, some = len(acknowledged) + 200, asyncio.Event()

            def note(points: set[str], enough: int = enough, some: asyncio.Event = some) -> None:
                acknowledged.update(points)
                if len(acknowledged) >= enough:
                    some.set()

            writers = [write_until_gone(index, 100 * attempt + writer, note) for writer in range(3)]
            writing = asyncio.gather(*writers)
            async with asyncio.timeout(60):
                await some.wait()
            server.kill()
            await writing
            await index.close()
        server = start_bridge(tmp_path)
        assert acknowledged <= await stored_ids(server)
        index = QdrantVectorIndex(server.url, api_key=server.key)
        whole = await index.vectors(LANE, sorted(acknowledged))
        assert all(found.dense.size and found.sparse for found in whole.values())
        await index.close()
        server.stop()

    async def test_deletions_survive_kill_9(self, tmp_path: Path) -> None:
        server = start_bridge(tmp_path)
        index = QdrantVectorIndex(server.url, api_key=server.key)
        await index.open_lane(LANE, FINGERPRINT)
        points = random_points(50, seed=2)
        await index.upsert(LANE, points)
        await index.delete(LANE, [point.id for point in points[:20]])
        server.kill()
        await index.close()
        server = start_bridge(tmp_path)
        assert await stored_ids(server) == {point.id for point in points[20:]}
        server.stop()

    async def test_a_folder_that_no_collection_names_is_removed_at_start(self, tmp_path: Path) -> None:
        leftover = tmp_path / "shards" / "0123"
        leftover.mkdir(parents=True)
        (leftover / "segment").write_text("half made")
        start_bridge(tmp_path).stop()
        assert not leftover.exists()

    async def test_a_server_that_is_gone_is_unavailable_and_back_again(self, tmp_path: Path) -> None:
        server = start_bridge(tmp_path)
        index = QdrantVectorIndex(server.url, api_key=server.key)
        await index.open_lane(LANE, FINGERPRINT)
        server.kill()
        with pytest.raises(Unavailable) as gone:
            await index.count(LANE)
        assert gone.value.part == "qdrant"
        server = start_bridge(tmp_path, int(server.url.rpartition(":")[2]))
        assert await index.count(LANE) == 0
        await index.close()
        server.stop()


async def write_until_gone(index: QdrantVectorIndex, seed: int, note: Callable[[set[str]], None]) -> None:
    """Upsert small batches, noting each one that was answered, until the server is gone."""
    for batch in itertools.count():
        points = random_points(20, seed=seed + 7_919 * batch)
        try:
            await index.upsert(LANE, points)
        except Unavailable:
            return
        note({point.id for point in points})


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
        [("GET", "/telemetry"), ("POST", "/collections/refusing/facet"), ("DELETE", "/collections/refusing")],
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

    async def test_a_second_collection_of_the_same_name_is_409(self, client: AsyncQdrantClient) -> None:
        await make_collection(client, "twice")
        with pytest.raises(UnexpectedResponse) as refused:
            await client.create_collection(
                "twice", vectors_config={"d": models.VectorParams(size=2, distance=models.Distance.COSINE)}
            )
        assert refused.value.status_code == 409


COLLECTION = {"vectors": {"dense": {"size": 2, "distance": "Cosine"}}}


class TestCollections:
    async def test_metadata_come_back(self, client: AsyncQdrantClient) -> None:
        name = await make_collection(client, f"meta-{uuid.uuid4().hex}", metadata={"a": 1, "b": {"c": None}})
        assert (await client.get_collection(name)).config.metadata == {"a": 1, "b": {"c": None}}

    async def test_aliases_move_in_one_step(self, client: AsyncQdrantClient) -> None:
        old, new = [await make_collection(client, f"{name}-{uuid.uuid4().hex}") for name in ("old", "new")]
        alias = f"alias-{uuid.uuid4().hex}"
        await client.upsert(new, [models.PointStruct(id=1, vector={"dense": [1.0, 0.0]})])
        create = models.CreateAliasOperation
        remove = models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias))
        await client.update_collection_aliases(
            [create(create_alias=models.CreateAlias(collection_name=old, alias_name=alias))]
        )
        assert (await client.count(alias)).count == 0
        await client.update_collection_aliases(
            [remove, create(create_alias=models.CreateAlias(collection_name=new, alias_name=alias))]
        )
        assert (await client.count(alias)).count == 1
        with pytest.raises(UnexpectedResponse):
            await client.update_collection_aliases(
                [remove, create(create_alias=models.CreateAlias(collection_name="missing", alias_name=alias))]
            )
        aliases = {found.alias_name: found.collection_name for found in (await client.get_aliases()).aliases}
        assert aliases[alias] == new
        await client.update_collection_aliases([remove])
        assert (await client.count(new)).count == 1
        with pytest.raises(UnexpectedResponse) as gone:
            await client.count(alias)
        assert gone.value.status_code == 404

    async def test_a_name_stands_for_a_collection_or_an_alias(self, client: AsyncQdrantClient) -> None:
        name = await make_collection(client, f"named-{uuid.uuid4().hex}")
        alias = f"alias-{uuid.uuid4().hex}"

        async def name_it(alias: str) -> None:
            wanted = models.CreateAlias(collection_name=name, alias_name=alias)
            await client.update_collection_aliases([models.CreateAliasOperation(create_alias=wanted)])

        await name_it(alias)
        with pytest.raises(UnexpectedResponse):
            await name_it(name)
        with pytest.raises(UnexpectedResponse):
            await client.create_collection(
                alias, vectors_config={"d": models.VectorParams(size=2, distance=models.Distance.COSINE)}
            )

    async def test_indexes_are_listed_with_their_types(self, client: AsyncQdrantClient) -> None:
        name = await make_collection(client, f"indexed-{uuid.uuid4().hex}")
        kinds: tuple[models.PayloadSchemaParams, ...] = (
            models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True),
            models.IntegerIndexParams(type=models.IntegerIndexType.INTEGER, enable_hnsw=False),
            models.BoolIndexParams(type=models.BoolIndexType.BOOL, enable_hnsw=False),
            models.DatetimeIndexParams(type=models.DatetimeIndexType.DATETIME),
        )
        for kind in kinds:
            await client.create_payload_index(name, f"a_{kind.type.value}", kind)
        found = (await client.get_collection(name)).payload_schema
        assert {key: index.data_type.value for key, index in found.items()} == {
            f"a_{kind.type.value}": kind.type.value for kind in kinds
        }

    async def test_the_client_finds_a_server_of_its_own_release(self, client: AsyncQdrantClient) -> None:
        found = await client.info()
        assert "development vector server" in found.title
        assert found.version == version("qdrant-client")


async def make_collection(client: AsyncQdrantClient, name: str, **options: Any) -> str:
    try:
        await client.create_collection(
            name,
            vectors_config={"dense": models.VectorParams(size=2, distance=models.Distance.COSINE)},
            sparse_vectors_config={"sparse": models.SparseVectorParams()},
            **options,
        )
    except UnexpectedResponse as error:
        if error.status_code != 409:
            raise
    return name


def field(key: str, **condition: Any) -> models.FieldCondition:
    return models.FieldCondition(key=key, **condition)


EVEN = models.Filter(must=[field("even", match=models.MatchValue(value=True))])
ODD = models.Filter(must=[field("even", match=models.MatchValue(value=False))])


class TestAnsweringAsQdrantDoes:
    """Against the client's own local mode, an independent implementation of the same API."""

    @pytest.fixture
    async def both(self, client: AsyncQdrantClient) -> AsyncIterator[list[AsyncQdrantClient]]:
        local = AsyncQdrantClient(":memory:")
        rng = np.random.default_rng(3)
        points = [
            models.PointStruct(
                id=number,
                vector={
                    "dense": rng.standard_normal(2).tolist(),
                    "sparse": models.SparseVector(
                        indices=[number % 7, 10 + number % 3], values=[1.0, 0.5 + number]
                    ),
                },
                payload={
                    "number": number,
                    "share": number / 7,
                    "even": number % 2 == 0,
                    "name": f"name {number % 5}",
                    "tags": [f"t{tag}" for tag in range(number % 4)],
                    "day": f"2026-01-{1 + number % 28:02d}T00:00:00Z",
                    "parts": [{"size": number % 6, "red": number % 2 == 0}, {"size": 9, "red": False}],
                    **({"rare": None if number % 3 else "x"} if number % 4 else {}),
                },
            )
            for number in range(1, 41)
        ]
        for each in (client, local):
            await make_collection(each, "same")
            await each.delete("same", models.Filter())
            await each.upsert("same", points)
        yield [client, local]
        await local.close()

    @pytest.mark.parametrize(
        "condition",
        [
            EVEN,
            ODD,
            models.Filter(must_not=[field("number", match=models.MatchValue(value=3))]),
            models.Filter(must=[field("number", match=models.MatchValue(value=1))]),
            models.Filter(should=[field("name", match=models.MatchAny(any=["name 1", "name 2"]))]),
            models.Filter(must=[field("number", match=models.MatchAny(any=[1, 2, 99]))]),
            models.Filter(must=[field("number", match=models.MatchAny(any=[]))]),
            models.Filter(must=[field("share", range=models.Range(gt=1.0, lte=3.5))]),
            models.Filter(must=[field("number", range=models.Range(gte=3, lt=5))]),
            models.Filter(must=[field("day", range=models.DatetimeRange(gte="2026-01-10T00:00:00Z"))]),
            models.Filter(must=[models.IsEmptyCondition(is_empty=models.PayloadField(key="tags"))]),
            models.Filter(must=[models.IsEmptyCondition(is_empty=models.PayloadField(key="rare"))]),
            models.Filter(must=[models.HasIdCondition(has_id=[1, 5, 77])]),
            models.Filter(must=[models.HasIdCondition(has_id=[])]),
            models.Filter(must=[field("parts[].size", match=models.MatchValue(value=4))]),
            models.Filter(
                must=[
                    models.Filter(
                        should=[
                            field("number", match=models.MatchValue(value=2)),
                            models.Filter(must_not=[field("number", range=models.Range(lt=38))]),
                        ]
                    )
                ]
            ),
            models.Filter(),
        ],
    )
    async def test_every_kind_of_filter(
        self, both: list[AsyncQdrantClient], condition: models.Filter
    ) -> None:
        found = [await each.scroll("same", condition, limit=100) for each in both]
        assert [point.id for point in found[0][0]] == [point.id for point in found[1][0]]
        counts = [(await each.count("same", condition)).count for each in both]
        assert counts == [len(found[0][0])] * 2

    async def test_searches_of_a_batch_score_alike(self, both: list[AsyncQdrantClient]) -> None:
        terms = models.SparseVector(indices=[1, 2, 10], values=[0.3, 1.0, 0.7])
        by_terms = models.Prefetch(query=terms, using="sparse", limit=11, filter=ODD)
        nested = models.Prefetch(
            prefetch=[models.Prefetch(query=[1.0, 0.1], using="dense", limit=30)],
            query=terms,
            using="sparse",
            limit=15,
        )
        searches = [
            models.QueryRequest(query=[0.3, 1.0], using="dense", limit=15, filter=ODD),
            models.QueryRequest(query=terms, using="sparse", limit=50),
            models.QueryRequest(prefetch=[by_terms], query=[0.3, 1.0], using="dense", limit=50),
            models.QueryRequest(prefetch=[by_terms, nested], query=[0.3, 1.0], using="dense", limit=7),
            models.QueryRequest(limit=3, filter=EVEN),
        ]
        scores = []
        for each in both:
            answers = await each.query_batch_points("same", searches)
            scores.append([{point.id: point.score for point in answer.points} for answer in answers])
        for one, other in zip(*scores, strict=True):
            assert one == pytest.approx(other, abs=1e-4)

    async def test_a_search_gives_the_fields_asked_for(self, both: list[AsyncQdrantClient]) -> None:
        search = models.QueryRequest(query=[1.0, 0.5], using="dense", limit=5)
        for fields in (True, False, ["number", "parts"]):
            wanted = search.model_copy(update={"with_payload": fields})
            answers = [(await each.query_batch_points("same", [wanted]))[0].points for each in both]
            for one, other in zip(*answers, strict=True):
                assert one.id == other.id
                assert one.score == pytest.approx(other.score, abs=1e-5)
                assert one.payload == other.payload

    async def test_pages(self, both: list[AsyncQdrantClient]) -> None:
        pages: list[list[object]] = []
        for each in both:
            ids: list[object] = []
            offset: Any = None
            while True:
                records, offset = await each.scroll("same", limit=9, offset=offset)
                ids += [record.id for record in records]
                if offset is None:
                    break
            pages.append(ids)
        assert pages[0] == pages[1] == list(range(1, 41))

    async def test_payloads_and_vectors_change_alike(self, both: list[AsyncQdrantClient]) -> None:
        two = models.Filter(must=[models.HasIdCondition(has_id=[1, 2])])
        replaced = models.PointStruct(id=6, vector={"dense": [3.0, 4.0]}, payload={"only": "this"})
        for each in both:
            await each.set_payload("same", {"new": 1, "name": None}, two)
            await each.set_payload("same", {"deep": {"er": True}}, EVEN)
            await each.upsert("same", [replaced])
            await each.delete("same", [8])
            await each.delete("same", models.Filter(must=[field("number", range=models.Range(gte=35))]))
        records = [(await each.scroll("same", limit=100, with_vectors=True))[0] for each in both]
        assert [record.id for record in records[0]] == [record.id for record in records[1]]
        for one, other in zip(*records, strict=True):
            assert one.payload == other.payload
            assert isinstance(one.vector, dict)
            assert isinstance(other.vector, dict)
            assert one.vector["dense"] == pytest.approx(other.vector["dense"], abs=1e-6)
            assert one.vector.get("sparse") == other.vector.get("sparse")

    async def test_points_come_back_by_id(self, both: list[AsyncQdrantClient]) -> None:
        found = [await each.retrieve("same", [3, 99, 4], with_vectors=["sparse"]) for each in both]
        plain = [{record.id: (record.payload, record.vector) for record in records} for records in found]
        assert plain[0] == plain[1]
        assert set(plain[0]) == {3, 4}


class TestTenants:
    async def test_deleting_in_one_workspace_leaves_the_other(self, server: BridgeProcess) -> None:
        index = QdrantVectorIndex(server.url, api_key=server.key)
        await index.open_lane("tenants", FINGERPRINT)
        await index.upsert("tenants", random_points(10, seed=4, workspace_id="w1"))
        await index.upsert("tenants", random_points(10, seed=5, workspace_id="w2"))
        await index.delete_where("tenants", All((Match("workspace_id", "w1"), Match("document_id", "d1"))))
        assert await index.count("tenants", Match("workspace_id", "w1")) == 0
        assert await index.count("tenants", Match("workspace_id", "w2")) == 10
        await index.close()
