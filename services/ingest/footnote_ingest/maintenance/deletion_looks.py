"""The looks of a deletion: who is at it, what a look found, and when the next one is due (spec 3.6).

SQL says what there is to remove, so each run goes on where the last one was killed. What a worker that still
had something of it writes late is found by a look a few seconds later: `gone_at` is when a look has found
nothing. The last look is an hour after that.
"""

import time
from collections.abc import Callable
from datetime import timedelta

from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select

from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.maintenance.erasure import EraseResources, Erasure, SliceOver, StillAtWork
from footnote_ingest.work.policy import WorkPolicy
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.awaited_moments import has_come, is_free, is_over
from footnote_shared.db.engine import Database
from footnote_shared.db.tables import AvatarDeletionRow, DeletionRow, WorkspaceDeletionRow
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.security.sealing_work import overwrite_log
from footnote_shared.telemetry.logs import logger

LOOK_AGAIN = timedelta(seconds=10)
"""Longer than a worker needs to notice that its document is gone, and than a turn needs to stop."""

LAST_LOOK = timedelta(hours=1)
"""Nobody works on anything for that long: every lock and every store has a limit of seconds."""

_LONGEST_AHEAD = 2 * LAST_LOOK
"""No look is due later than that, and no lease of one is so long."""

SLICE_S = 20.0
_SOON = timedelta(seconds=1)
_AT_ONCE = 20
_TASKS: dict[type[DeletionRow], Task] = {
    WorkspaceDeletionRow: Task.ERASE,
    AvatarDeletionRow: Task.ERASE_AVATAR,
}
_log = logger(__name__)


def sweep_deletions(
    database: Database, dispatcher: Dispatcher, policy: WorkPolicy, kind: type[DeletionRow]
) -> int:
    """Send the deletions of this kind that wait for a look and that nobody holds; return how many."""
    free = is_free(col(kind.lease_until), _LONGEST_AHEAD)
    due = select(kind).where(has_come(col(kind.due_at), _LONGEST_AHEAD), free)
    with database.read() as session:
        if session.exec(due.limit(1)).first() is None:
            return 0
    with database.write() as session:
        rows = list(session.exec(due.limit(_AT_ONCE).with_for_update(skip_locked=True)))
        for row in rows:
            row.due_at = now() + policy.lease
            session.add(row)
        dispatcher.send_after_commit(session, _TASKS[kind], [row.id for row in rows])
    return len(rows)


def look(
    work: WorkResources,
    resources: EraseResources,
    kind: type[DeletionRow],
    subject_id: str,
    drop: Callable[[Erasure], None],
    *,
    slice_s: float = SLICE_S,
    clock: Callable[[], float] = time.monotonic,
) -> bool:
    """Have `drop` work on the subject for a slice. Returns False if there is nothing to do, or another worker
    is at it.

    Safe to repeat and to race: what is gone is counted by whoever removed it.
    """
    looks = _take(work, kind, subject_id)
    if looks is None:
        return False
    until = clock() + slice_s
    erasure = Erasure(work, resources, kind, subject_id, looks, lambda: clock() > until)
    try:
        drop(erasure)
        if work.database.is_sqlite:
            overwrite_log(work.database)
    except SliceOver:
        _let_go(work, kind, subject_id, timedelta(), None)
    except StillAtWork:
        _let_go(work, kind, subject_id, _SOON, None)
    except IntegrityError:
        _let_go(work, kind, subject_id, _SOON, "Something was written meanwhile.")
    except FootnoteError as error:
        _log.warning("deletion.waits", table=kind.__tablename__, subject=subject_id, reason=error.detail)
        _let_go(work, kind, subject_id, LOOK_AGAIN, error.detail)
    else:
        _looked(work, kind, subject_id, found=erasure.found)
    return True


def _take(work: WorkResources, kind: type[DeletionRow], subject_id: str) -> int | None:
    """Hold the subject; the number of looks at it that have ended. None: it is not to be worked on now."""
    with work.database.write() as session:
        chosen = select(kind).where(kind.id == subject_id)
        row = session.exec(chosen.with_for_update(skip_locked=True)).first()
        if row is None or row.due_at is None or not is_over(row.lease_until, _LONGEST_AHEAD):
            return None
        row.lease_until = now() + work.policy.lease
        session.add(row)
        return row.looks


def _let_go(
    work: WorkResources, kind: type[DeletionRow], subject_id: str, pause: timedelta, reason: str | None
) -> None:
    with work.database.write() as session:
        row = session.get(kind, subject_id, with_for_update=True)
        assert row is not None, "a receipt stays"
        row.lease_until, row.due_at, row.reason = None, now() + pause, reason
        session.add(row)
        if not pause:
            work.dispatcher.send_after_commit(session, _TASKS[kind], [subject_id])


def _looked(work: WorkResources, kind: type[DeletionRow], subject_id: str, *, found: bool) -> None:
    """Note that a look has ended, and when the next one is due."""
    with work.database.write() as session:
        row = session.get(kind, subject_id, with_for_update=True)
        assert row is not None, "a receipt stays"
        row.lease_until = row.reason = None
        row.looks += 1
        if found:
            row.due_at = now() + LOOK_AGAIN
        elif row.gone_at is None:
            row.gone_at, row.due_at = now(), now() + LAST_LOOK
            row.turns = []
            _log.info("deletion.ended", table=kind.__tablename__, subject=subject_id)
        else:
            row.due_at = None
        session.add(row)
