"""Something slow to load, such as a model: loaded once, in a thread, while everything else goes on."""

import asyncio
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from footnote_shared.kernel.errors import FootnoteError

Thing = TypeVar("Thing")


class BackgroundLoad(Generic[Thing]):
    """Calls `load` in a thread. Everybody who waits gets its result or its error. Belongs to one event loop.

    After a failure, calls within `retry_s` seconds fail at once with the same error. The next call loads
    again.
    """

    def __init__(self, load: Callable[[], Thing], *, retry_s: float) -> None:
        self._load = load
        self._retry_s = retry_s
        self._task: asyncio.Task[Thing] | None = None
        self._ended_at = 0.0

    def begin(self) -> None:
        """Start to load, unless that has happened already. Does not wait."""
        if self._task is None or (self._failed and time.monotonic() - self._ended_at >= self._retry_s):
            self._task = asyncio.create_task(self._run())
            self._task.add_done_callback(self._ended)

    async def get(self) -> Thing:
        """The thing, once it is there. A caller that gives up does not end the load for the others."""
        self.begin()
        assert self._task is not None
        return await asyncio.shield(self._task)

    def loaded(self) -> Thing:
        """The thing, for a caller that has waited for it before."""
        assert self._task is not None
        return self._task.result()

    async def close(self) -> None:
        """Wait for a load that is under way: its thread cannot be stopped."""
        if self._task is not None:
            await asyncio.wait({self._task})

    async def _run(self) -> Thing:
        return await asyncio.to_thread(self._load)

    @property
    def _failed(self) -> bool:
        return (
            self._task is not None
            and self._task.done()
            and (self._task.cancelled() or self._task.exception() is not None)
        )

    def _ended(self, task: asyncio.Task[Thing]) -> None:
        self._ended_at = time.monotonic()
        if not task.cancelled() and not isinstance(task.exception(), FootnoteError | None):
            # This error was not raised on purpose, and perhaps nobody waits who would log it.
            asyncio.get_running_loop().call_exception_handler(
                {"message": "loading crashed", "exception": task.exception()}
            )
