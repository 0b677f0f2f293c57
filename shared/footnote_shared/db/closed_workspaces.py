"""Workspaces that are being deleted, or were: nobody comes into them any more (spec 3.6)."""

from sqlmodel import select

from footnote_shared.db.engine import ReadSession, WriteSession, lock_for_transaction
from footnote_shared.db.tables import WorkspaceDeletionRow


def is_closed(session: ReadSession | WriteSession, workspace_id: str) -> bool:
    """Whether the workspace is being deleted, or was."""
    found = select(WorkspaceDeletionRow.id).where(WorkspaceDeletionRow.id == workspace_id)
    return session.exec(found).first() is not None


def lock_closing(session: WriteSession, workspace_id: str) -> None:
    """Keep the workspace from being closed until the transaction ends, or wait for whoever closes it."""
    lock_for_transaction(session, "workspace", workspace_id)
