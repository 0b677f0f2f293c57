"""The clock that a test owns: nobody waits, and everything happens in the order of its time."""

import asyncio
import time

import pytest

from footnote_testing.own_clock import on_own_clock


@on_own_clock
async def test_an_hour_is_over_at_once() -> None:
    loop = asyncio.get_running_loop()
    begun, really_begun = loop.time(), time.monotonic()
    await asyncio.sleep(3600)
    assert loop.time() - begun == 3600
    assert time.monotonic() - really_begun < 3600


@on_own_clock
async def test_what_is_due_first_happens_first() -> None:
    happened: list[str] = []

    async def later(name: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        happened.append(name)

    await asyncio.gather(later("third", 30), later("first", 10), later("second", 20))
    assert happened == ["first", "second", "third"]


@on_own_clock
async def test_a_time_limit_passes_only_when_nothing_is_left_to_do() -> None:
    async with asyncio.timeout(0.001):
        for _ in range(10_000):
            await asyncio.sleep(0)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.001):
            await asyncio.Event().wait()


def test_waiting_for_what_never_comes_fails() -> None:
    @on_own_clock
    async def wait() -> None:
        await asyncio.Event().wait()

    with pytest.raises(AssertionError, match="never comes"):
        wait()
