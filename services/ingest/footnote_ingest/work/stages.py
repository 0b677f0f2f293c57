"""The only state machine of documents. Every change of status is made here and leaves a row in the timeline.

queued -> extracting -> chunking -> embedding -> indexing -> indexed
   \\___________\\___________\\___________\\___________\\____> failed
indexing -> embedding                                its vectors were lost before they were indexed
any of the above -> queued                           a new version, or a retry
any of the above -> deleting -> deleted

No document ever has the status `skipped`. It is a line of the timeline: the same bytes were handed in again.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import insert, inspect, literal, null, select, update
from sqlmodel import col

from footnote_ingest.hints.queues import Task
from footnote_ingest.store.tables import DocumentRow, TimelineRow
from footnote_ingest.work.failures import Failure
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.contracts.documents import Status
from footnote_shared.db.engine import WriteSession
from footnote_shared.db.tables import UtcDateTime
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import OurFault
from footnote_shared.telemetry import context, metrics, tracing

_LONGEST_ASKED_S = 900.0
"""Seconds for which a document waits at most because a part asked for it."""

_NEXT: Mapping[Status, tuple[Status, ...]] = {
    "queued": ("extracting", "failed"),
    "extracting": ("chunking", "failed"),
    "chunking": ("embedding", "failed"),
    "embedding": ("indexing", "failed"),
    "indexing": ("indexed", "failed", "embedding"),
    "indexed": (),
    "failed": (),
}
TRANSITIONS: Mapping[Status, tuple[Status, ...]] = {
    **{status: (*following, "queued", "deleting") for status, following in _NEXT.items()},
    "deleting": ("deleted",),
    "deleted": (),
}
TASK_OF: Mapping[Status, Task] = {
    "queued": Task.PARSE,
    "extracting": Task.PARSE,
    "chunking": Task.PARSE,
    "embedding": Task.EMBED,
    "indexing": Task.INDEX,
}
"""The task that works on a document with this status."""

IN_WORK: tuple[Status, ...] = ("queued", "extracting", "chunking", "embedding", "indexing")


def begin(session: WriteSession, row: DocumentRow, detail: str) -> None:
    """Queue the row's version from its start.

    A worker on an earlier version loses its lease and cannot publish.
    """
    _clear_errors(row)
    row.accepted_at = now()
    row.dispatched_at = None
    row.traceparent = _traceparent()
    _release(row)
    _move(session, row, "queued", detail=detail)


def first_line(row: DocumentRow, detail: str) -> TimelineRow:
    """Queue a document that was just made, and return the first line of its timeline. Neither is written."""
    row.traceparent = _traceparent()
    row.seq = 1
    row.status = "queued"
    at = row.accepted_at
    return TimelineRow(
        document_id=row.id, seq=row.seq, version=row.version, status=row.status, at=at, detail=detail
    )


def advance(
    session: WriteSession,
    row: DocumentRow,
    to: Status,
    *,
    detail: str | None = None,
    moment: datetime | None = None,
) -> None:
    """Go on to the next stage, which starts with a full number of tries.

    The lease stays for a worker that goes on. `moment` is when the stage before ended, if that was not now.
    """
    attempt = row.attempts
    row.attempts = row.waits = 0
    row.last_code = row.last_reason = None
    _move(session, row, to, detail=detail, attempt=attempt, moment=moment)


def hand_over(row: DocumentRow) -> None:
    """Release the document, so that another worker can take it at once. The caller sends the hint."""
    _release(row)
    row.available_at = row.dispatched_at = now()


def publish(session: WriteSession, row: DocumentRow, chunks: int, detail: str | None) -> None:
    """Make the row's version the live one: the flip that readers see."""
    row.live_version = row.version
    row.chunk_count = chunks
    _clear_errors(row)
    row.dispatched_at = None
    attempt = row.attempts
    _release(row)
    row.indexed_at = now()
    _move(session, row, "indexed", detail=detail, attempt=attempt)
    metrics.DOCUMENTS_ENDED.labels("indexed", "").inc()


def fail(session: WriteSession, row: DocumentRow, failure: Failure) -> None:
    """End the work on this version. Readers go on to see the live version, if there is one.

    What the work has left in the object store can go soon, because another try begins from the bytes.
    """
    row.settle_at = row.settle_at or now()
    row.error_stage, row.error_code = row.status, failure.code
    row.error_reason, row.error_retryable = failure.reason, failure.retryable
    row.dispatched_at = None
    attempt = row.attempts
    _release(row)
    _move(session, row, "failed", detail=failure.reason, attempt=attempt)
    metrics.DOCUMENTS_ENDED.labels("failed", failure.code).inc()


