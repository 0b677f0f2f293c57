"""Looking again until something is there, ever less often and not for ever."""

import asyncio

import pytest

from footnote_shared.kernel.errors import Unavailable
from footnote_shared.kernel.polling import GrowingPause, look_until_found
from footnote_testing.own_clock import on_own_clock


class Looks:
    """Something that is there from the look with number `there_at` on; counts the looks."""

    def __init__(self, there_at: int) -> None:
        self.count = 0
        self._there_at = there_at

    async def __call__(self) -> str | None:
        self.count += 1
        return "there" if self.count >= self._there_at else None


def test_pauses_double_up_to_the_longest_and_begin_anew_after_a_success() -> None:
    pause = GrowingPause(0.1)
    assert [pause.next_s() for _ in range(7)] == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]
    pause.reset()
    assert pause.next_s() == 0.1


@on_own_clock
async def test_what_is_there_is_found_without_a_pause() -> None:
    looks = Looks(there_at=1)
    assert await look_until_found(looks, GrowingPause(60, 60), patience_s=0) == "there"
    assert looks.count == 1


@on_own_clock
async def test_what_comes_later_is_found_before_the_time_is_up() -> None:
    looks = Looks(there_at=5)
    assert await look_until_found(looks, GrowingPause(1), patience_s=60) == "there"
    assert looks.count == 5
    assert asyncio.get_running_loop().time() == 1 + 2 + 2 + 2


@on_own_clock
async def test_what_never_comes_is_looked_for_until_the_time_is_up() -> None:
    looks = Looks(there_at=1_000_000)
    assert await look_until_found(looks, GrowingPause(1, 60), patience_s=20) is None
    assert asyncio.get_running_loop().time() == 20
    # At the seconds 0, 1, 3, 7, 15, and once more when the time is up.
    assert looks.count == 6


@on_own_clock
async def test_a_look_that_fails_ends_the_wait() -> None:
    async def look() -> None:
        raise Unavailable("sql", "away")

    with pytest.raises(Unavailable):
        await look_until_found(look, GrowingPause(0.01), patience_s=60)
