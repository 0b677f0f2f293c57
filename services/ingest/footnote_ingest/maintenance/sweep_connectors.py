"""The sweeper's part of connectors: what is due by schedule, and runs whose hint or worker was lost."""

from dataclasses import dataclass

from sqlmodel import col, select

from footnote_ingest.connectors.ending import begin_run, end_run, is_due
from footnote_ingest.connectors.run_lease import due_run
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Queue, Task
from footnote_ingest.maintenance.sweep import Backlog
from footnote_ingest.store.connector_tables import ConnectorChangeRow, ConnectorRow, ConnectorRunRow
from footnote_ingest.work.policy import WorkPolicy
from footnote_ingest.work.row_lease import lost_hint
from footnote_shared.db.awaited_moments import LONGEST_LEASE, has_come
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.kernel.clock import now

_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class SweptConnectors:
    """What one sweep did: runs that failed or were sent again, syncs that began by schedule, and connectors
    of which changes wait to be applied."""

    failed: int
    again: int
    begun: int
    changes: int


def sweep_connectors(
    database: Database, dispatcher: Dispatcher, policy: WorkPolicy, backlog: Backlog
) -> SweptConnectors:
    """Sweep once. Safe to race with itself and with workers, because it looks only at what nobody holds."""
    failed = _fail_exhausted(database, dispatcher, policy)
    with database.write() as session:
        again = _send_again(session, dispatcher, policy, idle=backlog(Queue.CONNECTORS) == 0)
    with database.write() as session:
        begun = _begin_due(session, dispatcher)
    with database.write() as session:
        changes = _apply_waiting(session, dispatcher)
    return SweptConnectors(failed, again, begun, changes)


def _fail_exhausted(database: Database, dispatcher: Dispatcher, policy: WorkPolicy) -> int:
    """Fail runs whose tries are used up and whose last worker said nothing: it died."""
    exhausted = due_run(), col(ConnectorRunRow.attempts) >= policy.max_attempts
    with database.read() as session:
        found = session.exec(select(ConnectorRunRow.id, ConnectorRunRow.connector_id).where(*exhausted))
        dead = list(found.all())
    failed = 0
    for run_id, connector_id in dead:
        with database.write() as session:
            connector = session.get(ConnectorRow, connector_id, with_for_update=True)
            again = select(ConnectorRunRow).where(col(ConnectorRunRow.id) == run_id, *exhausted)
            run = session.exec(again.with_for_update()).first()
            if connector is not None and run is not None:
                lost = f"The worker stopped {run.attempts} times in this run."
                end_run(session, dispatcher, connector, run, "failed", run.reason or lost)
                failed += 1
    return failed


def _send_again(session: WriteSession, dispatcher: Dispatcher, policy: WorkPolicy, *, idle: bool) -> int:
    """Send runs again that are due, if their hint is lost or seems to be."""
    due = due_run(), lost_hint(ConnectorRunRow, policy, idle=idle)
    statement = select(ConnectorRunRow).where(*due, col(ConnectorRunRow.attempts) < policy.max_attempts)
    rows = list(session.exec(statement.limit(_AT_ONCE).with_for_update(skip_locked=True)))
    for run in rows:
        run.dispatched_at = now()
        run.lease_token = run.lease_until = None
        session.add(run)
    dispatcher.send_after_commit(session, Task.SYNC, [run.id for run in rows])
    return len(rows)


def _begin_due(session: WriteSession, dispatcher: Dispatcher) -> int:
    """Begin the syncs that are due. Of several sweepers each begins others."""
    due = select(ConnectorRow).where(
        is_due(),
        col(ConnectorRow.deleted_at).is_(None),
        col(ConnectorRow.paused).is_(False),
    )
    rows = list(session.exec(due.limit(_AT_ONCE).with_for_update(skip_locked=True)))
    for connector in rows:
        begin_run(session, dispatcher, connector, "schedule")
        connector.due_at = None
        session.add(connector)
    return len(rows)


def _apply_waiting(session: WriteSession, dispatcher: Dispatcher) -> int:
    """Send a hint for each connector of which changes wait longer than a hint takes; return how many."""
    waiting = (
        select(ConnectorChangeRow.connector_id)
        .join(ConnectorRow, col(ConnectorRow.id) == col(ConnectorChangeRow.connector_id))
        .where(has_come(col(ConnectorChangeRow.available_at), LONGEST_LEASE))
        .where(col(ConnectorRow.paused).is_(False))
        .where(col(ConnectorRow.deleted_at).is_(None))
        .distinct()
        .limit(_AT_ONCE)
    )
    ids = list(session.exec(waiting))
    dispatcher.send_after_commit(session, Task.APPLY, ids)
    return len(ids)
