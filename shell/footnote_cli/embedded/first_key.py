"""The first workspace and its admin key: made at the first start, shown once, kept in a file of mode 0600.

Beside it lies the key of the link that signs a browser in: the browser has it renewed, so it is good once.
"""

from pathlib import Path

from sqlmodel import col, select

from footnote_cli.embedded.private_files import write_private
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.db.leaving_avatars import is_leaving
from footnote_shared.db.tables import ApiKeyRow, AvatarRow, WorkspaceRow
from footnote_shared.security.api_keys import (
    FIRST_AVATAR,
    hash_of,
    make_avatar,
    make_key,
    make_workspace,
    principal_of,
    revoke_key,
)


def ensure_first_key(database: Database, target: Path) -> str | None:
    """The new key, written to `target`, or None where an earlier start has made one.

    A start that was killed half-way leaves no file, so the next one makes a fresh key.
    """
    with database.write() as session:
        if target.is_file() and session.exec(select(WorkspaceRow)).first() is not None:
            return None
        owner = _first_admin(session) or make_workspace(session, "default")
        key = make_key(session, owner, "first key", ["admin"])
    write_private(target, key + "\n")
    return key


def ensure_link_key(database: Database, first: Path, target: Path) -> None:
    """Write the key of the link to `target`, for whom the `first` key is; one that nobody used stays.

    Where the first key is good no more, or another avatar's, a link of before is good no more either.
    """
    left = target.read_text("utf-8").strip() if target.is_file() else ""
    key = None
    with database.write() as session:
        owner = principal_of(session, first.read_text("utf-8").strip())
        known = principal_of(session, left)
        if known is not None and owner is not None and known.avatar_id == owner.avatar_id:
            return
        if known is not None:
            revoke_key(
                session, session.exec(select(ApiKeyRow.id).where(ApiKeyRow.hash == hash_of(left))).one()
            )
        if owner is not None:
            key = make_key(session, owner, "link of footnote up", owner.scopes, owner.groups)
    if key is None:
        target.unlink(missing_ok=True)
    else:
        write_private(target, key + "\n")


def _first_admin(session: WriteSession) -> Principal | None:
    """The admin of the oldest workspace, whose key file was lost or never written."""
    workspace = session.exec(select(WorkspaceRow).order_by(col(WorkspaceRow.created_at))).first()
    if workspace is None:
        return None
    avatars = select(AvatarRow).where(AvatarRow.workspace_id == workspace.id, AvatarRow.name == FIRST_AVATAR)
    for avatar in session.exec(avatars.order_by(col(AvatarRow.created_at))):
        if not is_leaving(session, avatar.id):
            return Principal(workspace_id=workspace.id, avatar_id=avatar.id, scopes=frozenset({"admin"}))
    # It was deleted as a person. No other one's things may be opened by this key.
    return make_avatar(session, workspace.id, FIRST_AVATAR)
