"""The one place that turns a caller into a restriction of SQL.

No field of a request chooses the workspace.
"""

from sqlalchemy import ColumnElement, and_, or_
from sqlmodel import col

from footnote_ingest.store.tables import DocumentRow, FolderRow
from footnote_shared.contracts.identity import Principal


def shared_with(principal: Principal) -> ColumnElement[bool]:
    """Documents of the workspace except others' private ones. Deleted documents are among them."""
    return and_(
        col(DocumentRow.workspace_id) == principal.workspace_id,
        or_(col(DocumentRow.visibility) == "workspace", col(DocumentRow.avatar_id) == principal.avatar_id),
    )


def visible_documents(principal: Principal) -> ColumnElement[bool]:
    """Documents that the caller may see and that have not been deleted."""
    return and_(shared_with(principal), col(DocumentRow.deleted_at).is_(None))


def visible_folders(principal: Principal) -> ColumnElement[bool]:
    """Folders of the caller's workspace. Everybody sees the tree, but not everything that lies in it."""
    return col(FolderRow.workspace_id) == principal.workspace_id
