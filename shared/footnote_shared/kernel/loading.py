"""Something slow to load, loaded once in a thread beside everything else."""

import asyncio
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from footnote_shared.kernel.errors import FootnoteError

Thing = TypeVar("Thing")


class Loading(Generic[Thing]):
    """Belongs to one event loop. `load` is called in a thread; what it raises is raised to whoever waits.

    After a failure, calls within `retry_s` seconds fail at once with the same error; the next one loads again.
    """

    def __init__(self, load: Callable[[], Thing], *, retry_s: float) -> None:
        self._load = load
        self._retry_s = retry_s
        self._task: asyncio.Task[Thing] | None = None
        self._ended_at = 0.0

    def begin(self) -> None:
        """Load without waiting for the end."""
        if self._task is None or (self._failed and time.monotonic() - self._ended_at >= self._retry_s):
            self._task = asyncio.create_task(self._run())
            self._task.add_done_callback(self._ended)

    async def get(self) -> Thing:
        """The thing, once it is there. A caller that gives up does not end the loading for the others."""
        self.begin()
        assert self._task is not None
        return await asyncio.shield(self._task)

    def loaded(self) -> Thing:
        """The thing, which has been waited for before."""
        assert self._task is not None
        return self._task.result()

    async def close(self) -> None:
        """Wait for a load that is under way; its thread cannot be stopped."""
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
            # Not one of the errors that are raised on purpose: nobody may be waiting who would log it.
            asyncio.get_running_loop().call_exception_handler(
                {"message": "loading crashed", "exception": task.exception()}
            )
