"""Avatars that are being deleted: nobody comes in as one of them meanwhile (spec 3.6)."""

from sqlmodel import col, select

from footnote_shared.db.engine import ReadSession, WriteSession, lock_for_transaction
from footnote_shared.db.tables import AvatarDeletionRow


def is_leaving(session: ReadSession | WriteSession, avatar_id: str) -> bool:
    """Whether the avatar is being deleted. It is until the last look, an hour after all was gone."""
    unended = col(AvatarDeletionRow.due_at).is_not(None)
    found = select(AvatarDeletionRow.id).where(AvatarDeletionRow.id == avatar_id, unended)
    return session.exec(found).first() is not None


def lock_avatar(session: WriteSession, avatar_id: str) -> None:
    """Let nobody make or delete the avatar, or give it a key, until the transaction ends."""
    lock_for_transaction(session, "avatar", avatar_id)
