"""Writes what one run says into its journal, while the run goes on."""

import asyncio
from types import TracebackType

from pydantic import BaseModel

from footnote_agent.store.turns import LeasedTurn
from footnote_agent.turns.journal import Journal
from footnote_shared.contracts.events import EventType, RawEvent
from footnote_shared.kernel.asyncio_tasks import end_tasks

LINGER_S = 0.002
"""Seconds for which an event waits for one that follows on its heels, such as a tool's start on its line."""

APART_S = 0.02
"""Least seconds between two writes that nobody waits for. A reader sees 50 pieces a second as a flow, and
each costs the agent, the resolver and the reader's connection the same, however short it is.
"""

MOST_WAITING = 64
"""Events that may wait for the journal. A run that is faster than Redis waits with the next one."""

MOST_JOINED_CHARS = 1_024
"""Longest text that pieces of an answer are joined to. A reader gets it in one piece."""

_WRITE_ENDS_WITHIN_S = 5.0


def due(at: float, last_write: float) -> float:
    """When to write what has come `at` a time, in seconds of one clock. Pure."""
    return max(at + LINGER_S, last_write + APART_S)


class JournalWriter:
    """The events of one run, in order. What comes within a blink goes into the journal as one.

    A model that is faster than Redis would wait for it at every piece otherwise, and a tool for the line that
    says so. What the journal refuses is raised by the next call: JournalClosed where this run may not write
    any more, and Unavailable.
    """

    def __init__(self, journal: Journal, leased: LeasedTurn) -> None:
        self._journal = journal
        self._leased = leased
        self._loop = asyncio.get_running_loop()
        self._waiting: list[RawEvent] = []
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._last_write = -APART_S
        self._first: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "JournalWriter":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._forget_timer()
        if self._task is None:
            return
        await end_tasks({self._task}, _WRITE_ENDS_WITHIN_S)
        if self._task.done() and not self._task.cancelled():
            # A run that left by another error was not told of this one. The library would log it as lost.
            self._task.exception()

    async def put(self, kind: EventType, data: BaseModel) -> None:
        """Have an event written within `APART_S` seconds, after all that were put before."""
        if self._task is not None and self._task.done():
            await self._task
        event = self._journal.event(self._leased, kind, data)
        if not self._joined(event):
            self._waiting.append(event)
        if len(self._waiting) >= MOST_WAITING:
            await self.written()
        elif not self._writing:
            self._write_soon()

    async def written(self) -> None:
        """Have all that was put written at once, and wait until the journal has it."""
        while True:
            self._begin()
            if self._task is None:
                return
            await asyncio.shield(self._task)
            if not self._waiting:
                return

    def hold_back_until(self, first: asyncio.Task[None]) -> None:
        """Nothing that is put from now on is written before this is over, whatever its end."""
        self._first = first

    @property
    def _writing(self) -> bool:
        return self._task is not None and not self._task.done()

    @property
    def _refused(self) -> bool:
        return self._task is not None and self._task.done() and self._task.exception() is not None

    def _write_soon(self) -> None:
        if self._timer is None:
            self._timer = self._loop.call_at(due(self._loop.time(), self._last_write), self._begin)

    def _begin(self) -> None:
        """Write what waits, unless a write goes on. Behind one that was refused nothing follows."""
        self._forget_timer()
        if self._waiting and not self._writing and not self._refused:
            self._task = asyncio.create_task(self._write(), name=f"journal {self._leased.id}")

    def _forget_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _write(self) -> None:
        if self._first is not None:
            (first,), _ = await asyncio.wait({self._first})
            self._first = None
            if not first.cancelled():
                # The run that began it hears of what went wrong. The library would log it as lost.
                first.exception()
        batch, self._waiting = self._waiting, []
        self._last_write = self._loop.time()
        await self._journal.append_all(self._leased, batch)
        if self._waiting:
            self._write_soon()

    def _joined(self, event: RawEvent) -> bool:
        """Add a piece of text to one that waits."""
        last = self._waiting[-1] if self._waiting else None
        if last is None or event.type != "text.delta" or last.type != "text.delta":
            return False
        text = last.data["text"] + event.data["text"]
        if len(text) > MOST_JOINED_CHARS:
            return False
        last.data["text"] = text
        return True
