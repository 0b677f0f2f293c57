"""Which version of the lane of facts is searched, and how often anybody asks."""

from dataclasses import replace

import pytest

from footnote_retriever.funnel.fact_lane import FactLane
from footnote_shared.vectors.protocol import LaneVersion
from footnote_testing.memory_vectors import MemoryVectorIndex
from tests.unit.retriever.funnel_on_fakes import FunnelOnFakes
from tests.unit.retriever.test_facts import FACT, FACTS, QUERY, RATES, funnel, state


class CountedIndex(MemoryVectorIndex):
    asked = 0

    async def live_version(self, lane: str) -> LaneVersion | None:
        self.asked += 1
        return await super().live_version(lane)


@pytest.fixture
async def on() -> FunnelOnFakes:
    found = await funnel()
    found.funnel = replace(found.funnel, fact_lane=FactLane(FACTS, known_for_s=3600))
    return found


async def test_it_is_asked_once_in_a_while_and_not_by_each_search() -> None:
    index, lane = CountedIndex(), FactLane(FACTS, known_for_s=3600)
    assert [await lane.live(index) for _ in range(2)] == [None, None]
    assert index.asked == 2
    fingerprint = (await funnel()).embedder.fingerprint
    await index.open_lane(FACTS, fingerprint)
    for _ in range(5):
        live = await lane.live(index)
        assert live is not None
        assert live.fingerprint == fingerprint
    assert index.asked == 3
    soon = FactLane(FACTS, known_for_s=0)
    for _ in range(5):
        await soon.live(index)
    assert index.asked == 8


async def test_a_version_that_is_gone_is_not_searched(on: FunnelOnFakes) -> None:
    fact = await state(on, RATES, FACT)
    before = await on.search(QUERY, facts=True)
    assert [one.id for passage in before.passages for one in passage.facts] == [fact]
    await on.index.make_version(FACTS, 2, on.embedder.fingerprint)
    await on.index.switch(FACTS, 2)
    await on.index.drop_version(FACTS, 1)
    after = await on.search(QUERY, facts=True)
    assert after.degraded == []
    assert all(passage.facts == [] for passage in after.passages)
    fresh = await state(on, RATES, FACT)
    again = await on.search(QUERY, facts=True)
    assert [one.id for passage in again.passages for one in passage.facts] == [fresh]


async def test_a_version_of_another_model_is_named_as_missing_once_the_former_is_gone(
    on: FunnelOnFakes,
) -> None:
    await state(on, RATES, FACT)
    await on.search(QUERY, facts=True)
    await on.index.make_version(FACTS, 2, replace(on.embedder.fingerprint, revision="2"))
    await on.index.switch(FACTS, 2)
    await on.index.drop_version(FACTS, 1)
    assert (await on.search(QUERY, facts=True)).degraded == ["facts"]
