"""A schedule goes by the clock of the database, whichever the process has that looks or writes it down."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta

import pytest

from footnote_agent.automations.edit import asked_turn, make_automation
from footnote_agent.automations.scheduled_by_turn import schedule_once
from footnote_agent.automations.scheduler import Scheduler
from footnote_agent.contracts.automations import NewAutomation
from footnote_agent.store.automation_tables import AutomationRow, AutomationRunRow
from footnote_agent.store.automations import find_automation, list_runs
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now
from footnote_shared.settings.base import Settings
from footnote_testing.workspace import make_caller
from footnote_testing.wrong_clock import outdated_clock, wrong_clock

A_DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
Wrong = Callable[[timedelta], AbstractContextManager[None]]

ways = pytest.mark.parametrize("wrong", [wrong_clock, outdated_clock])


class Schedule:
    """One automation of one avatar, and what was asked for it."""

    def __init__(self, database: Database, due_in: timedelta) -> None:
        self._database = database
        self._owner, _ = make_caller(database)
        self.asked: list[str] = []
        body = NewAutomation(name="News", text="What is new?", schedule="0 9 1 1 *")
        with database.write() as session:
            row = make_automation(session, Settings(), self._owner, body, asked_turn(body), now())
            row.next_due_at = self.due_at = now() + due_in
            self._id = row.id

    async def look(self) -> None:
        async def begin_turn(caller: Principal, thread_id: str, body: object, alongside: object) -> None:
            self.asked.append(thread_id)

        await Scheduler(self._database, begin_turn, 5.0).look()

    def row(self) -> AutomationRow:
        with self._database.read() as session:
            return find_automation(session, self._owner, self._id)

    def runs(self) -> list[AutomationRunRow]:
        with self._database.read() as session:
            return list_runs(session, self._owner, self._id, 10, None)


@ways
async def test_tomorrows_moment_is_left_for_tomorrow(database: Database, wrong: Wrong) -> None:
    schedule = Schedule(database, due_in=HOUR)
    with wrong(A_DAY):
        await schedule.look()
    assert schedule.runs() == []
    assert schedule.row().next_due_at == schedule.due_at


@ways
async def test_a_moment_that_has_come_does_not_wait_for_a_clock_that_is_behind(
    database: Database, wrong: Wrong
) -> None:
    schedule = Schedule(database, due_in=timedelta(minutes=-1))
    with wrong(-A_DAY):
        await schedule.look()
    (run,) = schedule.runs()
    assert len(schedule.asked) == 1
    assert abs(run.created_at - now()) < HOUR
    following = schedule.row().next_due_at
    assert following is not None
    assert following > now()


@ways
@pytest.mark.parametrize("ahead", [A_DAY, -A_DAY])
async def test_the_first_moment_of_a_schedule_is_the_next_one(
    database: Database, wrong: Wrong, ahead: timedelta
) -> None:
    owner, _ = make_caller(database)
    hourly = NewAutomation(name="News", text="What is new?", schedule="0 * * * *")
    with wrong(ahead):
        made = await schedule_once(database, Settings(), owner, hourly, "a-call")
    assert made.next_due_at is not None
    assert timedelta(minutes=-1) < made.next_due_at - now() <= HOUR
