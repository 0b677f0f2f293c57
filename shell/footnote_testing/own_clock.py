"""Asyncio on a clock that the test owns: while there is work it stands still, then it jumps to the next timer.

Time-outs and pauses cost nothing and end in the same order on every machine. It is for code that waits for timers and
for other tasks. Code that waits for threads, sockets or processes is not waited for: the clock would jump over it.
"""

import asyncio
import functools
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec

P = ParamSpec("P")


class OwnClockLoop(asyncio.SelectorEventLoop):
    """`time()` counts the seconds that tasks asked to wait, from zero on."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_Jumping(self))

    def time(self) -> float:
        return self._now

    def jump(self, seconds: float) -> None:
        self._now += seconds


class _Jumping(selectors.DefaultSelector):
    """Waits by moving the clock of its loop."""

    def __init__(self, loop: OwnClockLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise AssertionError(
                "nothing is left that could go on: every task waits for something that never comes"
            )
        ready = super().select(0)
        if not ready:
            self._loop.jump(timeout)
        return ready


def on_own_clock(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run an asynchronous test on a clock of its own."""

    @functools.wraps(test)
    def run(*args: P.args, **options: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=OwnClockLoop) as runner:
            runner.run(test(*args, **options))

    return run
