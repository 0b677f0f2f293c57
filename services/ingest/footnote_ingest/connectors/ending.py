"""How runs begin and end, and what that means for their connector."""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, case, extract, func, or_
from sqlmodel import col, select

from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.store.connector_tables import ConnectorRow, ConnectorRunRow
from footnote_shared.contracts.connectors import RunStatus, RunTrigger
from footnote_shared.db.awaited_moments import LONGEST_LEASE
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.telemetry import metrics

_SOONEST = timedelta(minutes=1)
_LATEST = timedelta(days=1)
"""The bounds of the pause before a connector that has failed is tried again by schedule."""

_CHANNEL_RENEWED = timedelta(days=5)
"""A channel by which Google tells of changes ends after seven days. A sync opens the next one."""

_TRIES = 10
"""Failures in a row after which a connector without a schedule is no longer tried by itself."""


def open_run(session: WriteSession, connector_id: str) -> ConnectorRunRow | None:
    """The run of the connector that has not ended, locked; None if there is none."""
    statement = select(ConnectorRunRow).where(
        col(ConnectorRunRow.connector_id) == connector_id, col(ConnectorRunRow.ended_at).is_(None)
    )
    return session.exec(statement.with_for_update()).first()


def begin_run(
    session: WriteSession,
    dispatcher: Dispatcher,
    connector: ConnectorRow,
    trigger: RunTrigger,
    *,
    may_delete: int | None = None,
) -> ConnectorRunRow:
    """The run that does what is asked for: a new one, or the one that is open. The connector is locked.

    An open run may have passed what has just changed, so another one follows it.
    """
    found = open_run(session, connector.id)
    if found is not None:
        if found.started_at is not None:
            connector.asked_at = connector.asked_at or now()
            session.add(connector)
        found.may_delete = may_delete if may_delete is not None else found.may_delete
        session.add(found)
        return found
    connector.asked_at = connector.due_at = None
    run = ConnectorRunRow(
        connector_id=connector.id,
        workspace_id=connector.workspace_id,
        trigger=trigger,
        cursor=connector.cursor,
        may_delete=may_delete,
        dispatched_at=now(),
    )
    session.add_all([connector, run])
    session.flush()
    dispatcher.send_after_commit(session, Task.SYNC, [run.id])
    return run


def end_run(
    session: WriteSession,
    dispatcher: Dispatcher,
    connector: ConnectorRow,
    run: ConnectorRunRow,
    status: RunStatus,
    reason: str | None = None,
) -> None:
    """End the run, and say when the next one is due. Both rows are locked."""
    run.status, run.reason, run.ended_at = status, reason, now()
    run.lease_token = run.lease_until = None
    connector.problem = reason
    connector.failures = connector.failures + 1 if status == "failed" else 0
    connector.due_at = next_due(connector, told=run.trigger == "hook" or connector.asked_at is not None)
    session.add_all([run, connector])
    session.flush()
    metrics.SYNCS.labels(connector.kind, status).inc()
    if connector.asked_at is not None and status != "failed" and not connector.paused:
        begin_run(session, dispatcher, connector, "hook")


def next_due(connector: ConnectorRow, *, told: bool = False) -> datetime | None:
    """When the connector is due: by its schedule, and later after each failure, up to a day.

    One without a schedule is due only if it failed on what a web hook had `told` it, a few times.
    """
    every = _every(connector)
    if connector.paused or (every is None and not (told and 0 < connector.failures < _TRIES)):
        return None
    pause = every or timedelta()
    if connector.failures:
        longer = max(pause, _SOONEST) * 2 ** min(connector.failures - 1, 16)
        pause = max(pause, min(_LATEST, longer))
    return now() + pause


def is_due() -> ColumnElement[bool]:
    """Connectors whose sync is due, or is said to be due later than `next_due` ever says.

    The latter was written by a process whose clock is ahead, or before the schedule became a shorter one.
    """
    due_at, moment = col(ConnectorRow.due_at), now()
    pause_s = func.coalesce(col(ConnectorRow.schedule_s), _CHANNEL_RENEWED.total_seconds())
    after_failure_s = case((col(ConnectorRow.failures) > 0, _LATEST.total_seconds()), else_=0.0)
    latest = moment + LONGEST_LEASE
    too_late = extract("epoch", due_at) - pause_s - after_failure_s > latest.timestamp()
    return or_(due_at <= moment, and_(due_at > latest, too_late))


def _every(connector: ConnectorRow) -> timedelta | None:
    """The time between two syncs; None if there are none but those that are asked for."""
    asked = None if connector.schedule_s is None else timedelta(seconds=connector.schedule_s)
    if connector.kind != "google_drive" or connector.config.get("push") is not True:
        return asked
    return _CHANNEL_RENEWED if asked is None else min(asked, _CHANNEL_RENEWED)
