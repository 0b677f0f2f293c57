"""The loop that looks for what is due. Each process of the agent has one; SQL says who takes what."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from footnote_agent.automations.begin import BeginTurn, begin_run
from footnote_agent.automations.take import LeasedRun, pause_unreadable, settle, take_due, take_queued
from footnote_agent.store.automations import due_automations, ended_runs, untaken_runs
from footnote_shared.db.database_clock import database_now
from footnote_shared.db.engine import Database, ReadSession, WriteSession
from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.kernel.ids import new_id
from footnote_shared.security.keyring import KeyDestroyed
from footnote_shared.telemetry import context
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)
_AT_ONCE = 100
_ENDS_WITHIN_S = 5.0

Clock = Callable[[ReadSession | WriteSession], datetime]
"""Says the time within a transaction."""


@dataclass(frozen=True, slots=True)
class _Found:
    moment: datetime
    ended: list[str]
    due: list[str]
    untaken: list[str]


class Scheduler:
    """Looks each `look_s` seconds, and at once when woken. `clock` says in each transaction what is due.

    That is the clock of the database: whoever takes a moment moves the automation on to the next one, which
    may lie years ahead. If the clock of a process that was set a day ahead could take it, nothing would run
    until then.
    """

    def __init__(
        self,
        database: Database,
        begin_turn: BeginTurn,
        look_s: float,
        clock: Clock = database_now,
    ) -> None:
        self._owner = new_id()
        self._database = database
        self._begin_turn = begin_turn
        self._look_s = look_s
        self._clock = clock
        self._woken = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Begin to look."""
        self._loop = asyncio.create_task(self._repeat(), name="look for due automations")

    async def close(self) -> None:
        """Look no more. A run that was taken and not begun is another process's when its lease is over."""
        if self._loop is not None:
            await end_tasks([self._loop], _ENDS_WITHIN_S)

    def wake(self) -> None:
        """Look at once: a run was asked for."""
        self._woken.set()

    async def look(self) -> None:
        """Look once: note what has ended, then begin what is due and what others have left."""
        found = await self._database.read_async(self._find)
        for run_id in found.ended:
            await self._database.write_async(partial(settle, run_id=run_id, moment=found.moment))
        for automation_id in found.due:
            try:
                await self._begin(partial(take_due, owner=self._owner, automation_id=automation_id))
            except KeyDestroyed:
                # Left as it is, it would be due for ever, before all that are due later.
                await self._database.write_async(partial(pause_unreadable, automation_id=automation_id))
        for run_id in found.untaken:
            await self._begin(partial(take_queued, owner=self._owner, run_id=run_id))

    def _find(self, session: ReadSession) -> _Found:
        moment = self._clock(session)
        return _Found(
            moment,
            ended_runs(session, _AT_ONCE),
            due_automations(session, moment, _AT_ONCE),
            untaken_runs(session, moment, _AT_ONCE),
        )

    async def _begin(self, take: Callable[..., LeasedRun | None]) -> None:
        def work(session: WriteSession) -> LeasedRun | None:
            return take(session, moment=self._clock(session))

        taken = await self._database.write_async(work)
        if taken is not None:
            context.trace_id.set(context.new_trace_id())
            await begin_run(self._database, self._begin_turn, taken, self._clock)

    async def _repeat(self) -> None:
        while True:
            try:
                await self.look()
            except Unavailable as error:
                _log.warning("automations.waiting", part=error.part)
            except Exception as error:  # noqa: BLE001
                # This loop has to outlive what nobody foresaw: without it nothing here is ever due.
                _log.error("automations.look_failed", exc_info=error)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._look_s):
                    await self._woken.wait()
            self._woken.clear()
