"""Asyncio on a clock that the test owns: it stands still while there is work, then jumps to the next timer.

Time-outs and pauses cost nothing and end in the same order on every machine. It is for code that waits for
timers and for other tasks. Code that waits for sockets or processes is not waited for: the clock would jump
over it. Threads are waited for while no timer is set, if the test says so.
"""

import asyncio
import functools
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class OwnClockLoop(asyncio.SelectorEventLoop):
    """`time()` counts the seconds that tasks asked to wait, from zero on."""

    def __init__(self, *, threads: bool = False) -> None:
        self._now = 0.0
        super().__init__(_Jumping(self, threads=threads))

    def time(self) -> float:
        return self._now

    def jump(self, seconds: float) -> None:
        self._now += seconds


class _Jumping(selectors.DefaultSelector):
    """Waits by moving the clock of its loop."""

    def __init__(self, loop: OwnClockLoop, *, threads: bool) -> None:
        super().__init__()
        self._loop = loop
        self._threads = threads

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None and self._threads:
            return super().select(None)
        if timeout is None:
            raise AssertionError(
                "nothing is left that could go on: every task waits for something that never comes"
            )
        ready = super().select(0)
        if not ready:
            self._loop.jump(timeout)
        return ready


def now_s() -> float:
    """Seconds by the clock of the running loop."""
    return asyncio.get_running_loop().time()


def run_on_own_clock(work: Coroutine[Any, Any, T], *, threads: bool = False) -> T:
    """Run the work to its end. `threads`: it also waits for threads, such as those that read SQL."""
    with asyncio.Runner(loop_factory=lambda: OwnClockLoop(threads=threads)) as runner:
        return runner.run(work)


def on_own_clock(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run an asynchronous test on a clock of its own."""

    @functools.wraps(test)
    def run(*args: P.args, **options: P.kwargs) -> None:
        run_on_own_clock(test(*args, **options))

    return run
