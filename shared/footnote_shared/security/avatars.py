"""The avatar of a person whom an issuer knows: it is made when the person first comes."""

import hashlib
import uuid

from sqlmodel import select

from footnote_shared.contracts.identity import Principal, Scope
from footnote_shared.db.closed_workspaces import is_closed
from footnote_shared.db.engine import Database, ReadSession, WriteSession
from footnote_shared.db.leaving_avatars import is_leaving, lock_avatar
from footnote_shared.db.tables import AvatarRow, WorkspaceRow
from footnote_shared.kernel.errors import Unauthenticated


def avatar_id_of(workspace_id: str, issuer: str, subject: str) -> str:
    """The same id for the same person at any time, and another one for any other person."""
    # A length before each part: no two triples make the same text.
    parts = "".join(f"{len(part)}:{part}" for part in (workspace_id, issuer, subject))
    digest = hashlib.sha256(f"footnote avatar 1 {parts}".encode()).digest()
    return str(uuid.UUID(bytes=digest[:16], version=5))


async def avatar_of_subject(
    database: Database,
    *,
    workspace_id: str,
    issuer: str,
    subject: str,
    scopes: frozenset[Scope],
    groups: tuple[str, ...],
) -> Principal:
    """The caller for a person of the issuer.

    Raises Unauthenticated where there is no such workspace, or none any more, and while the person is being
    deleted. Somebody who comes after that is new here.
    """
    avatar_id = avatar_id_of(workspace_id, issuer, subject)

    def known(session: ReadSession) -> bool:
        found = select(AvatarRow.id).where(AvatarRow.id == avatar_id, AvatarRow.workspace_id == workspace_id)
        if session.exec(found).first() is None or is_closed(session, workspace_id):
            return False
        return not is_leaving(session, avatar_id)

    def make(session: WriteSession) -> None:
        lock_avatar(session, avatar_id)
        if session.get(WorkspaceRow, workspace_id) is None or is_closed(session, workspace_id):
            raise Unauthenticated("The token names no workspace that is here.")
        if is_leaving(session, avatar_id):
            raise Unauthenticated("What this person has here is being deleted.")
        if session.get(AvatarRow, avatar_id) is None:
            session.add(AvatarRow(id=avatar_id, workspace_id=workspace_id, name=subject))

    if not await database.read_async(known):
        await database.write_async(make)
    return Principal(workspace_id=workspace_id, avatar_id=avatar_id, scopes=scopes, groups=groups)
