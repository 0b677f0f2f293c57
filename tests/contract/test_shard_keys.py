"""A lane that is divided by shard keys answers as one that is not, and asks the shards of one key alone.

The store is a stand-in (`tests/contract/divided_store.py`).
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator

import pytest

from footnote_shared.kernel.errors import OurFault
from footnote_shared.kernel.vector_values import SparseVector
from footnote_shared.vectors.filters import EVERYTHING, All, HasId, Match, MatchAny
from footnote_shared.vectors.protocol import HybridQuery, version_name
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_shared.vectors.shard_keys import shard_key
from footnote_testing.bridge_process import BridgeProcess
from footnote_testing.eventually import LIMIT_S
from tests.contract.divided_store import DividedStore
from tests.contract.vector_samples import FINGERPRINT, axis, make_point

KEYS = 2
ONE, OTHER = "w1", "w4"


@pytest.fixture(scope="module")
def store(bridge: BridgeProcess) -> Iterator[DividedStore]:
    made = DividedStore(bridge)
    made.served.start()
    yield made
    made.served.stop()


@pytest.fixture(scope="module")
def divided_lane(store: DividedStore) -> str:
    lane = f"test-{uuid.uuid4().hex[:12]}"

    async def make() -> None:
        index = connect(store, KEYS)
        await index.open_lane(lane, FINGERPRINT)
        await index.open_lane(lane, FINGERPRINT)
        await index.close()

    asyncio.run(make())
    return lane


@pytest.fixture
async def index(store: DividedStore, divided_lane: str) -> AsyncIterator[QdrantVectorIndex]:
    made = connect(store, KEYS)
    await made.delete_where(divided_lane, EVERYTHING)
    store.asked.clear()
    yield made
    await made.close()


def connect(store: DividedStore, keys: int) -> QdrantVectorIndex:
    return QdrantVectorIndex(store.served.url, timeout_s=LIMIT_S, shard_keys=keys)


def asks(workspace: str) -> HybridQuery:
    own = All((Match("workspace_id", workspace), Match("kind", "prose")))
    return HybridQuery(axis(0), SparseVector([1], [1.0]), 10, own, corpus=own, complete=True)


async def found(index: QdrantVectorIndex, lane: str, workspace: str) -> set[str]:
    hits = await index.search(lane, asks(workspace))
    assert {hit.id for hit in hits.dense} == {hit.id for hit in hits.sparse}
    return {hit.id for hit in hits.dense}


def named(store: DividedStore) -> set[tuple[str, ...]]:
    return {keys for _, keys in store.asked}


async def test_a_workspace_is_written_and_searched_under_its_key_alone(
    store: DividedStore, index: QdrantVectorIndex, divided_lane: str
) -> None:
    own = shard_key(ONE, KEYS)
    assert own != shard_key(OTHER, KEYS)
    points = [make_point(workspace_id=ONE) for _ in range(3)]
    await index.upsert(divided_lane, points)
    assert await found(index, divided_lane, ONE) == {point.id for point in points}
    ids = [point.id for point in points]
    corpus = Match("workspace_id", ONE)
    assert set(await index.score(divided_lane, ids, axis(0), None, corpus=corpus)) == set(ids)
    assert await index.count(divided_lane, corpus) == 3
    assert [ref.id async for ref in index.ids_of(divided_lane, corpus)] == sorted(ids)
    await index.set_payload_where(divided_lane, corpus, {"title": "Hares"})
    await index.delete_where(divided_lane, corpus)
    assert named(store) == {(own,)}


async def test_what_is_not_of_one_workspace_reaches_all_of_them(
    index: QdrantVectorIndex, divided_lane: str
) -> None:
    points = [make_point(workspace_id=name, document_id=f"d-{name}") for name in (ONE, OTHER) * 3]
    await index.upsert(divided_lane, points)
    ids = sorted(point.id for point in points)
    assert await index.count(divided_lane) == 6
    assert [ref.id async for ref in index.ids_of(divided_lane)] == ids
    assert [ref.id async for ref in index.ids_of(divided_lane, after=ids[2])] == ids[3:]
    assert sorted(await index.vectors(divided_lane, ids)) == ids
    assert sorted(await index.score(divided_lane, ids, axis(0), None)) == ids
    both = MatchAny("workspace_id", (ONE, OTHER))
    assert await index.count(divided_lane, both) == 6
    await index.set_payload_where(divided_lane, Match("document_id", f"d-{OTHER}"), {"kind": "table"})
    assert await index.count(divided_lane, Match("kind", "table")) == 3
    await index.delete_where(divided_lane, Match("document_id", f"d-{ONE}"))
    assert await found(index, divided_lane, ONE) == set()
    await index.delete(divided_lane, ids)
    assert await index.count(divided_lane, HasId(frozenset(ids))) == 0


@pytest.mark.parametrize("thought", [0, 3])
async def test_a_process_that_thought_otherwise_of_the_lane_looks_again(
    store: DividedStore, index: QdrantVectorIndex, divided_lane: str, thought: int
) -> None:
    """One of another release or with other settings. The store refuses its keys, and hides nothing."""
    stranger = connect(store, thought)
    point = make_point(workspace_id=ONE)
    await stranger.upsert(divided_lane, [point])
    assert await found(stranger, divided_lane, ONE) == {point.id}
    assert await found(index, divided_lane, ONE) == {point.id}
    await stranger.delete(divided_lane, [point.id])
    assert await index.count(divided_lane) == 0
    await stranger.close()


async def test_another_version_may_be_divided_otherwise(
    store: DividedStore, index: QdrantVectorIndex, divided_lane: str
) -> None:
    """As when a lane is embedded anew with other settings. Who searches meanwhile is not told."""
    old, new = make_point(workspace_id=ONE), make_point(workspace_id=ONE)
    await index.upsert(divided_lane, [old])
    assert await found(index, divided_lane, ONE) == {old.id}
    undivided = connect(store, 0)
    await undivided.make_version(divided_lane, 2, FINGERPRINT)
    await undivided.upsert(version_name(divided_lane, 2), [new])
    await undivided.switch(divided_lane, 2)
    assert await found(index, divided_lane, ONE) == {new.id}
    await index.upsert(divided_lane, [old])
    assert await found(index, divided_lane, ONE) == {new.id, old.id}
    await undivided.switch(divided_lane, 1)
    assert await found(undivided, divided_lane, ONE) == {old.id}
    await undivided.drop_version(divided_lane, 2)
    await undivided.close()


async def test_a_refusal_that_stays_is_an_error(store: DividedStore, divided_lane: str) -> None:
    """A lane whose keys were removed by hand."""
    keys = store.keys_of(divided_lane)
    gone = keys[:]
    keys.clear()
    index = connect(store, KEYS)
    with pytest.raises(OurFault):
        await index.upsert(divided_lane, [make_point(workspace_id=ONE)])
    keys += gone
    await index.close()
