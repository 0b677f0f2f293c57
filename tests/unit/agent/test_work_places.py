"""Turns at work: never more than there are places, nobody waits for one who waits for something else."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import REGISTRY

from footnote_agent.engines.work_places import WorkPlaces, at_work, begun_with, elsewhere
from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_testing.eventually import LIMIT_S, eventually_async

PLACES = 2
LONG_S = 3600.0
STEPS = st.lists(st.sampled_from(["works", "asks", "asks and fails", "is cancelled"]), min_size=1, max_size=4)

ONE_STEP = st.sampled_from(["works", "asks", "asks and fails", "asks a person"])
AGENTS = st.lists(
    st.recursive(ONE_STEP, lambda below: st.lists(st.lists(below, max_size=3), max_size=3), max_leaves=8),
    max_size=4,
)
"""What one agent does, step by step: a list in it are subagents, side by side, each with steps of its own."""


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


async def _agent(steps: Sequence[Any]) -> None:
    for step in steps:
        if isinstance(step, list):
            below = {asyncio.create_task(_agent(one)) for one in step}
            try:
                await asyncio.gather(*below, return_exceptions=True)
            finally:
                await end_tasks(below, LIMIT_S)
        elif step == "asks a person":
            for _ in range(5):
                await asyncio.sleep(0)
        elif step == "works":
            await asyncio.sleep(0)
        else:
            async with elsewhere():
                await asyncio.sleep(0)
                if step == "asks and fails":
                    raise ConnectionError


async def _orchestrator(places: WorkPlaces, steps: Sequence[Any]) -> None:
    async with at_work(places):
        await _agent(steps)


@given(
    st.lists(st.tuples(AGENTS, st.none() | st.integers(0, 25)), min_size=1, max_size=10),
    st.sampled_from([LONG_S, 0.0]),
)
async def test_subagents_that_fail_and_turns_cut_off_at_any_point_lose_no_place(
    turns: list[tuple[list[Any], int | None]], held_s: float
) -> None:
    places = WorkPlaces(PLACES, held_s=held_s)
    tasks = [asyncio.create_task(_orchestrator(places, steps)) for steps, _ in turns]
    for tick in range(26):
        for task, (_, cut_off) in zip(tasks, turns, strict=True):
            if cut_off == tick:
                task.cancel()
        await asyncio.sleep(0)
    async with asyncio.timeout(LIMIT_S):
        await asyncio.gather(*tasks, return_exceptions=True)
    assert (places.waiting, places.free) == (0, PLACES)
    assert _shown_at_work() == {"working": 0, "waiting": 0}


def _shown_at_work() -> dict[str, float | None]:
    return {
        state: REGISTRY.get_sample_value("footnote_turns_at_work", {"state": state})
        for state in ("working", "waiting")
    }


async def test_when_a_model_dies_its_turns_come_back_one_after_the_other() -> None:
    places, floor, died = WorkPlaces(PLACES, held_s=LONG_S), Floor(), asyncio.Event()

    async def loses_its_model() -> None:
        async with at_work(places):
            try:
                async with elsewhere():
                    await died.wait()
                    raise ConnectionError
            except ConnectionError:
                await floor.work()

    tasks = [asyncio.create_task(loses_its_model()) for _ in range(3 * PLACES)]
    await _until(places, "all have asked", free=PLACES, waiting=0)
    died.set()
    await asyncio.gather(*tasks)
    assert (len(floor.order), floor.most, places.free) == (3 * PLACES, PLACES, PLACES)


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


async def test_no_work_is_begun_while_somebody_waits_for_a_first_event() -> None:
    places, floor = WorkPlaces(PLACES, held_s=LONG_S, owed_s=LONG_S), Floor()
    one, other = places.owe_first_event(), places.owe_first_event()
    turns = [asyncio.create_task(_turn(places, floor, ["asks", "works"])) for _ in range(3)]
    await _until(places, "all turns wait", waiting=3)
    one()
    one()
    await asyncio.sleep(0)
    assert (places.waiting, floor.order) == (3, [])
    other()
    await asyncio.gather(*turns)
    assert floor.most <= PLACES
    assert (places.waiting, places.free) == (0, PLACES)


async def test_its_own_first_event_does_not_hold_a_turn_back_and_does_so_with_others() -> None:
    places, own, others = WorkPlaces(PLACES, held_s=LONG_S, owed_s=LONG_S), Floor(), Floor()
    sent = places.owe_first_event()
    with begun_with(sent):
        mine = asyncio.create_task(_turn(places, own, ["works", "asks", "works"]))
    other = asyncio.create_task(_turn(places, others, ["works"]))
    async with asyncio.timeout(LIMIT_S):
        await mine
    assert (len(own.order), others.order, places.waiting) == (3, [], 1)
    sent()
    await other
    assert (places.waiting, places.free) == (0, PLACES)


async def test_of_turns_that_begin_together_one_goes_on_once_all_others_have_their_first_event() -> None:
    places, floors = WorkPlaces(PLACES, held_s=LONG_S, owed_s=LONG_S), [Floor() for _ in range(3)]
    owed, turns = [places.owe_first_event() for _ in floors], []
    for sent, floor in zip(owed, floors, strict=True):
        with begun_with(sent):
            turns.append(asyncio.create_task(_turn(places, floor, ["works"])))
    await _until(places, "all turns wait", waiting=3)
    owed[0]()
    await asyncio.sleep(0)
    assert places.waiting == 3
    owed[1]()
    async with asyncio.timeout(LIMIT_S):
        await turns[2]
    assert [floor.order for floor in floors] == [[], [], [""]]
    owed[2]()
    await asyncio.gather(*turns)
    assert (places.waiting, places.free) == (0, PLACES)


async def test_a_turn_that_was_elsewhere_waits_too_and_comes_first() -> None:
    places, floor = WorkPlaces(1, held_s=LONG_S, owed_s=LONG_S), Floor()
    asked, answers = asyncio.Event(), asyncio.Event()

    async def begun() -> None:
        async with at_work(places):
            async with elsewhere():
                asked.set()
                await answers.wait()
            await floor.work("begun")

    async def fresh() -> None:
        async with at_work(places):
            await floor.work("fresh")

    first = asyncio.create_task(begun())
    await asked.wait()
    sent = places.owe_first_event()
    second = asyncio.create_task(fresh())
    await _until(places, "the new turn waits", waiting=1)
    answers.set()
    await _until(places, "both wait", waiting=2)
    sent()
    await asyncio.gather(first, second)
    assert floor.order == ["begun", "fresh"]


async def test_work_goes_on_where_first_events_are_owed_all_the_time() -> None:
    places, floor = WorkPlaces(PLACES, held_s=LONG_S, owed_s=0.01), Floor()
    owed = [places.owe_first_event()]

    async def keep_asking() -> None:
        while True:
            owed.append(places.owe_first_event())
            await asyncio.sleep(0.001)

    asking = asyncio.create_task(keep_asking())
    async with asyncio.timeout(LIMIT_S):
        await asyncio.gather(*(_turn(places, floor, ["asks", "works"]) for _ in range(5)))
    assert len(owed) > 1
    await end_tasks({asking}, LIMIT_S)
    for sent in owed:
        sent()
    async with asyncio.timeout(LIMIT_S):
        await _turn(places, floor, ["works"])
    assert places.free == PLACES


async def test_a_first_event_that_is_never_sent_holds_work_back_for_a_moment_only() -> None:
    places, floor = WorkPlaces(PLACES, held_s=LONG_S, owed_s=0.01), Floor()
    for _ in range(3):
        places.owe_first_event()
        async with asyncio.timeout(LIMIT_S):
            await _turn(places, floor, ["works"])
    assert places.free == PLACES
