"""Closing a workspace for ever: nobody comes in any more, and workers remove all that it has (spec 3.6)."""

from sqlalchemy import update
from sqlmodel import col, select

from footnote_ingest.contracts.workspaces import ErasedCounts, WorkspaceCard, WorkspaceReceipt
from footnote_ingest.documents.legal_hold import check_workspace_unheld
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.audit_log import add_entry
from footnote_shared.db.closed_workspaces import lock_closing
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.db.tables import ApiKeyRow, WorkspaceDeletionRow, WorkspaceRow
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict, FieldError, InvalidRequest, NotFound
from footnote_shared.kernel.ids import is_id


def list_workspaces(session: ReadSession, limit: int, after: str | None) -> list[WorkspaceCard]:
    """The workspaces of the deployment that are not gone, the oldest first, at most `limit`."""
    query = select(WorkspaceRow, WorkspaceDeletionRow.asked_at).join(
        WorkspaceDeletionRow, col(WorkspaceDeletionRow.id) == col(WorkspaceRow.id), isouter=True
    )
    if after is not None:
        query = query.where(col(WorkspaceRow.id) > after)
    found = session.exec(query.order_by(col(WorkspaceRow.id)).limit(limit)).all()
    return [
        WorkspaceCard(id=row.id, name=row.name, created_at=row.created_at, deletion_asked_at=asked_at)
        for row, asked_at in found
    ]


def close_workspace(
    session: WriteSession, dispatcher: Dispatcher, caller: Principal, workspace_id: str, name: str
) -> WorkspaceReceipt:
    """Begin the deletion of a workspace; a second call tells how far it is.

    `name` has to be the workspace's. Its keys are revoked in this transaction, and tokens of an issuer are
    refused from its commit on. Raises NotFound, UnderLegalHold, and Conflict for the caller's own workspace.
    """
    if not is_id(workspace_id):
        raise NotFound
    lock_closing(session, workspace_id)
    known = session.get(WorkspaceDeletionRow, workspace_id)
    if known is None:
        known = _closed(session, caller, workspace_id, name)
        dispatcher.send_after_commit(session, Task.ERASE, [workspace_id])
    return _view(known)


def receipt(session: ReadSession, workspace_id: str) -> WorkspaceReceipt:
    """What has gone so far. Raises NotFound for a workspace that nobody has deleted."""
    row = session.get(WorkspaceDeletionRow, workspace_id) if is_id(workspace_id) else None
    if row is None:
        raise NotFound
    return _view(row)


def _closed(session: WriteSession, caller: Principal, workspace_id: str, name: str) -> WorkspaceDeletionRow:
    workspace = session.get(WorkspaceRow, workspace_id, with_for_update=True)
    if workspace is None:
        raise NotFound
    if workspace_id == caller.workspace_id:
        raise Conflict("This is the workspace of the operator, whose key would go with it.")
    if name != workspace.name:
        message = "This is not the name of the workspace. Nothing was deleted."
        raise InvalidRequest(message, errors=[FieldError("name", message)])
    check_workspace_unheld(session, workspace_id)
    revoked = update(ApiKeyRow).where(
        col(ApiKeyRow.workspace_id) == workspace_id, col(ApiKeyRow.revoked_at).is_(None)
    )
    session.exec(revoked.values(revoked_at=now()))
    row = WorkspaceDeletionRow(id=workspace_id, name=workspace.name)
    session.add(row)
    add_entry(session, caller, "workspace.deleted", workspace_id, before={"name": name}, after=None)
    session.flush()
    return row


def _view(row: WorkspaceDeletionRow) -> WorkspaceReceipt:
    return WorkspaceReceipt(
        workspace_id=row.id,
        name=row.name,
        asked_at=row.asked_at,
        gone_at=row.gone_at,
        reason=row.reason,
        removed=ErasedCounts.model_validate(row.removed),
    )
