"""What a vector index keeps: lanes, points and their payloads."""

import asyncio
import uuid
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from footnote_shared.kernel.errors import FootnoteError, Misconfigured, OurFault
from footnote_shared.kernel.vector_values import TERMS_VERSION, LaneFingerprint, SparseVector
from footnote_shared.vectors.filters import (
    EVERYTHING,
    All,
    Filter,
    HasId,
    IsEmpty,
    Match,
)
from footnote_shared.vectors.protocol import (
    HybridQuery,
    LaneVersion,
    PayloadValue,
    VectorIndex,
    version_name,
)
from tests.contract.conftest import Connect
from tests.contract.vector_samples import (
    DIMENSION,
    FINGERPRINT,
    NOTHING,
    axis,
    everywhere,
    make_point,
    random_points,
)

OTHER = LaneFingerprint("other-model", "1", 16, "", "", True)


async def found_ids(index: VectorIndex, lane: str, condition: Filter = EVERYTHING) -> list[str]:
    return [ref.id async for ref in index.ids_of(lane, condition)]


class TestLanes:
    async def test_opening_twice_keeps_what_is_there(self, emptied: VectorIndex, lane: str) -> None:
        await emptied.upsert(lane, [make_point()])
        await emptied.open_lane(lane, FINGERPRINT)
        assert await emptied.count(lane) == 1

    async def test_a_new_lane_has_the_newest_terms(self, opened: VectorIndex, lane: str) -> None:
        assert await opened.terms_version(lane) == TERMS_VERSION
        with pytest.raises(Misconfigured):
            await opened.terms_version("never-opened")

    async def test_many_may_open_at_once(self, connect: Connect, lane: str) -> None:
        indexes = [connect() for _ in range(6)]
        await asyncio.gather(*(index.open_lane(lane, FINGERPRINT) for index in indexes))
        await asyncio.gather(*(index.upsert(lane, [make_point()]) for index in indexes))
        assert await indexes[0].count(lane) == 6
        for index in indexes:
            await index.close()

    @pytest.mark.parametrize(
        "other",
        [
            LaneFingerprint("test-model", "2", DIMENSION, "", "", True),
            LaneFingerprint("test-model", "1", 16, "", "", True),
            LaneFingerprint("test-model", "1", DIMENSION, "query: ", "", True),
        ],
    )
    async def test_another_fingerprint_is_refused_and_both_are_named(
        self, emptied: VectorIndex, lane: str, other: LaneFingerprint
    ) -> None:
        with pytest.raises(Misconfigured) as refused:
            await emptied.open_lane(lane, other)
        assert str(FINGERPRINT) in refused.value.detail
        assert str(other) in refused.value.detail

    async def test_a_lane_that_was_never_opened_is_an_error_and_not_an_empty_answer(
        self, index: VectorIndex, lane: str
    ) -> None:
        with pytest.raises(Misconfigured):
            await index.search(lane, everywhere())
        with pytest.raises(Misconfigured):
            await index.upsert(lane, [make_point()])

    async def test_vectors_of_another_dimension_are_refused(self, emptied: VectorIndex, lane: str) -> None:
        with pytest.raises(FootnoteError):
            await emptied.upsert(lane, [make_point(np.ones(3, np.float32))])


