"""Taking what is due, and ending runs: every step is one transaction, so that a kill leaves no half of one.

The transaction that takes a due moment also moves the automation on to its next one, and SQL lets no second
run have the same moment. So it has one run, whichever process looks, and however often one dies.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import update
from sqlmodel import col, select

from footnote_agent.automations.due_plan import LeftOut, plan_due
from footnote_agent.automations.schedule import read_schedule
from footnote_agent.contracts.automations import AutomationRunStatus, Missed
from footnote_agent.store.automation_tables import AutomationRow, AutomationRunRow
from footnote_agent.store.automations import LONGEST_WAIT, forget_old_runs, has_run, is_busy
from footnote_agent.store.tables import ThreadRow, TurnRow
from footnote_shared.db.awaited_moments import is_over
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import rfc3339
from footnote_shared.kernel.errors import InvalidRequest
from footnote_shared.kernel.ids import new_id
from footnote_shared.telemetry import metrics

LEASE = timedelta(seconds=60)
"""How long a process may take to begin the turn of a run before another one takes the run."""

MOST_LOST = 5
"""Processes that may die over the beginning of one run. The next one ends it as failed."""

_LEFT_OUT: dict[LeftOut, str] = {
    "missed": "No process was there at its moment, and missed runs are to be skipped.",
    "busy": "The run before it had not ended.",
}


@dataclass(frozen=True, slots=True)
class LeasedRun:
    """A run as whoever begins its turn holds it. `fence` grows with every take; the highest alone counts."""

    id: str
    automation_id: str
    fence: int
    created_at: datetime


def take_due(session: WriteSession, owner: str, automation_id: str, moment: datetime) -> LeasedRun | None:
    """Take the due moment of an automation that has come.

    None when another process was quicker, or when no run is to be; a row then says why.
    """
    query = select(AutomationRow).where(col(AutomationRow.id) == automation_id).with_for_update()
    automation = session.exec(query).first()
    if automation is None or automation.next_due_at is None or automation.next_due_at > moment:
        return None
    run = AutomationRunRow(
        id=new_id(),
        workspace_id=automation.workspace_id,
        avatar_id=automation.avatar_id,
        automation_id=automation.id,
        version=automation.version,
        trigger="schedule",
        due_key="",
        due_at=automation.next_due_at,
        takes=1,
        lease_owner=owner,
        lease_until=moment + LEASE,
        created_at=moment,
    )
    session.add(automation)
    try:
        schedule = read_schedule(automation.schedule, automation.time_zone)
    except InvalidRequest as error:
        # A zone can go with an update of the machine.
        automation.paused, automation.next_due_at = True, None
        run.due_key = run.id
        end_run(session, run, "failed", moment, f"{error.detail} It is paused until somebody changes it.")
        return None
    busy = is_busy(session, automation.id)
    missed: Missed = "skip" if automation.missed == "skip" else "run_once"
    plan = plan_due(schedule, automation.next_due_at, moment, missed, busy=busy)
    automation.next_due_at = plan.next_due_at
    run.trigger, run.due_at, run.missed_since = plan.trigger, plan.due_at, plan.missed_since
    run.due_key = rfc3339(plan.due_at)
    if has_run(session, automation.id, run.due_key):
        # The clock of the machine was set back, and the moment has come once more.
        return None
    forget_old_runs(session, automation.id)
    if plan.left_out is not None:
        end_run(session, run, "skipped", moment, _LEFT_OUT[plan.left_out])
        return None
    session.add(run)
    return _taken(run)


def take_queued(session: WriteSession, owner: str, run_id: str, moment: datetime) -> LeasedRun | None:
    """Take a run that waits to be begun and that nobody holds any more. None when another was quicker."""
    run = _locked(session, run_id)
    if run is None or run.status != "queued" or not is_over(run.lease_until, LONGEST_WAIT, moment):
        return None
    run.lost += run.lease_owner is not None
    run.takes += 1
    if run.lost >= MOST_LOST:
        end_run(session, run, "failed", moment, f"{run.lost} processes have died over its beginning.")
        return None
    run.lease_owner, run.lease_until = owner, moment + LEASE
    session.add(run)
    return _taken(run)


def mark_begun(session: WriteSession, taken: LeasedRun, version: int, thread_id: str, turn_id: str) -> bool:
    """Note the turn of a run in the transaction that makes the turn. False: it must not be made."""
    run = _locked(session, taken.id)
    if run is None or run.status != "queued" or run.takes != taken.fence:
        return False
    run.status, run.version, run.thread_id, run.turn_id = "running", version, thread_id, turn_id
    run.lease_owner = None
    session.add(run)
    return True


def postpone(session: WriteSession, taken: LeasedRun, until: datetime) -> None:
    """Let the run wait until then for whoever takes it next. One whose turn is there stays as it is."""
    run = _without_turn(session, taken)
    if run is not None:
        run.status, run.lease_owner, run.lease_until = "queued", None, until
        session.add(run)


def fail(session: WriteSession, taken: LeasedRun, moment: datetime, reason: str) -> None:
    """End a run that got no turn."""
    run = _without_turn(session, taken)
    if run is not None:
        end_run(session, run, "failed", moment, reason)


def settle(session: WriteSession, run_id: str, moment: datetime) -> None:
    """End a run whose turn has ended. One whose turn was taken back waits to be begun again."""
    run = _locked(session, run_id)
    if run is None or run.status != "running":
        return
    # What was asked is not read: the workspace may have been destroyed.
    ended = select(TurnRow.status, TurnRow.error, TurnRow.ended_at).where(col(TurnRow.id) == run.turn_id)
    turn = session.exec(ended).first()
    if turn is not None:
        status, error, ended_at = turn
        match status:
            case "completed":
                end_run(session, run, "completed", ended_at or moment)
            case "cancelled":
                end_run(session, run, "cancelled", ended_at or moment)
            case "failed":
                reason = str((error or {}).get("detail") or "Its turn has failed.")
                end_run(session, run, "failed", ended_at or moment, reason)
    elif run.thread_id is not None and not _thread_is_there(session, run.thread_id):
        end_run(session, run, "failed", moment, "Its thread was deleted.")
    else:
        run.status, run.lease_until = "queued", moment
        session.add(run)


def _thread_is_there(session: WriteSession, thread_id: str) -> bool:
    return session.exec(select(ThreadRow.id).where(col(ThreadRow.id) == thread_id)).first() is not None


def pause_unreadable(session: WriteSession, automation_id: str) -> None:
    """Pause an automation whose workspace was destroyed: nobody can read any more what it asks."""
    mine = update(AutomationRow).where(col(AutomationRow.id) == automation_id)
    paused = mine.values(paused=True, next_due_at=None)
    session.exec(paused.execution_options(synchronize_session=False))


def end_run(
    session: WriteSession,
    run: AutomationRunRow,
    status: AutomationRunStatus,
    moment: datetime,
    reason: str | None = None,
) -> None:
    """End a run that has not ended. It is counted once that is durable."""
    run.status, run.reason, run.ended_at, run.lease_owner = status, reason, moment, None
    session.add(run)
    trigger = run.trigger
    session.after_commit(lambda: metrics.AUTOMATION_RUNS.labels(trigger, status).inc())


def _taken(run: AutomationRunRow) -> LeasedRun:
    return LeasedRun(run.id, run.automation_id, run.takes, run.created_at)


def _without_turn(session: WriteSession, taken: LeasedRun) -> AutomationRunRow | None:
    run = _locked(session, taken.id)
    if run is None or run.takes != taken.fence or run.ended_at is not None or run.turn_id is not None:
        return None
    return run


def _locked(session: WriteSession, run_id: str) -> AutomationRunRow | None:
    return session.get(AutomationRunRow, run_id, with_for_update=True)
