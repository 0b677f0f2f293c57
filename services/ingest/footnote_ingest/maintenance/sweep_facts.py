"""The sweeper's part of facts: documents that wait to be read, and those whose message or worker was lost."""

from collections.abc import Callable, Collection

from sqlalchemy import ColumnElement, and_, func, or_
from sqlmodel import col, delete, select

from footnote_ingest.facts.facts_of_document import give_up
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Queue, Task
from footnote_ingest.store import facts, lanes, summaries
from footnote_ingest.store.fact_tables import FactJobRow, FactRow
from footnote_ingest.store.leased_row import takeable
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.policy import WorkPolicy
from footnote_ingest.work.row_lease import lost_hint
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.telemetry import metrics

_WAITING = 50
"""Messages that wait in the queue at most. A model takes seconds for each, and others may come meanwhile."""

_AT_ONCE = 500


def sweep_facts(
    database: Database,
    dispatcher: Dispatcher,
    policy: WorkPolicy,
    backlog: Callable[[Queue], int | None],
    allowed: Collection[str],
    lane: str,
) -> int:
    """Send what is to be read, the workspaces in turn; return how many. Safe to race with itself.

    `allowed` are the classifications that a model may read; `lane` is that of documents.
    """
    if not allowed:
        return 0
    waiting = backlog(Queue.FACTS)
    room = _WAITING - (waiting or 0)
    if waiting is None or room <= 0:
        return 0
    with database.read() as session:
        live = lanes.live_version(session, lane)
        digest = live[0].fingerprint.digest if live is not None else None
        due = _due(allowed, digest, policy, idle=waiting == 0)
        turn = func.row_number().over(
            partition_by=col(FactJobRow.workspace_id), order_by=col(FactJobRow.available_at)
        )
        statement = (
            select(FactJobRow.document_id, turn.label("turn"))
            .join(DocumentRow, col(DocumentRow.id) == col(FactJobRow.document_id))
            .where(due, col(DocumentRow.deleted_at).is_(None))
            .order_by("turn", col(FactJobRow.available_at))
        )
        ids = [document_id for document_id, _ in session.exec(statement.limit(room))]
    if not ids:
        return 0
    with database.write() as session:
        return _send(session, dispatcher, policy, ids)


def _due(
    allowed: Collection[str], digest: str | None, policy: WorkPolicy, *, idle: bool
) -> ColumnElement[bool]:
    """Work that nobody holds and whose message is lost, seems to be, or was never sent."""
    status = col(FactJobRow.status)
    moved = and_(status == "completed", col(FactJobRow.lane_digest).is_distinct_from(digest))
    return and_(
        col(FactJobRow.classification).in_(sorted(allowed)),
        or_(status == "queued", moved) if digest is not None else status == "queued",
        takeable(FactJobRow),
        lost_hint(FactJobRow, policy, idle=idle),
    )


def _send(session: WriteSession, dispatcher: Dispatcher, policy: WorkPolicy, ids: list[str]) -> int:
    """Send these, and give up those whose worker has died each time."""
    # Documents are locked first, as everybody locks the two.
    documents = select(DocumentRow).where(col(DocumentRow.id).in_(ids)).order_by(col(DocumentRow.id))
    rows = {row.id: row for row in session.exec(documents.with_for_update(skip_locked=True))}
    jobs = select(FactJobRow).where(col(FactJobRow.document_id).in_(list(rows)), takeable(FactJobRow))
    sent = []
    for job in session.exec(jobs.with_for_update(skip_locked=True)):
        if job.attempts >= policy.max_attempts:
            lost = f"The worker stopped {job.attempts} times while it read them."
            give_up(session, rows[job.document_id], job, lost)
            metrics.FACT_EXTRACTIONS.labels("failed").inc()
            job.dispatched_at = None
        else:
            job.dispatched_at = now()
            sent.append(job.document_id)
        job.lease_token = job.lease_until = None
        session.add(job)
    dispatcher.send_after_commit(session, Task.FACTS, sent)
    return len(sent)


def tidy_facts(database: Database, allowed: Collection[str]) -> None:
    """Queue documents that were indexed before there was work for them, and drop what may no longer be read.

    Each is done in portions, since a statement has a limit of time.
    """
    after: str | None = ""
    while after is not None:
        after = _note_missing(database, allowed, after)
    while _drop_disallowed(database, allowed) == _AT_ONCE:
        continue


def _note_missing(database: Database, allowed: Collection[str], after: str) -> str | None:
    """Note documents of an allowed classification that have none of this work yet; return the last one."""
    if not allowed:
        return None
    said = col(DocumentRow.attributes)["classification"].as_string()
    known = select(FactJobRow.document_id).where(col(FactJobRow.document_id) == col(DocumentRow.id))
    with database.write() as session:
        statement = select(DocumentRow).where(
            col(DocumentRow.id) > after,
            col(DocumentRow.live_version).is_not(None),
            col(DocumentRow.deleted_at).is_(None),
            said.in_(sorted(allowed)),
            ~known.exists(),
        )
        in_order = statement.order_by(col(DocumentRow.id)).limit(_AT_ONCE)
        rows = list(session.exec(in_order.with_for_update(skip_locked=True)))
        facts.note_live(session, rows)
        return rows[-1].id if rows else None


def _drop_disallowed(database: Database, allowed: Collection[str]) -> int:
    """Drop the facts of documents whose classification was taken off the list; return of how many."""
    with database.write() as session:
        statement = select(FactJobRow).where(
            col(FactJobRow.classification).not_in(sorted(allowed)), col(FactJobRow.status) != "queued"
        )
        jobs = list(session.exec(statement.limit(_AT_ONCE).with_for_update(skip_locked=True)))
        ids = [job.document_id for job in jobs]
        session.exec(delete(FactRow).where(col(FactRow.document_id).in_(ids)))
        summaries.drop(session, ids)
        for job in jobs:
            job.passages = job.lane_digest = None
            facts.queue_again(job)
            session.add(job)
    return len(jobs)
