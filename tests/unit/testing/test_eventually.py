"""What waiting for a fact gives, and what it says in vain."""

import asyncio
from itertools import count

import pytest

from footnote_testing.eventually import NeverHappened, eventually, eventually_async, patient


def test_what_was_seen_is_returned_when_it_is_true() -> None:
    seen = iter(["", "", "there", "later"])
    assert eventually(lambda: next(seen), "a word is there") == "there"


def test_a_condition_may_be_named() -> None:
    numbers = count()
    assert eventually(lambda: next(numbers), "three", until=lambda number: number == 3) == 3


def test_an_error_of_something_that_is_not_there_yet_is_waited_out() -> None:
    looks = count()

    def look() -> bool:
        if next(looks) < 2:
            raise ConnectionRefusedError
        return True

    assert eventually(look, "somebody listens")


def test_a_condition_that_cannot_be_asked_yet_is_waited_out() -> None:
    seen = iter([[], ["first"]])
    assert eventually(lambda: next(seen), "one came", until=lambda found: found[0]) == ["first"]


def test_in_vain_it_says_what_it_waited_for_and_what_it_saw() -> None:
    with pytest.raises(NeverHappened, match=r"two events are written: not within 0 s; last seen: 1"):
        eventually(lambda: 1, "two events are written", until=lambda number: number == 2, limit_s=0)


def test_in_vain_it_says_which_error_came_last() -> None:
    def look() -> bool:
        raise ConnectionRefusedError("nobody listens")

    with pytest.raises(NeverHappened, match="ConnectionRefusedError: nobody listens") as failure:
        eventually(look, "somebody listens", limit_s=0)
    assert isinstance(failure.value.__cause__, ConnectionRefusedError)


def test_a_mistake_in_the_test_is_not_waited_out() -> None:
    with pytest.raises(ZeroDivisionError):
        eventually(lambda: 1 / 0, "never")


@pytest.mark.parametrize(("waited_s", "pause_s"), [(0, 0.1), (2, 0.1), (4, 0.2), (10, 0.5), (100, 0.5)])
def test_a_long_wait_is_seen_to_end_a_twentieth_later_and_at_most_half_a_second(
    waited_s: float, pause_s: float
) -> None:
    pauses = [patient(0.1, waited_s) for _ in range(50)]
    assert max(pauses) <= pause_s
    assert min(pauses) >= pause_s / 2


def test_its_looks_do_not_fall_in_step_with_what_comes_and_goes() -> None:
    """Such as what is there for half of every tenth of a second, counted from the last look."""
    parts_seen = {patient(0.1, 100) % 0.1 >= 0.05 for _ in range(50)}
    assert parts_seen == {True, False}


async def test_other_tasks_run_while_it_waits() -> None:
    there = asyncio.Event()

    async def look() -> bool:
        if not there.is_set():
            asyncio.get_running_loop().call_soon(there.set)
        return there.is_set()

    assert await eventually_async(look, "the other has run")


async def test_in_vain_the_awaited_look_says_the_same() -> None:
    async def look() -> int:
        return 1

    with pytest.raises(NeverHappened, match=r"never: not within 0 s; last seen: 1"):
        await eventually_async(look, "never", until=lambda number: number == 2, limit_s=0)