class TestVersions:
    """The next version of a lane beside the one that is live."""

    async def test_a_lane_begins_with_version_1(self, index: VectorIndex, lane: str) -> None:
        assert await index.live_version(lane) is None
        assert await index.live_number(lane) is None
        await index.open_lane(lane, FINGERPRINT)
        assert await index.live_version(lane) == LaneVersion(1, FINGERPRINT, TERMS_VERSION)
        assert await index.live_number(lane) == 1

    async def test_a_new_version_is_apart_from_the_live_one_until_the_switch(
        self, opened: VectorIndex, lane: str, connect: Connect
    ) -> None:
        old, new = make_point(), make_point()
        await opened.upsert(lane, [old])
        await opened.make_version(lane, 2, OTHER)
        await opened.make_version(lane, 2, OTHER)
        await opened.upsert(version_name(lane, 2), [replace(new, dense=np.ones(16, np.float32))])
        assert await found_ids(opened, lane) == [old.id]
        assert await found_ids(opened, version_name(lane, 1)) == [old.id]
        assert await found_ids(opened, version_name(lane, 2)) == [new.id]

        elsewhere = connect()
        await opened.switch(lane, 2)
        await opened.switch(lane, 2)
        assert await elsewhere.live_version(lane) == LaneVersion(2, OTHER, TERMS_VERSION)
        assert await elsewhere.live_number(lane) == 2
        assert await found_ids(elsewhere, lane) == [new.id]
        query = HybridQuery(np.ones(16, np.float32), None, 5, EVERYTHING)
        assert [hit.id for hit in (await elsewhere.search(version_name(lane, 2), query)).dense] == [new.id]
        # Whoever still asks by the former model finds what it always found.
        before = HybridQuery(old.dense, None, 5, EVERYTHING)
        assert [hit.id for hit in (await elsewhere.search(version_name(lane, 1), before)).dense] == [old.id]
        await elsewhere.close()

    async def test_a_version_is_made_for_one_fingerprint(self, opened: VectorIndex, lane: str) -> None:
        await opened.make_version(lane, 2, OTHER)
        with pytest.raises(Misconfigured):
            await opened.make_version(lane, 2, FINGERPRINT)
        await opened.drop_version(lane, 2)

    async def test_a_version_that_was_dropped_is_gone_and_the_live_one_cannot_be(
        self, opened: VectorIndex, lane: str
    ) -> None:
        await opened.upsert(lane, [make_point()])
        await opened.make_version(lane, 2, FINGERPRINT)
        await opened.upsert(version_name(lane, 2), [make_point()])
        await opened.drop_version(lane, 2)
        await opened.drop_version(lane, 2)
        with pytest.raises(Misconfigured):
            await opened.count(version_name(lane, 2))
        with pytest.raises(FootnoteError):
            await opened.switch(lane, 2)
        with pytest.raises(OurFault):
            await opened.drop_version(lane, 1)
        assert await opened.count(lane) == 1
        await opened.make_version(lane, 2, FINGERPRINT)
        assert await opened.count(version_name(lane, 2)) == 0


