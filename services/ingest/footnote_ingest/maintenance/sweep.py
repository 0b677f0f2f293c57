"""The sweeper finds work in SQL whose message, worker or broker was lost, and sends it again (spec 3.6)."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import and_, or_, text
from sqlmodel import col, select

from footnote_ingest.documents.session import end_expired
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Queue, Task
from footnote_ingest.maintenance.clock_check import may_judge_ages
from footnote_ingest.store.leased_row import takeable, unheld
from footnote_ingest.store.tables import IN_FLIGHT, UNSETTLED, DocumentRow
from footnote_ingest.work import stages
from footnote_ingest.work.failures import Failure
from footnote_ingest.work.fair import dispatch_next, waiting_workspaces
from footnote_ingest.work.policy import WorkPolicy
from footnote_ingest.work.settling import SETTLE_AFTER
from footnote_shared.db.awaited_moments import has_come
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.telemetry import metrics

_AT_ONCE = 500
_PER_ROUND = 8
Backlog = Callable[[Queue], int | None]
"""The number of messages that wait in a queue; None if the broker does not answer."""


@dataclass(frozen=True, slots=True)
class Swept:
    """What one run did: documents failed, sent again and newly put in flight, and removals sent again."""

    failed: int
    again: int
    begun: int
    removals: int


def sweep(
    database: Database,
    dispatcher: Dispatcher,
    policy: WorkPolicy,
    backlog: Backlog,
) -> Swept:
    """Sweep once. Where the clocks of this machine and of the database differ, no upload expires.

    Safe to race with itself and with workers, because it looks only at documents that nobody holds.
    """
    if may_judge_ages(database):
        while database.write_once_more(lambda session: end_expired(session, dispatcher, policy)):
            continue
    with database.write() as session:
        failed = _fail_exhausted(session, policy)
    with database.write() as session:
        again = _send_again(session, dispatcher, policy, backlog)
    begun = _begin_waiting(database, dispatcher, policy)
    with database.write() as session:
        removals = _remove_again(session, dispatcher)
    metrics.REDISPATCHED.inc(again)
    return Swept(failed, again, begun, removals)


def _fail_exhausted(session: WriteSession, policy: WorkPolicy) -> int:
    """Fail documents whose tries are used up and whose last worker said nothing: it died."""
    statement = select(DocumentRow).where(
        text(IN_FLIGHT), unheld(DocumentRow), col(DocumentRow.attempts) >= policy.max_attempts
    )
    rows = list(session.exec(statement.limit(_AT_ONCE).with_for_update(skip_locked=True)))
    for row in rows:
        lost = f"The worker stopped {row.attempts} times in the stage {row.status}."
        stages.fail(
            session, row, Failure(row.last_code or "worker_lost", row.last_reason or lost, retryable=True)
        )
    return len(rows)


def _send_again(session: WriteSession, dispatcher: Dispatcher, policy: WorkPolicy, backlog: Backlog) -> int:
    """Send documents again that are due and held by nobody, if their message is lost or seems to be.

    The message is lost if a lease ran out or a back-off is over. It seems to be lost if the queue is empty,
    if the message has not come for as long as a lease, or if a wrong clock says when it was sent. A message
    too many does no harm.
    """
    moment = now()
    dispatched = col(DocumentRow.dispatched_at)
    idle = [status for status, task in stages.TASK_OF.items() if backlog(task.queue) == 0]
    due = or_(
        col(DocumentRow.lease_until).is_not(None),
        dispatched < col(DocumentRow.available_at),
        dispatched < moment - policy.lease,
        dispatched > moment + DocumentRow.longest_ahead,
        and_(col(DocumentRow.status).in_(idle), dispatched < moment - timedelta(seconds=policy.sweep_s)),
    )
    statement = (
        select(DocumentRow)
        .where(text(IN_FLIGHT), takeable(DocumentRow), due)
        .where(col(DocumentRow.attempts) < policy.max_attempts)
        .order_by(col(DocumentRow.stage_since))
        .limit(_AT_ONCE)
    )
    rows = list(session.exec(statement.with_for_update(skip_locked=True)))
    for row in rows:
        row.dispatched_at = moment
        row.lease_token = row.lease_until = None
        session.add(row)
    for task in dict.fromkeys(stages.TASK_OF.values()):
        mine = [row for row in rows if stages.TASK_OF[row.status] is task]
        dispatcher.send_after_commit(session, task, [row.id for row in mine if row.attempts == 0])
        for row in mine:
            # What has been tried before may have killed its worker: it is worked on by itself.
            if row.attempts > 0:
                dispatcher.send_after_commit(session, task, [row.id])
    return len(rows)


def _begin_waiting(database: Database, dispatcher: Dispatcher, policy: WorkPolicy) -> int:
    """Begin documents of the workspaces round robin, a few at a time, until no more can be in flight."""
    with database.read() as session:
        workspaces = waiting_workspaces(session)
    begun = 0
    while workspaces:
        following = []
        for workspace_id in workspaces:
            with database.write() as session:
                sent = dispatch_next(session, dispatcher, policy, workspace_id, most=_PER_ROUND)
            begun += sent
            if sent == _PER_ROUND:
                following.append(workspace_id)
        workspaces = following
    return begun


def _remove_again(session: WriteSession, dispatcher: Dispatcher) -> int:
    due = has_come(col(DocumentRow.settle_at), DocumentRow.longest_ahead)
    statement = select(DocumentRow).where(text(UNSETTLED), due)
    rows = list(
        session.exec(
            statement.order_by(col(DocumentRow.settle_at)).limit(_AT_ONCE).with_for_update(skip_locked=True)
        )
    )
    for row in rows:
        row.settle_at = now() + SETTLE_AFTER
        session.add(row)
    dispatcher.send_after_commit(session, Task.REMOVE, [row.id for row in rows])
    return len(rows)
