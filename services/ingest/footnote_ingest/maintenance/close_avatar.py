"""Deleting a person of a workspace: nobody comes in as them any more, and what is theirs goes (spec 3.6)."""

from collections.abc import Sequence

from sqlalchemy import delete, func, update
from sqlmodel import col, select

from footnote_ingest.connectors.make import delete_connector
from footnote_ingest.contracts.avatars import AvatarCard, AvatarReceipt, SharedDocuments
from footnote_ingest.contracts.workspaces import ErasedCounts
from footnote_ingest.documents.delete import delete_documents
from footnote_ingest.documents.of_avatar import owned, theirs_alone
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_ingest.store.lane_tables import RecordedQueryRow
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.audit_log import add_entry
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.db.leaving_avatars import is_leaving, lock_avatar
from footnote_shared.db.tables import ApiKeyRow, AvatarDeletionRow, AvatarRow
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict, FieldError, InvalidRequest, NotFound, Unauthenticated
from footnote_shared.kernel.ids import is_id

KEPT = "kept"
"""Where a receipt counts the documents that stay."""


def list_avatars(session: ReadSession, workspace_id: str, limit: int, after: str | None) -> list[AvatarCard]:
    """The avatars of the workspace that are not gone, by their ids, at most `limit`."""
    query = select(AvatarRow).where(col(AvatarRow.workspace_id) == workspace_id)
    if after is not None:
        query = query.where(col(AvatarRow.id) > after)
    rows = session.exec(query.order_by(col(AvatarRow.id)).limit(limit)).all()
    ids = [row.id for row in rows]
    leaving = select(AvatarDeletionRow).where(
        col(AvatarDeletionRow.id).in_(ids), col(AvatarDeletionRow.due_at).is_not(None)
    )
    asked = {row.id: row.asked_at for row in session.exec(leaving)}
    good = select(ApiKeyRow.avatar_id, func.count()).where(
        col(ApiKeyRow.avatar_id).in_(ids), col(ApiKeyRow.revoked_at).is_(None)
    )
    keys = dict(session.exec(good.group_by(col(ApiKeyRow.avatar_id))).all())
    made = select(ConnectorRow.avatar_id, func.count()).where(
        col(ConnectorRow.workspace_id) == workspace_id,
        col(ConnectorRow.avatar_id).in_(ids),
        col(ConnectorRow.deleted_at).is_(None),
    )
    connectors = dict(session.exec(made.group_by(col(ConnectorRow.avatar_id))).all())
    return [
        AvatarCard(
            id=row.id,
            name=row.name,
            created_at=row.created_at,
            keys=keys.get(row.id, 0),
            connectors=connectors.get(row.id, 0),
            deletion_asked_at=asked.get(row.id),
        )
        for row in rows
    ]


def close_avatar(
    session: WriteSession,
    dispatcher: Dispatcher,
    policy: WorkPolicy,
    caller: Principal,
    avatar_id: str,
    name: str,
    shared: SharedDocuments,
) -> AvatarReceipt:
    """Begin the deletion of an avatar of the caller's workspace; a second call tells how far it is.

    `name` has to be the avatar's. In this transaction its keys are revoked, and its documents and connectors
    are deleted for readers. Raises NotFound, UnderLegalHold, Conflict for the caller's own avatar, and
    Unauthenticated for a caller who is being deleted.
    """
    if not is_id(avatar_id):
        raise NotFound
    # Of two admins who delete one another at once, one stays: both locks, in one order.
    for one in sorted({avatar_id, caller.avatar_id}):
        lock_avatar(session, one)
    if is_leaving(session, caller.avatar_id):
        raise Unauthenticated("What this person has here is being deleted.")
    known = session.get(AvatarDeletionRow, avatar_id, with_for_update=True)
    if known is not None and known.workspace_id != caller.workspace_id:
        raise NotFound
    avatar = session.get(AvatarRow, avatar_id, with_for_update=True)
    if known is None or (avatar is not None and known.due_at is None):
        # Whoever came again after their deletion, by a token of the issuer, can be deleted again.
        known = _closed(session, dispatcher, policy, caller, avatar, name, shared, known)
        dispatcher.send_after_commit(session, Task.ERASE_AVATAR, [avatar_id])
    return _view(known)


def receipt(session: ReadSession, workspace_id: str, avatar_id: str) -> AvatarReceipt:
    """What has gone so far. Raises NotFound for an avatar of elsewhere, or that nobody has deleted."""
    row = session.get(AvatarDeletionRow, avatar_id) if is_id(avatar_id) else None
    if row is None or row.workspace_id != workspace_id:
        raise NotFound
    return _view(row)


def withdraw(
    session: WriteSession, dispatcher: Dispatcher, policy: WorkPolicy, row: AvatarDeletionRow
) -> None:
    """Delete for readers what goes with the avatar: its connectors with all they brought, and its documents.

    Safe to repeat: what came late goes too. Raises UnderLegalHold.
    """
    for connector in _connectors(session, row):
        delete_connector(session, dispatcher, policy, connector)
    going = select(DocumentRow.id).where(owned(row.id, row.workspace_id))
    if not row.shared:
        going = going.where(theirs_alone())
    ids = list(session.exec(going))
    if ids:
        delete_documents(session, dispatcher, policy, row.workspace_id, ids)


def _connectors(session: WriteSession, row: AvatarDeletionRow) -> Sequence[ConnectorRow]:
    theirs = select(ConnectorRow).where(
        col(ConnectorRow.workspace_id) == row.workspace_id,
        col(ConnectorRow.avatar_id) == row.id,
        col(ConnectorRow.deleted_at).is_(None),
    )
    return session.exec(theirs.order_by(col(ConnectorRow.id)).with_for_update()).all()


def _closed(
    session: WriteSession,
    dispatcher: Dispatcher,
    policy: WorkPolicy,
    caller: Principal,
    avatar: AvatarRow | None,
    name: str,
    shared: SharedDocuments,
    former: AvatarDeletionRow | None,
) -> AvatarDeletionRow:
    if avatar is None or avatar.workspace_id != caller.workspace_id:
        raise NotFound
    if avatar.id == caller.avatar_id:
        raise Conflict("This is you: your key would go with you. Another admin has to do it.")
    if name != avatar.name:
        message = "This is not the name of the avatar. Nothing was deleted."
        raise InvalidRequest(message, errors=[FieldError("name", message)])
    if former is not None:
        session.delete(former)
        session.flush()
    row = AvatarDeletionRow(id=avatar.id, workspace_id=avatar.workspace_id, shared=shared == "delete")
    session.add(row)
    revoked = update(ApiKeyRow).where(
        col(ApiKeyRow.avatar_id) == avatar.id, col(ApiKeyRow.revoked_at).is_(None)
    )
    session.exec(revoked.values(revoked_at=now()))
    # Nobody can tell who asked what is kept of the workspace's queries.
    session.exec(delete(RecordedQueryRow).where(col(RecordedQueryRow.workspace_id) == avatar.workspace_id))
    withdraw(session, dispatcher, policy, row)
    # The log keeps the id alone: the name goes with the person.
    add_entry(session, caller, "avatar.deleted", avatar.id, before=None, after={"shared": shared})
    session.flush()
    return row


def _view(row: AvatarDeletionRow) -> AvatarReceipt:
    counts = dict(row.removed)
    kept = counts.pop(KEPT, 0)
    return AvatarReceipt(
        avatar_id=row.id,
        shared="delete" if row.shared else "keep",
        asked_at=row.asked_at,
        gone_at=row.gone_at,
        reason=row.reason,
        removed=ErasedCounts.model_validate(counts),
        kept=kept,
    )
