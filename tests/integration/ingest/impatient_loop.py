"""An event loop that does not wait for timers: its clock jumps to the next one that is due."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

Answer = TypeVar("Answer")


class _ImpatientSelector(selectors.SelectSelector):
    skipped = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            # No timer is set: a thread is at work, and the loop waits for it.
            return super().select(None)
        ready = super().select(0)
        if not ready:
            self.skipped += timeout
        return ready


class _ImpatientLoop(asyncio.SelectorEventLoop):
    def __init__(self, selector: _ImpatientSelector) -> None:
        super().__init__(selector)
        self._impatient = selector

    def time(self) -> float:
        return self._impatient.skipped


def run_impatiently(work: Coroutine[Any, Any, Answer]) -> Answer:
    """Run the coroutine on such a loop. Its clock begins at 0 and moves only when it jumps."""
    with asyncio.Runner(loop_factory=lambda: _ImpatientLoop(_ImpatientSelector())) as runner:
        return runner.run(work)
