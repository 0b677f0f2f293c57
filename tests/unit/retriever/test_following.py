"""The retriever goes over to the version of the lane that is live, and its model goes along."""

import asyncio

import pytest

from footnote_retriever.funnel.embed import LaneModel, QueryModel
from footnote_retriever.funnel.follow_lane import LaneFollower
from footnote_shared.embedding import sparse
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.kernel.vector_values import TERMS_VERSION, LaneFingerprint
from footnote_shared.vectors.protocol import version_name
from footnote_testing.fake_embedder import FakeEmbedder
from footnote_testing.library import Library
from tests.unit.retriever.funnel_on_fakes import LANE, FunnelOnFakes, caller, short


class Moving(FunnelOnFakes):
    """A retriever beside which the lane gets a second version, of a model with other vectors."""

    def __init__(self, terms: int = TERMS_VERSION) -> None:
        super().__init__(terms=terms)
        self.next = FakeEmbedder(dimension=32, query_prefix="ask: ")
        self.loaded: list[LaneFingerprint] = []
        self.may_load = True
        self.follower = LaneFollower(self.funnel, self.model_of)

    def model_of(self, fingerprint: LaneFingerprint) -> QueryModel:
        return QueryModel(lambda: self.load(fingerprint), cache_size=8, wait_s=60)

    def load(self, fingerprint: LaneFingerprint) -> LaneModel:
        self.loaded.append(fingerprint)
        if not self.may_load or fingerprint != self.next.fingerprint:
            raise Misconfigured("There is no such model.")
        return LaneModel(fingerprint, self.next.embed_queries, sparse.embed_query, lambda text: 1)

    async def build(self) -> None:
        """The second version, with the same book under its own vectors."""
        await self.index.make_version(LANE, 2, self.next.fingerprint)
        await self.index.switch(LANE, 2)
        await Library(self.index, LANE, self.next, self.ingest).add(caller(), short("tea", 1))
        await self.index.switch(LANE, 1)

    async def found(self) -> list[str]:
        return [passage.title for passage in (await self.search("tea")).passages]


@pytest.fixture
async def moving() -> Moving:
    made = Moving()
    await made.add(short("tea", 1))
    assert await made.found() == ["book 1"]
    await made.build()
    return made


async def test_a_search_compares_vectors_of_one_model_alone(moving: Moving) -> None:
    """The former version is searched with the former model, however long ago the lane was switched."""
    await moving.index.switch(LANE, 2)
    assert await moving.found() == ["book 1"]
    assert moving.lane.name == version_name(LANE, 1)


async def test_a_search_that_begins_after_the_look_is_of_the_next_version(moving: Moving) -> None:
    before = moving.funnel
    assert not await moving.follower.look()
    await moving.index.switch(LANE, 2)
    assert await moving.follower.look()
    assert not await moving.follower.look()
    moving.funnel = moving.follower.funnel
    assert moving.funnel.lane.name == version_name(LANE, 2)
    assert await moving.found() == ["book 1"]
    query = moving.index.searches[-1]
    assert query.dense is not None
    assert query.dense.shape == (32,)
    # One that began before ends where it began.
    moving.funnel = before
    assert await moving.found() == ["book 1"]
    query = moving.index.searches[-1]
    assert query.dense is not None
    assert query.dense.shape == (64,)
    assert moving.loaded == [moving.next.fingerprint]


async def test_without_the_next_model_the_former_version_goes_on(moving: Moving) -> None:
    moving.may_load = False
    await moving.index.switch(LANE, 2)
    with pytest.raises(Misconfigured):
        await moving.follower.look()
    moving.funnel = moving.follower.funnel
    assert await moving.found() == ["book 1"]
    assert moving.funnel.lane.name == version_name(LANE, 1)


async def test_a_rollback_needs_no_other_model(moving: Moving) -> None:
    await moving.index.switch(LANE, 2)
    await moving.follower.look()
    await moving.index.switch(LANE, 1)
    follower = LaneFollower(moving.follower.funnel, lambda fingerprint: moving.funnel.model)
    assert await follower.look()
    assert follower.funnel.lane.name == version_name(LANE, 1)


async def test_newer_terms_need_no_other_model() -> None:
    on = Moving(terms=1)
    await on.add(short("tea", 1))
    await on.found()
    await on.index.make_version(LANE, 2, on.embedder.fingerprint)
    await on.index.switch(LANE, 2)
    assert await on.follower.look()
    assert on.loaded == []
    assert on.follower.funnel.model is on.funnel.model


async def test_searches_go_on_while_the_lane_moves_to_and_fro(moving: Moving) -> None:
    """None is empty and none fails, whatever is live while it is under way."""
    answers = []
    for number in (2, 1, 2, 1):
        under_way = asyncio.gather(*(moving.found() for _ in range(3)))
        await moving.index.switch(LANE, number)
        if number == 2:
            await moving.follower.look()
            moving.funnel = moving.follower.funnel
        answers += [*await under_way, await moving.found()]
    assert answers == [["book 1"]] * 16
