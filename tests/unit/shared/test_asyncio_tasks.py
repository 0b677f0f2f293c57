"""Tasks that do not hear a cancel, and those who wait for them."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from footnote_shared.kernel.asyncio_tasks import AGAIN_S, end_tasks, no_cancel_lost, run_together
from footnote_testing.own_clock import on_own_clock


class Deaf:
    """Work that drops the first `deaf_to` cancels."""

    def __init__(self, deaf_to: float) -> None:
        self._deaf_to = deaf_to
        self.dropped = 0
        self.ended = False
        self.let_go = asyncio.Event()

    async def work(self) -> None:
        while not self.let_go.is_set():
            try:
                await self.let_go.wait()
            except asyncio.CancelledError:
                if self.dropped >= self._deaf_to:
                    self.ended = True
                    raise
                self.dropped += 1


async def begun(work: Deaf) -> "asyncio.Task[None]":
    task = asyncio.create_task(work.work())
    await asyncio.sleep(0)
    return task


def reports() -> list[dict[str, Any]]:
    """What is told to the loop's exception handler from now on."""
    found: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, told: found.append(told))
    return found


class TestEndingTasks:
    @on_own_clock
    async def test_a_task_that_hears_ends_at_once(self) -> None:
        task = await begun(Deaf(0))
        started = asyncio.get_running_loop().time()
        assert await end_tasks({task}, within_s=30) == set()
        assert task.cancelled()
        assert asyncio.get_running_loop().time() == started

    @on_own_clock
    async def test_a_task_that_dropped_a_cancel_is_cancelled_again(self) -> None:
        work = Deaf(1)
        task = await begun(work)
        assert await end_tasks({task}, within_s=30) == set()
        assert task.cancelled()
        assert work.dropped == 1

    @on_own_clock
    async def test_a_task_that_never_hears_is_given_back_in_time_and_reported(self) -> None:
        told = reports()
        work = Deaf(float("inf"))
        task = await begun(work)
        async with asyncio.timeout(10):
            assert await end_tasks({task}, within_s=0.2) == {task}
        assert [report["task"] for report in told] == [task]
        work.let_go.set()
        await task

    @on_own_clock
    async def test_a_task_that_tidies_up_is_left_in_peace(self) -> None:
        tidied = asyncio.Event()

        async def work() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(AGAIN_S / 4)
                tidied.set()

        task = asyncio.create_task(work())
        await asyncio.sleep(0)
        await end_tasks({task}, within_s=30)
        assert tidied.is_set()

    @on_own_clock
    async def test_what_a_task_raises_is_its_own_affair(self) -> None:
        async def work() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                raise ValueError("at the end")

        task = asyncio.create_task(work())
        await asyncio.sleep(0)
        assert await end_tasks({task}, within_s=30) == set()
        assert isinstance(task.exception(), ValueError)

    @on_own_clock
    async def test_goes_on_when_the_one_who_waits_is_cancelled(self) -> None:
        task = await begun(Deaf(1))
        waiting = asyncio.create_task(end_tasks({task}, within_s=30))
        await asyncio.sleep(0)
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting
        await asyncio.wait({task}, timeout=10)
        assert task.cancelled()


class TestRunningTogether:
    @on_own_clock
    async def test_an_error_ends_all_and_is_raised(self) -> None:
        deaf = Deaf(1)

        async def fails() -> None:
            await asyncio.sleep(0)
            raise ValueError("broken")

        with pytest.raises(ValueError, match="broken"):
            await run_together(deaf.work(), fails(), within_s=30)
        assert deaf.dropped == 1

    @on_own_clock
    async def test_a_cancel_ends_all(self) -> None:
        loops = [Deaf(0), Deaf(1)]
        task = asyncio.create_task(run_together(*(loop.work() for loop in loops), within_s=30))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await end_tasks({task}, within_s=30)
        assert task.cancelled()
        assert all(loop.ended for loop in loops)


class TestACancelThatABlockDropped:
    @on_own_clock
    async def test_is_raised_behind_the_block(self) -> None:
        async def work() -> None:
            with no_cancel_lost(), suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            await asyncio.Event().wait()

        task = asyncio.create_task(work())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task}, timeout=5)
        assert task.cancelled()

    @on_own_clock
    async def test_is_a_timeout_for_the_timer_that_sent_it(self) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                with no_cancel_lost(), suppress(asyncio.CancelledError):
                    await asyncio.Event().wait()

    @on_own_clock
    async def test_is_not_made_up(self) -> None:
        with no_cancel_lost():
            await asyncio.sleep(0)
