"""The keys of one workspace, as its admins make and revoke them; each change is noted in the audit log."""

from typing import cast

from sqlmodel import col, select

from footnote_agent.contracts.api_keys import ApiKey, MadeApiKey, NewApiKey
from footnote_shared.contracts.identity import Principal, Scope
from footnote_shared.db.audit_log import add_entry
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.db.tables import ApiKeyRow, AvatarRow
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict, Forbidden, NotFound, Unauthenticated
from footnote_shared.kernel.ids import is_id
from footnote_shared.security.api_keys import hash_of, hint_of, make_avatar, make_key, new_secret


def keys_of_workspace(
    session: ReadSession, caller: Principal, limit: int, before_id: str | None, asking: str
) -> list[ApiKey]:
    """Keys of the caller's workspace, the newest first, at most `limit`, older than the one named.

    `asking` is the hash of the key that asks.
    """
    query = (
        select(ApiKeyRow, AvatarRow.name)
        .join(AvatarRow, col(AvatarRow.id) == col(ApiKeyRow.avatar_id))
        .where(col(ApiKeyRow.workspace_id) == caller.workspace_id)
    )
    if before_id is not None:
        query = query.where(col(ApiKeyRow.id) < before_id)
    rows = session.exec(query.order_by(col(ApiKeyRow.id).desc()).limit(limit)).all()
    return [_view(row, avatar, current=row.hash == asking) for row, avatar in rows]


def id_of_key(session: ReadSession | WriteSession, hashed: str) -> str | None:
    """The id of the key that has this hash. None for a token, and for a key that was renewed or revoked."""
    query = select(ApiKeyRow.id).where(col(ApiKeyRow.hash) == hashed, col(ApiKeyRow.revoked_at).is_(None))
    return session.exec(query).first()


def make_for_workspace(session: WriteSession, caller: Principal, asked: NewApiKey) -> MadeApiKey:
    """Make a key for the caller's own avatar, or for one that is made with it.

    Nobody gets a key for an avatar that is somebody else's: it would open what is private to them (ADR 0062).
    """
    owner = caller
    if asked.new_avatar is not None:
        owner = make_avatar(session, caller.workspace_id, asked.new_avatar)
    key = make_key(session, owner, asked.name, asked.scopes, maker=caller)
    row = session.exec(select(ApiKeyRow).where(col(ApiKeyRow.hash) == hash_of(key))).one()
    return MadeApiKey(**_view(row, _avatar_name(session, row)).model_dump(), key=key)


def renew_in_workspace(
    session: WriteSession, caller: Principal, key_id: str, asking: str | None
) -> MadeApiKey:
    """Give a key of the caller's own avatar another secret. Raises NotFound for any other.

    Nobody gets a key of an avatar that is somebody else's (ADR 0062), or one that is in groups that they are
    not in: Forbidden. Raises Conflict for one that was revoked. `asking` is the hash of the key that asks,
    if a key does: Unauthenticated where that was renewed or revoked meanwhile, Forbidden where it is another
    one and may not do this.
    """
    _check_asking(session, caller, key_id, asking)
    row = _of_workspace(session, caller, key_id)
    # The row is locked from here on. Another request may have renewed it since the caller was let in.
    _check_asking(session, caller, key_id, asking)
    if row.avatar_id != caller.avatar_id:
        raise NotFound
    if row.revoked_at is not None:
        raise Conflict("This key was revoked. Make another.")
    if not set(row.groups or ()) <= set(caller.groups) or not all(map(caller.may, _scopes_of(row))):
        raise Forbidden("This key may do more than yours, or is in groups that yours is not in.")
    key = new_secret()
    row.hash, row.hint = hash_of(key), hint_of(key)
    session.add(row)
    said = {"name": row.name, "avatar_id": row.avatar_id}
    add_entry(session, caller, "key.renewed", row.id, before=said, after=said)
    return MadeApiKey(**_view(row, _avatar_name(session, row)).model_dump(), key=key)


def _check_asking(session: WriteSession, caller: Principal, key_id: str, asking: str | None) -> None:
    """A key may end what it is itself, as in a link that is good once; for others it needs `admin`."""
    own = None if asking is None else id_of_key(session, asking)
    if asking is not None and own is None:
        raise Unauthenticated("This key was renewed or revoked meanwhile.")
    if own != key_id and not caller.may("admin"):
        raise Forbidden("This needs a key with the scope `admin`.")


def _of_workspace(session: WriteSession, caller: Principal, key_id: str) -> ApiKeyRow:
    query = select(ApiKeyRow).where(
        col(ApiKeyRow.id) == key_id, col(ApiKeyRow.workspace_id) == caller.workspace_id
    )
    row = session.exec(query.with_for_update()).first() if is_id(key_id) else None
    if row is None:
        raise NotFound
    return row


def revoke_in_workspace(session: WriteSession, caller: Principal, key_id: str, asking: str | None) -> ApiKey:
    """Revoke a key of the caller's workspace. Raises NotFound for any other, and for what is no id.

    `asking` is the hash of the key that asks, if a key does: Forbidden where that is another one without
    `admin`.
    """
    _check_asking(session, caller, key_id, asking)
    row = _of_workspace(session, caller, key_id)
    found = _view(row, _avatar_name(session, row))
    if row.revoked_at is None:
        row.revoked_at = now()
        session.add(row)
        said = {"name": row.name, "avatar_id": row.avatar_id}
        add_entry(session, caller, "key.revoked", row.id, before=said, after=None)
    return found.model_copy(update={"revoked_at": row.revoked_at})


def _avatar_name(session: WriteSession, row: ApiKeyRow) -> str:
    avatar = session.get(AvatarRow, row.avatar_id)
    return "" if avatar is None else avatar.name


def _scopes_of(row: ApiKeyRow) -> list[Scope]:
    return [cast(Scope, scope) for scope in row.scopes.split(",") if scope]


def _view(row: ApiKeyRow, avatar: str, *, current: bool = False) -> ApiKey:
    return ApiKey(
        id=row.id,
        name=row.name,
        hint=row.hint,
        avatar_id=row.avatar_id,
        avatar=avatar,
        scopes=_scopes_of(row),
        created_at=row.created_at,
        revoked_at=row.revoked_at,
        current=current,
    )
