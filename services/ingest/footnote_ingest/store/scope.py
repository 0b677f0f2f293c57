"""The one place where a caller is turned into a restriction of SQL. No request field reaches the workspace."""

from sqlalchemy import ColumnElement, and_
from sqlmodel import col

from footnote_ingest.store.tables import DocumentRow, FolderRow
from footnote_shared.contracts.identity import Principal


def visible_documents(principal: Principal) -> ColumnElement[bool]:
    """Documents of the caller's workspace that have not been deleted."""
    return and_(
        col(DocumentRow.workspace_id) == principal.workspace_id, col(DocumentRow.deleted_at).is_(None)
    )


def visible_folders(principal: Principal) -> ColumnElement[bool]:
    """Folders of the caller's workspace."""
    return col(FolderRow.workspace_id) == principal.workspace_id