class TestChanges:
    async def test_the_same_points_twice_are_there_once(self, emptied: VectorIndex, lane: str) -> None:
        points = random_points(10, seed=9)
        await emptied.upsert(lane, points)
        await emptied.upsert(lane, points)
        assert await emptied.count(lane) == 10

    async def test_an_upsert_replaces_a_point_whole(self, emptied: VectorIndex, lane: str) -> None:
        first = make_point(axis(0), {1: 1.0}, connector_id="k")
        await emptied.upsert(lane, [first])
        second = make_point(axis(1), {}, point_id=first.id, version=2)
        await emptied.upsert(lane, [second])
        stored = (await emptied.vectors(lane, [first.id]))[first.id]
        assert stored.dense == pytest.approx(axis(1))
        assert stored.sparse == SparseVector([], [])
        assert (await emptied.search(lane, everywhere(1))).dense[0].payload == second.payload
        assert not (await emptied.search(lane, everywhere(None, {1: 1.0}))).sparse

    async def test_vectors_come_back_with_length_one(self, emptied: VectorIndex, lane: str) -> None:
        point = make_point(np.full(DIMENSION, 3.0, np.float32), {7: 0.5, 3: 1.25})
        await emptied.upsert(lane, [point])
        found = await emptied.vectors(lane, [point.id, str(uuid.uuid4())])
        assert found.keys() == {point.id}
        assert found[point.id].dense.dtype == np.float32
        assert found[point.id].dense == pytest.approx(np.full(DIMENSION, DIMENSION**-0.5), abs=1e-6)
        sparse = found[point.id].sparse
        assert dict(zip(sparse.indices, sparse.values, strict=True)) == pytest.approx({7: 0.5, 3: 1.25})

    async def test_delete_removes_the_named_and_ignores_the_unknown(
        self, emptied: VectorIndex, lane: str
    ) -> None:
        keep, go = make_point(), make_point()
        await emptied.upsert(lane, [keep, go])
        await emptied.delete(lane, [go.id, str(uuid.uuid4())])
        await emptied.delete(lane, [go.id])
        await emptied.delete(lane, [])
        assert await found_ids(emptied, lane) == [keep.id]

    async def test_delete_where_stays_within_its_filter(self, emptied: VectorIndex, lane: str) -> None:
        await emptied.upsert(lane, [make_point(document_id=name) for name in ("a", "a", "b")])
        await emptied.delete_where(lane, All((Match("workspace_id", "w1"), Match("document_id", "a"))))
        assert await emptied.count(lane) == 1
        await emptied.delete_where(lane, NOTHING)
        assert await emptied.count(lane) == 1

    async def test_set_payload_where_changes_only_the_named_fields(
        self, emptied: VectorIndex, lane: str
    ) -> None:
        point, other = make_point(axis(0), connector_id="k"), make_point(axis(1))
        await emptied.upsert(lane, [point, other])
        moment = datetime(2026, 7, 1, tzinfo=UTC)
        changes: dict[str, PayloadValue] = {
            "title": "New",
            "folder_ids": ("x", "y"),
            "created_at": moment,
            "connector_id": None,
        }
        await emptied.set_payload_where(lane, HasId(frozenset({point.id, str(uuid.uuid4())})), changes)
        hit = (await emptied.search(lane, everywhere(limit=1))).dense[0]
        assert hit.payload == point.payload.model_copy(update=changes)
        assert await found_ids(emptied, lane, IsEmpty("connector_id")) == sorted([point.id, other.id])
        assert await found_ids(emptied, lane, Match("folder_ids", "y")) == [point.id]

    async def test_set_payload_where_changes_all_within_its_filter(
        self, emptied: VectorIndex, lane: str
    ) -> None:
        await emptied.upsert(lane, [make_point(document_id=name) for name in ("a", "a", "b")])
        await emptied.set_payload_where(lane, Match("document_id", "a"), {"title": "Moved"})
        hits = await emptied.search(lane, everywhere())
        assert sorted((hit.payload.document_id, hit.payload.title) for hit in hits.dense) == [
            ("a", "Moved"),
            ("a", "Moved"),
            ("b", "Foxes"),
        ]

    async def test_a_payload_field_that_does_not_exist_is_refused(
        self, emptied: VectorIndex, lane: str
    ) -> None:
        with pytest.raises(ValueError, match="colour"):
            await emptied.set_payload_where(lane, EVERYTHING, {"colour": "red"})

    async def test_ids_of_reads_every_page(self, emptied: VectorIndex, lane: str) -> None:
        points = random_points(1_100, seed=10)
        await emptied.upsert(lane, points)
        found = [ref async for ref in emptied.ids_of(lane, Match("workspace_id", "w1"))]
        assert [ref.id for ref in found] == sorted(point.id for point in points)
        assert {(ref.document_id, ref.chunk_id, ref.version) for ref in found} == {("d1", "c1", 1)}
        for at in (0, 1_050, 1_099):
            behind = [ref.id async for ref in emptied.ids_of(lane, after=found[at].id)]
            assert behind == [ref.id for ref in found[at + 1 :]]
        await emptied.delete(lane, [found[1].id])
        assert (await anext(emptied.ids_of(lane, after=found[1].id))).id == found[2].id

    async def test_the_store_answers_a_ping(self, index: VectorIndex) -> None:
        await index.ping()
