"""API keys: shown once, kept as hashes, limited by scopes, revocable (spec 7.2)."""

import hashlib
import json
import secrets
from collections.abc import Iterable, Sequence
from typing import Any, cast

from sqlalchemy import Table, bindparam
from sqlalchemy import select as sql_select
from sqlmodel import SQLModel, col, select

from footnote_shared.contracts.identity import Principal, Scope
from footnote_shared.db.audit_log import add_entry, operator_of
from footnote_shared.db.engine import Database, ReadSession, WriteSession
from footnote_shared.db.leaving_avatars import is_leaving, lock_avatar
from footnote_shared.db.tables import ApiKeyRow, AvatarRow, WorkspaceRow
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict, NotFound
from footnote_shared.security.groups import checked_groups

PREFIX = "fn_"

FIRST_AVATAR = "admin"
"""The name of the avatar with which a workspace is made."""

# A Core statement that is built once. Every request looks its key up, and building would take most of the
# time.
_KEYS: Table = SQLModel.metadata.tables["api_keys"]
_BY_HASH = sql_select(
    _KEYS.c.workspace_id, _KEYS.c.avatar_id, _KEYS.c.scopes, _KEYS.c.groups, _KEYS.c.revoked_at
).where(_KEYS.c.hash == bindparam("hash"))


def hash_of(key: str) -> str:
    """SHA-256 of the key. A key has 256 random bits, so that a slow hash would add cost but no strength."""
    return hashlib.sha256(key.encode()).hexdigest()


def new_secret() -> str:
    """The text of a key that nobody has."""
    return PREFIX + secrets.token_urlsafe(32)


def hint_of(key: str) -> str:
    """As much of a key as people may be shown afterwards."""
    return key[:7]


def make_workspace(session: WriteSession, name: str) -> Principal:
    """Make a workspace with its first avatar. Returns that avatar as an admin."""
    workspace = WorkspaceRow(name=name)
    avatar = AvatarRow(workspace_id=workspace.id, name=FIRST_AVATAR)
    session.add(workspace)
    session.flush()
    session.add(avatar)
    session.flush()
    return Principal(workspace_id=workspace.id, avatar_id=avatar.id, scopes=frozenset({"admin"}))


def make_avatar(session: WriteSession, workspace_id: str, name: str) -> Principal:
    """Make a further avatar of a workspace. Its keys say what it may do."""
    avatar = AvatarRow(workspace_id=workspace_id, name=name)
    session.add(avatar)
    session.flush()
    return Principal(workspace_id=workspace_id, avatar_id=avatar.id, scopes=frozenset())


def make_key(
    session: WriteSession,
    owner: Principal,
    name: str,
    scopes: Iterable[Scope],
    groups: Iterable[str] = (),
    *,
    maker: Principal | None = None,
) -> str:
    """Make a key for the avatar. Its text is returned here and never again.

    Whoever holds it is in the `groups`. The audit log names the `maker`, or else the operator. Raises
    InvalidRequest for names of groups that cannot be, and Conflict for an avatar that is being deleted.
    """
    lock_avatar(session, owner.avatar_id)
    if is_leaving(session, owner.avatar_id):
        raise Conflict("This avatar is being deleted.")
    key = new_secret()
    row = ApiKeyRow(
        workspace_id=owner.workspace_id,
        avatar_id=owner.avatar_id,
        name=name,
        hash=hash_of(key),
        hint=hint_of(key),
        scopes=",".join(sorted(set(scopes))),
        groups=list(checked_groups(groups)),
    )
    session.add(row)
    said = {"name": name, "avatar_id": row.avatar_id, "scopes": row.scopes, "groups": row.groups}
    add_entry(session, maker or operator_of(row.workspace_id), "key.made", row.id, before=None, after=said)
    session.flush()
    return key


def principal_of(session: ReadSession | WriteSession, key: str) -> Principal | None:
    """The caller for whom a key stands. None for a key that is unknown or revoked."""
    return _owner(session.connection().execute(_BY_HASH, {"hash": hash_of(key)}).first())


async def owner_of(database: Database, key: str) -> Principal | None:
    """The same for a request, as of now: a key is useless from its revocation on, in every process."""
    return _owner(await database.first_async(_BY_HASH, {"hash": hash_of(key)}))


def _owner(row: Sequence[Any] | None) -> Principal | None:
    if row is None:
        return None
    workspace_id, avatar_id, scopes, groups, revoked_at = row
    if revoked_at is not None:
        return None
    if isinstance(groups, str):
        groups = json.loads(groups)
    return Principal(
        workspace_id=workspace_id,
        avatar_id=avatar_id,
        scopes=frozenset(cast(Scope, scope) for scope in scopes.split(",") if scope),
        groups=tuple(groups or ()),
    )


def rights_of_avatar(session: ReadSession | WriteSession, workspace_id: str, avatar_id: str) -> Principal:
    """The avatar with all that its keys allow at this moment. Without a key that is good, it has no scope."""
    query = select(ApiKeyRow).where(
        col(ApiKeyRow.workspace_id) == workspace_id,
        col(ApiKeyRow.avatar_id) == avatar_id,
        col(ApiKeyRow.revoked_at).is_(None),
    )
    keys = session.exec(query).all()
    scopes = frozenset(cast(Scope, scope) for key in keys for scope in key.scopes.split(",") if scope)
    groups = {group for key in keys for group in key.groups or ()}
    return Principal(
        workspace_id=workspace_id, avatar_id=avatar_id, scopes=scopes, groups=tuple(sorted(groups))
    )


def list_keys(session: ReadSession) -> list[ApiKeyRow]:
    """Every key of every workspace, oldest first. For the operator's command line only."""
    return list(session.exec(select(ApiKeyRow).order_by(col(ApiKeyRow.created_at))).all())


def revoke_key(session: WriteSession, key_id: str) -> None:
    """Make the key useless from the next request on."""
    row = session.get(ApiKeyRow, key_id)
    if row is None:
        raise NotFound
    if row.revoked_at is None:
        _revoke(session, row)


def revoke_keys_of(session: WriteSession, workspace_id: str) -> None:
    """Make every key of the workspace useless from the next request on."""
    mine = select(ApiKeyRow).where(
        ApiKeyRow.workspace_id == workspace_id, col(ApiKeyRow.revoked_at).is_(None)
    )
    for row in session.exec(mine).all():
        _revoke(session, row)


def _revoke(session: WriteSession, row: ApiKeyRow) -> None:
    row.revoked_at = now()
    session.add(row)
    said = {"name": row.name, "avatar_id": row.avatar_id}
    add_entry(session, operator_of(row.workspace_id), "key.revoked", row.id, before=said, after=None)
