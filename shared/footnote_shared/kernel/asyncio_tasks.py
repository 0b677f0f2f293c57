"""Ending asyncio tasks reliably, although a cancel can get lost and a task can refuse to end."""

import asyncio
from collections.abc import Collection, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

AGAIN_S = 1.0
"""Seconds between two cancels of one task. A task that was heard has this long to tidy up undisturbed."""

_ending: set[asyncio.Task[Any]] = set()


async def end_tasks(tasks: Collection[asyncio.Task[Any]], within_s: float) -> set[asyncio.Task[Any]]:
    """Cancel tasks until they have ended. Returns those that still run after `within_s` seconds.

    One cancel is not enough: `asyncio.wait_for` of Python 3.11 drops a cancel that arrives just when what it
    waits for ends (CPython issue 86296), and so do the libraries that are built on it. A task that still runs
    is reported to the loop's exception handler together with the place where it stands.

    A caller that is cancelled meanwhile leaves at once; the tasks are ended behind it. What a task raises is
    not raised here.
    """
    for task in tasks:
        task.cancel()
    ending = asyncio.create_task(_end(set(tasks), within_s), name="end tasks")
    _ending.add(ending)
    ending.add_done_callback(_ending.discard)
    return await asyncio.shield(ending)


async def run_together(*loops: Coroutine[Any, Any, None], within_s: float) -> None:
    """Run endless loops side by side until one of them ends or the caller is cancelled; then end the others.

    Raises what the loop that ended first raised. `within_s`: seconds that the others get to end.
    """
    tasks = [asyncio.create_task(loop) for loop in loops]
    try:
        ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await end_tasks(tasks, within_s)
    for task in ended:
        task.result()


@contextmanager
def no_cancel_lost() -> Iterator[None]:
    """Raise CancelledError after the block if it has dropped a cancel of the task that runs it."""
    task = asyncio.current_task()
    assert task is not None
    before = task.cancelling()
    try:
        yield
    finally:
        if task.cancelling() > before:
            raise asyncio.CancelledError


async def _end(tasks: set[asyncio.Task[Any]], within_s: float) -> set[asyncio.Task[Any]]:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + within_s
    running = {task for task in tasks if not task.done()}
    while running and (left := deadline - loop.time()) > 0:
        _, running = await asyncio.wait(running, timeout=min(AGAIN_S, left))
        for task in running:
            task.cancel()
    for task in running:
        loop.call_exception_handler({"message": "a cancelled task does not end", "task": task})
    return running
