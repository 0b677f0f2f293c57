"""The work on a closed workspace: remove all that it has, look again, and say when it is gone (spec 3.6).

SQL says which workspace there is to remove, so each run goes on where the last one was killed. What a worker
that still had a document of it writes late is found by a look a few seconds later: `gone_at` is when a look
has found nothing. The last look is an hour after that.
"""

import time
from collections.abc import Callable
from datetime import timedelta

from sqlalchemy import or_
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select

from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.maintenance.erased_rows import drop_rows
from footnote_ingest.maintenance.erased_stores import drop_stored
from footnote_ingest.maintenance.erasure import EraseResources, Erasure, SliceOver
from footnote_ingest.work.policy import WorkPolicy
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.engine import Database
from footnote_shared.db.key_tables import WorkspaceKeyRow
from footnote_shared.db.tables import WorkspaceDeletionRow
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.security.keyring import destroy
from footnote_shared.security.sealing_work import overwrite_log
from footnote_shared.telemetry.logs import logger

LOOK_AGAIN = timedelta(seconds=10)
"""Longer than a worker needs to notice that its document is gone, and than a turn needs to stop."""

LAST_LOOK = timedelta(hours=1)
"""Nobody works on anything for that long: every lock and every store has a limit of seconds."""

SLICE_S = 20.0
_AT_ONCE = 20
_log = logger(__name__)


def sweep_workspaces(database: Database, dispatcher: Dispatcher, policy: WorkPolicy) -> int:
    """Send the workspaces that wait for a look and that nobody holds; return how many."""
    free = or_(col(WorkspaceDeletionRow.lease_until).is_(None), col(WorkspaceDeletionRow.lease_until) < now())
    due = select(WorkspaceDeletionRow).where(col(WorkspaceDeletionRow.due_at) <= now(), free)
    with database.read() as session:
        if session.exec(due.limit(1)).first() is None:
            return 0
    with database.write() as session:
        rows = list(session.exec(due.limit(_AT_ONCE).with_for_update(skip_locked=True)))
        for row in rows:
            row.due_at = now() + policy.lease
            session.add(row)
        dispatcher.send_after_commit(session, Task.ERASE, [row.id for row in rows])
    return len(rows)


def erase_workspace(
    work: WorkResources,
    resources: EraseResources,
    workspace_id: str,
    *,
    slice_s: float = SLICE_S,
    clock: Callable[[], float] = time.monotonic,
) -> bool:
    """Work on the workspace for a slice. Returns False if there is nothing to do, or another worker is at it.

    Safe to repeat and to race: what is gone is counted by whoever removed it.
    """
    looks = _take(work, workspace_id)
    if looks is None:
        return False
    until = clock() + slice_s
    erasure = Erasure(work, resources, workspace_id, looks, lambda: clock() > until)
    try:
        _destroy_keys(erasure)
        drop_rows(erasure)
        drop_stored(erasure)
        if work.database.is_sqlite:
            overwrite_log(work.database)
    except SliceOver:
        _let_go(work, workspace_id, timedelta(), None)
    except IntegrityError:
        _let_go(work, workspace_id, timedelta(seconds=1), "Something was written meanwhile.")
    except FootnoteError as error:
        _log.warning("workspace.not_erased", workspace=workspace_id, reason=error.detail)
        _let_go(work, workspace_id, LOOK_AGAIN, error.detail)
    else:
        _looked(work, workspace_id, found=erasure.found)
    return True


def _take(work: WorkResources, workspace_id: str) -> int | None:
    """Hold the workspace; the number of looks at it that have ended. None: it is not to be worked on now."""
    with work.database.write() as session:
        chosen = select(WorkspaceDeletionRow).where(WorkspaceDeletionRow.id == workspace_id)
        row = session.exec(chosen.with_for_update(skip_locked=True)).first()
        if row is None or row.due_at is None or (row.lease_until is not None and row.lease_until > now()):
            return None
        row.lease_until = now() + work.policy.lease
        session.add(row)
        return row.looks


def _destroy_keys(erasure: Erasure) -> None:
    """What is encrypted can be read by nobody from here on, wherever a copy of it lies."""
    live = select(WorkspaceKeyRow.id).where(
        col(WorkspaceKeyRow.workspace_id) == erasure.workspace_id, col(WorkspaceKeyRow.destroyed_at).is_(None)
    )
    with erasure.work.database.write() as session:
        if session.exec(live.limit(1)).first() is None:
            return
        erasure.scrub(session)
        count = destroy(session.connection(), erasure.workspace_id)
        erasure.note(session, keys=count)


def _let_go(work: WorkResources, workspace_id: str, pause: timedelta, reason: str | None) -> None:
    with work.database.write() as session:
        row = session.get(WorkspaceDeletionRow, workspace_id, with_for_update=True)
        assert row is not None, "a receipt stays"
        row.lease_until, row.due_at, row.reason = None, now() + pause, reason
        session.add(row)
        if not pause:
            work.dispatcher.send_after_commit(session, Task.ERASE, [workspace_id])


def _looked(work: WorkResources, workspace_id: str, *, found: bool) -> None:
    """Note that a look has ended, and when the next one is due."""
    with work.database.write() as session:
        row = session.get(WorkspaceDeletionRow, workspace_id, with_for_update=True)
        assert row is not None, "a receipt stays"
        row.lease_until = row.reason = None
        row.looks += 1
        if found:
            row.due_at = now() + LOOK_AGAIN
        elif row.gone_at is None:
            row.gone_at, row.due_at = now(), now() + LAST_LOOK
            row.turns = []
            _log.info("workspace.erased", workspace=workspace_id)
        else:
            row.due_at = None
        session.add(row)
