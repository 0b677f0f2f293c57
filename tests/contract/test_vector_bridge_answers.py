"""The development vector server answers as Qdrant does."""

import uuid
from collections.abc import AsyncIterator
from importlib.metadata import version
from typing import Any

import numpy as np
import pytest
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.http.exceptions import UnexpectedResponse

from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.vectors.filters import EVERYTHING
from footnote_shared.vectors.protocol import HybridQuery
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_shared.vectors.schema import collection_of, payload_indexes, to_metadata
from footnote_testing.bridge_process import BridgeProcess
from footnote_testing.eventually import LIMIT_S
from tests.contract.bridge_collections import make_collection
from tests.contract.vector_samples import FINGERPRINT, random_points


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

    async def test_a_lane_with_an_index_of_another_type_is_refused_with_what_to_do(
        self, client: AsyncQdrantClient, bridge: BridgeProcess
    ) -> None:
        lane = f"mistyped-{uuid.uuid4().hex}"
        metadata = to_metadata(FINGERPRINT)
        name = await make_collection(client, collection_of(lane, 1), metadata=metadata)
        await client.create_payload_index(name, "ordinal", payload_indexes()["kind"])
        index = QdrantVectorIndex(bridge.url, api_key=bridge.key, timeout_s=LIMIT_S)
        with pytest.raises(
            Misconfigured, match=f"keyword, and integer .* DELETE /collections/{name}/index/ordinal"
        ):
            await index.open_lane(lane, FINGERPRINT)
        await index.close()

    async def test_a_quantised_lane_is_one_and_a_lane_that_is_there_stays_as_it_is(
        self, client: AsyncQdrantClient, bridge: BridgeProcess
    ) -> None:
        lane = f"quantised-{uuid.uuid4().hex}"
        points = random_points(30, seed=1)
        query = HybridQuery(points[0].dense, points[0].sparse, 5, EVERYTHING)
        found = []
        for one_request in (True, False):
            index = QdrantVectorIndex(
                bridge.url,
                api_key=bridge.key,
                timeout_s=LIMIT_S,
                one_request=one_request,
                quantisation="scalar" if one_request else "none",
            )
            await index.open_lane(lane, FINGERPRINT)
            await index.upsert(lane, points)
            found.append(await index.search(lane, query))
            await index.close()
        assert found[0].dense[0].id == points[0].id
        assert [hit.id for hit in found[0].dense] == [hit.id for hit in found[1].dense]
        vectors = (await client.get_collection(collection_of(lane, 1))).config.params.vectors
        assert isinstance(vectors, dict)
        assert isinstance(vectors["dense"].quantization_config, models.ScalarQuantization)
        assert vectors["dense"].on_disk

    async def test_the_client_finds_a_server_of_its_own_release(self, client: AsyncQdrantClient) -> None:
        found = await client.info()
        assert "development vector server" in found.title
        assert found.version == version("qdrant-client")


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
