"""The work on a closed workspace: remove all that it has, look again, and say when it is gone (spec 3.6)."""

from typing import Any

from sqlmodel import col, select

from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.maintenance.deletion_looks import look, sweep_deletions
from footnote_ingest.maintenance.erased_rows import drop_rows
from footnote_ingest.maintenance.erased_stores import drop_stored
from footnote_ingest.maintenance.erasure import EraseResources, Erasure
from footnote_ingest.work.policy import WorkPolicy
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.engine import Database
from footnote_shared.db.key_tables import WorkspaceKeyRow
from footnote_shared.db.tables import WorkspaceDeletionRow
from footnote_shared.security.keyring import destroy


def sweep_workspaces(database: Database, dispatcher: Dispatcher, policy: WorkPolicy) -> int:
    """Send the workspaces that wait for a look and that nobody holds; return how many."""
    return sweep_deletions(database, dispatcher, policy, WorkspaceDeletionRow)


def erase_workspace(work: WorkResources, resources: EraseResources, workspace_id: str, **pace: Any) -> bool:
    """Work on the workspace for a slice (`look`)."""
    return look(work, resources, WorkspaceDeletionRow, workspace_id, _drop, **pace)


def _drop(erasure: Erasure) -> None:
    _destroy_keys(erasure)
    drop_rows(erasure)
    drop_stored(erasure)


def _destroy_keys(erasure: Erasure) -> None:
    """What is encrypted can be read by nobody from here on, wherever a copy of it lies."""
    live = select(WorkspaceKeyRow.id).where(
        col(WorkspaceKeyRow.workspace_id) == erasure.subject_id, col(WorkspaceKeyRow.destroyed_at).is_(None)
    )
    with erasure.work.database.write() as session:
        if session.exec(live.limit(1)).first() is None:
            return
        erasure.scrub(session)
        count = destroy(session.connection(), erasure.subject_id)
        erasure.note(session, keys=count)
