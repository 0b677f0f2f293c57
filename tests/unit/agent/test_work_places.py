"""Turns at work: never more than there are places, nobody waits for one who waits for something else."""

import asyncio
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_agent.engines.work_places import WorkPlaces, at_work, elsewhere
from footnote_testing.eventually import eventually_async

PLACES = 2
LONG_S = 3600.0
STEPS = st.lists(st.sampled_from(["works", "asks", "asks and fails", "is cancelled"]), min_size=1, max_size=4)


@dataclass
class Floor:
    """Counts who works at this moment, and the most that did."""

    at_once: int = 0
    most: int = 0
    order: list[str] = field(default_factory=list)

    async def work(self, name: str = "") -> None:
        self.order.append(name)
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1


async def _until(places: WorkPlaces, what: str, **wanted: int) -> None:
    async def looks() -> dict[str, int]:
        return {"free": places.free, "waiting": places.waiting}

    await eventually_async(looks, what, until=lambda seen: wanted.items() <= seen.items())


async def _turn(places: WorkPlaces, floor: Floor, steps: list[str]) -> None:
    async with at_work(places):
        for step in steps:
            await floor.work()
            if step == "is cancelled":
                raise asyncio.CancelledError
            if step == "asks and fails":
                async with elsewhere():
                    await asyncio.sleep(0)
                    raise ConnectionError
            if step == "asks":
                async with elsewhere():
                    await asyncio.sleep(0)


@given(st.lists(STEPS, min_size=1, max_size=12))
async def test_no_more_work_than_there_are_places_and_each_is_free_at_the_end(turns: list[list[str]]) -> None:
    places, floor = WorkPlaces(PLACES, held_s=LONG_S), Floor()
    await asyncio.gather(*(_turn(places, floor, steps) for steps in turns), return_exceptions=True)
    assert floor.most <= PLACES
    assert (floor.at_once, places.waiting, places.free) == (0, 0, PLACES)


async def test_while_one_asks_a_model_another_has_its_place() -> None:
    places, asked, answered = WorkPlaces(1, held_s=LONG_S), asyncio.Event(), asyncio.Event()

    async def asks() -> None:
        async with at_work(places), elsewhere():
            asked.set()
            await answered.wait()

    task = asyncio.create_task(asks())
    await asked.wait()
    async with at_work(places):
        assert not task.done()
    answered.set()
    await task


async def test_those_that_have_begun_come_before_those_that_have_not() -> None:
    places, floor = WorkPlaces(1, held_s=LONG_S), Floor()
    asked, answered = asyncio.Event(), asyncio.Event()

    async def begun() -> None:
        async with at_work(places):
            async with elsewhere():
                asked.set()
                await answered.wait()
            await floor.work("begun")

    async def fresh() -> None:
        async with at_work(places):
            await floor.work("fresh")

    first = asyncio.create_task(begun())
    await asked.wait()
    async with at_work(places):
        second = asyncio.create_task(fresh())
        await _until(places, "the second waits", waiting=1)
        answered.set()
        await _until(places, "both wait", waiting=2)
    await asyncio.gather(first, second)
    assert floor.order == ["begun", "fresh"]


async def test_one_that_waits_for_something_slow_keeps_its_place_from_nobody() -> None:
    places, begun, slow = WorkPlaces(1, held_s=0.01), asyncio.Event(), asyncio.Event()

    async def reads_a_slow_page() -> None:
        async with at_work(places):
            begun.set()
            await slow.wait()
            async with elsewhere():
                await asyncio.sleep(0)

    task = asyncio.create_task(reads_a_slow_page())
    await begun.wait()
    async with at_work(places):
        slow.set()
    await task
    assert places.free == 1


async def test_one_that_is_cancelled_while_it_waits_takes_no_place_along() -> None:
    places = WorkPlaces(1, held_s=LONG_S)
    async with at_work(places):
        waiting = [asyncio.create_task(_turn(places, Floor(), ["works"])) for _ in range(2)]
        await _until(places, "both wait", waiting=2)
        waiting[0].cancel()
    # The second may have been given the place at the moment at which it is cancelled.
    waiting[1].cancel()
    for task in waiting:
        with pytest.raises(asyncio.CancelledError):
            await task
    assert (places.free, places.waiting) == (1, 0)


async def test_subagents_of_one_turn_share_its_place() -> None:
    places, floor, answered = WorkPlaces(1, held_s=LONG_S), Floor(), asyncio.Event()

    async def subagent() -> None:
        async with elsewhere():
            await answered.wait()
        await floor.work()

    async with at_work(places):
        below = [asyncio.create_task(subagent()) for _ in range(3)]
        await _until(places, "all are elsewhere", free=1)
        answered.set()
        await asyncio.gather(*below)
        assert places.free == 0
    assert places.free == 1


async def test_outside_of_a_turn_nobody_waits() -> None:
    async with elsewhere():
        pass
