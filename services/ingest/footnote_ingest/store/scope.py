"""The one place that turns a caller into a restriction of SQL.

No field of a request chooses the workspace.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, and_, bindparam, exists, func, or_
from sqlmodel import col, select

from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_ingest.store.tables import ROOT, DocumentGroupRow, DocumentRow, FolderRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.memory import MEMORY_FOLDER
from footnote_shared.db.tables import UtcDateTime
from footnote_shared.kernel.clock import now


@dataclass(frozen=True, slots=True, eq=False)
class CallerToCome:
    """A caller who is named when a statement runs (`named`), so that the statement is built only once."""

    workspace_id: BindParameter[str]
    avatar_id: BindParameter[str]
    groups: BindParameter[str] | None
    session_id: BindParameter[str] | None

    @classmethod
    def make(cls, *, in_groups: bool, in_session: bool) -> "CallerToCome":
        """`in_groups`, `in_session`: whether the caller will be in a group, and in a session."""
        groups: BindParameter[str] | None = bindparam("caller_groups", expanding=True) if in_groups else None
        session: BindParameter[str] | None = bindparam("caller_session") if in_session else None
        return cls(bindparam("caller_workspace"), bindparam("caller_avatar"), groups, session)

    @staticmethod
    def named(principal: Principal) -> dict[str, Any]:
        """The parameters that put this caller into the statement."""
        found: dict[str, Any] = {
            "caller_workspace": principal.workspace_id,
            "caller_avatar": principal.avatar_id,
        }
        if principal.groups:
            found["caller_groups"] = principal.groups
        if principal.session_id is not None:
            found["caller_session"] = principal.session_id
            found["caller_moment"] = now()
        return found


Caller = Principal | CallerToCome


def shared_with(principal: Caller) -> ColumnElement[bool]:
    """Documents of the workspace except others' private ones and those of groups that the caller is not in.

    Those of a session are the caller's only within it, and nobody else's. A public one is for everybody of
    the workspace, whatever its groups. Deleted documents are among them.
    """
    # `groups_of` and `is_for_all` say the same to points.
    readable: ColumnElement[bool] = or_(
        col(DocumentRow.reader_groups).is_(None), col(DocumentRow.is_public).is_(True)
    )
    groups = principal.groups
    if groups is not None and (isinstance(groups, BindParameter) or groups):
        mine = exists().where(
            col(DocumentGroupRow.document_id) == col(DocumentRow.id),
            col(DocumentGroupRow.name).in_(groups),
        )
        readable = or_(readable, mine)
    return and_(
        col(DocumentRow.workspace_id) == principal.workspace_id,
        or_(
            and_(col(DocumentRow.visibility) == "workspace", readable),
            col(DocumentRow.avatar_id) == principal.avatar_id,
        ),
        _of_the_session(principal),
    )


def _of_the_session(principal: Caller) -> ColumnElement[bool]:
    of_none = col(DocumentRow.session_id).is_(None)
    if principal.session_id is None:
        return of_none
    own = col(DocumentRow.avatar_id) == principal.avatar_id
    return or_(of_none, and_(own, col(DocumentRow.session_id) == principal.session_id))


def visible_documents(principal: Caller) -> ColumnElement[bool]:
    """Documents that the caller may see, that have not been deleted and whose time is not over."""
    seen = and_(shared_with(principal), col(DocumentRow.deleted_at).is_(None))
    if principal.session_id is None:
        # Only documents of a session have an end.
        return seen
    moment = bindparam("caller_moment", type_=UtcDateTime()) if isinstance(principal, CallerToCome) else now()
    alive = or_(
        col(DocumentRow.expires_at).is_(None),
        col(DocumentRow.expires_at) > moment,
        col(DocumentRow.legal_hold).is_(True),
    )
    return and_(seen, alive)


def in_memory(principal: Caller, memory: bool) -> ColumnElement[bool]:
    """Documents of the workspace's memory, or with False all others."""
    folders = select(FolderRow.id).where(
        col(FolderRow.workspace_id) == principal.workspace_id, at_or_below(MEMORY_FOLDER)
    )
    lies_in = col(DocumentRow.folder_id)
    return lies_in.in_(folders) if memory else or_(lies_in.is_(None), lies_in.not_in(folders))


def visible_folders(principal: Principal) -> ColumnElement[bool]:
    """Folders of the caller's workspace. Everybody sees the tree, but not everything that lies in it."""
    return col(FolderRow.workspace_id) == principal.workspace_id


def visible_connectors(principal: Principal) -> ColumnElement[bool]:
    """Connectors of the caller's workspace that have not been deleted. Everybody there sees them."""
    return and_(
        col(ConnectorRow.workspace_id) == principal.workspace_id, col(ConnectorRow.deleted_at).is_(None)
    )


def at_or_below(path: str) -> ColumnElement[bool]:
    """Whether a folder is the one of this path, or lies in it. SQLite's LIKE would take `/A` for `/a`."""
    inside = f"{path}{ROOT}"
    stored = col(FolderRow.path)
    return or_(stored == path, func.substr(stored, 1, len(inside)) == inside)