def put_back(session: WriteSession, row: DocumentRow, failure: Failure, policy: WorkPolicy) -> None:
    """Release a document after a failed try: it waits for the next try, or it fails.

    A failure that does not count gives the try back, and the timeline tells of it only once in a stage.
    """
    if not failure.retryable or (failure.counts and row.attempts >= policy.max_attempts):
        fail(session, row, failure)
        return
    row.last_code, row.last_reason = failure.code, failure.reason
    if failure.counts:
        failures, told = row.attempts, True
    else:
        row.attempts = max(0, row.attempts - 1)
        row.waits += 1
        failures, told = row.waits, row.waits == 1
    if told:
        note(session, row, row.status, f"{failure.reason} Another try follows.", attempt=row.attempts)
    _release(row)
    asked = timedelta(seconds=min(failure.wait_s, _LONGEST_ASKED_S))
    row.available_at = now() + max(policy.back_off(failures), asked)
    metrics.RETRIES.labels(row.status).inc()


def note(session: WriteSession, row: DocumentRow, status: Status, detail: str, *, attempt: int = 0) -> None:
    """Add a row to the timeline without a change of status."""
    row.seq += 1
    session.add(row)
    session.add(
        TimelineRow(
            document_id=row.id,
            seq=row.seq,
            version=row.version,
            status=status,
            at=now(),
            attempt=attempt,
            detail=detail,
        )
    )


def delete(session: WriteSession, ids: list[str], settle_at: datetime) -> None:
    """Make tombstones of many documents in two statements.

    After the commit no reader sees them, their names are free, and a worker that holds one cannot publish.
    `lease_until` stays: until then such a worker may still write something that has to go too.
    """
    moment = now()
    chosen = col(DocumentRow.id).in_(ids), col(DocumentRow.deleted_at).is_(None)
    source = select(
        col(DocumentRow.id),
        col(DocumentRow.seq) + 1,
        col(DocumentRow.version),
        literal("deleting"),
        literal(moment, type_=UtcDateTime()),
        null(),
        literal(0),
        null(),
    ).where(*chosen)
    columns = ["document_id", "seq", "version", "status", "at", "duration_ms", "attempt", "detail"]
    session.execute(insert(TimelineRow).from_select(columns, source))
    session.execute(
        update(DocumentRow)
        .where(*chosen)
        .values(
            status="deleting",
            seq=col(DocumentRow.seq) + 1,
            identity=literal("deleted:") + col(DocumentRow.id),
            folder_id=None,
            deleted_at=moment,
            updated_at=moment,
            stage_since=moment,
            dispatched_at=None,
            lease_token=None,
            settle_at=settle_at,
        )
        .execution_options(synchronize_session=False)
    )


def end_deletion(session: WriteSession, row: DocumentRow) -> None:
    """Note that everything of the document is gone but this row and its timeline."""
    row.settle_at = None
    _move(session, row, "deleted")
    metrics.DOCUMENTS_ENDED.labels("deleted", "").inc()


def _move(
    session: WriteSession,
    row: DocumentRow,
    to: Status,
    *,
    detail: str | None = None,
    attempt: int = 0,
    moment: datetime | None = None,
) -> None:
    # A row that is not in the timeline yet is being accepted, and begins in `queued`.
    if row.seq and to not in TRANSITIONS[row.status]:
        raise OurFault(f"A document cannot go from {row.status} to {to}.")
    moment = moment or now()
    duration = (moment - row.stage_since).total_seconds() * 1000 if row.seq else None
    _trace(session, row, to, moment)
    row.seq += 1
    row.status = to
    row.stage_since = row.updated_at = moment
    session.add(row)
    if inspect(row).pending:
        # What refers to a new document is written behind it.
        session.flush()
    session.insert_last(
        TimelineRow(
            document_id=row.id,
            seq=row.seq,
            version=row.version,
            status=to,
            at=moment,
            duration_ms=duration,
            attempt=attempt,
            detail=detail,
        )
    )


def _trace(session: WriteSession, row: DocumentRow, to: Status, moment: datetime) -> None:
    """A span of the stage that ends, in the trace of who handed the version in.

    So one trace has all stages, whichever workers took the document, and beside which others.
    """
    if row.traceparent is None or to == "queued" or not row.seq:
        return
    told = partial(
        tracing.past_span,
        f"document {row.status}",
        row.traceparent,
        row.stage_since,
        moment,
        footnote__document_id=row.id,
        footnote__version=row.version,
        footnote__next=to,
    )
    session.after_commit(told)


def _traceparent() -> str | None:
    return context.traceparent() if tracing.traced() else None


def _clear_errors(row: DocumentRow) -> None:
    row.attempts = row.waits = 0
    row.last_code = row.last_reason = None
    row.error_stage = row.error_code = row.error_reason = row.error_retryable = None


def _release(row: DocumentRow) -> None:
    row.lease_token = row.lease_until = None
    row.available_at = now()
