"""An event loop whose clock jumps: what waits for minutes is tested in milliseconds, and to the second."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _LeapingSelector(selectors.SelectSelector):
    """Never waits. It moves the clock by as long as the loop would have waited."""

    def __init__(self, leap: Callable[[float], None]) -> None:
        super().__init__()
        self._leap = leap

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise AssertionError("every task waits for what nothing will bring")
        self._leap(timeout)
        return super().select(0)


class _VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._now_s = 0.0
        super().__init__(_LeapingSelector(self._leap))

    def time(self) -> float:
        return self._now_s

    def _leap(self, seconds: float) -> None:
        self._now_s += max(0.0, seconds)


def now_s() -> float:
    """Seconds by the clock of the running loop, which begins at 0."""
    return asyncio.get_running_loop().time()


def run_in_virtual_time(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end. The work must do no I/O and use no threads, because nothing waits for these."""
    with asyncio.Runner(loop_factory=_VirtualLoop) as runner:
        return runner.run(work)
