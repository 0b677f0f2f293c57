"""Who sees a document: the whole workspace, or its owner alone (docs/adr/0014)."""

from collections.abc import Sequence

from sqlmodel import col, select

from footnote_ingest.documents.delete import SETTLE_AFTER, with_parts
from footnote_ingest.store import documents
from footnote_ingest.store.generations import raise_generation
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work import stages
from footnote_shared.contracts.documents import Visibility
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict, Forbidden
from footnote_shared.tasks.dispatch import Dispatcher
from footnote_shared.tasks.queues import Task

_SAID: dict[Visibility, str] = {
    "private": "Made private: its owner alone sees it.",
    "workspace": "Made visible to the workspace.",
}


def stored_identity(identity: str, visibility: Visibility, avatar_id: str) -> str:
    """The identity under which a document is kept. Private documents of different avatars never meet, nor does one meet what
    the workspace sees: an upload of somebody else to the same place is another document. A part has its parent's."""
    if visibility == "workspace" or identity.startswith("part:"):
        return identity
    return f"private:{avatar_id}:{identity}"


def existing(
    session: ReadSession | WriteSession,
    principal: Principal,
    identity: str,
    wanted: Visibility | None,
    *,
    lock: bool = False,
) -> DocumentRow | None:
    """The document that the caller's upload of this identity is a version of.

    The caller's own private one, or the one that the workspace sees: whichever is wanted, the private one when nothing is
    said. One of the other kind only where it is the caller's own; it is changed to what is wanted.
    """
    own = stored_identity(identity, "private", principal.avatar_id)
    mine = documents.by_identity(session, principal.workspace_id, own, lock=lock) if own != identity else None
    if mine is not None and wanted != "workspace":
        return mine
    shared = documents.by_identity(session, principal.workspace_id, identity, lock=lock)
    if wanted == "private":
        return shared if shared is not None and shared.avatar_id == principal.avatar_id else None
    return shared or mine


def set_visibility(
    session: WriteSession,
    dispatcher: Dispatcher,
    principal: Principal,
    row: DocumentRow,
    identity: str,
    wanted: Visibility,
) -> None:
    """Change who sees a document and what was found in it, from this commit on; the points follow.

    `identity` is the document's own, not as stored. The row is locked. Raises Forbidden for any but the owner, and Conflict
    for a part of another document, and where a document of this identity is there already.
    """
    if row.visibility == wanted:
        return
    if row.avatar_id != principal.avatar_id:
        raise Forbidden("Only the avatar that owns a document may change who sees it.")
    if row.parent_id is not None:
        raise Conflict("An attachment is seen by whoever sees the message that it came with.")
    claim_identity(session, row, stored_identity(identity, wanted, row.avatar_id))
    for member in family(session, row):
        member.visibility = wanted
        member.withheld_at = now() if wanted == "private" else None
        stages.note(session, member, member.status, _SAID[wanted])
        bring_points_up_to_date(session, dispatcher, member)
    raise_generation(session, row.workspace_id)


def claim_identity(session: WriteSession, row: DocumentRow, identity: str) -> None:
    """Give the row this identity, in the form in which it is stored; Conflict where another document has it."""
    if row.identity == identity:
        return
    taken = documents.by_identity(session, row.workspace_id, identity)
    if taken is not None:
        raise Conflict(f"There is a document named {row.filename} at that place already.")
    row.identity = identity
    session.add(row)
    session.flush()


def family(session: WriteSession, row: DocumentRow) -> Sequence[DocumentRow]:
    """The document and all that was found in it, locked."""
    parts = [document_id for document_id in with_parts(session, [row.id]) if document_id != row.id]
    if not parts:
        return [row]
    found = select(DocumentRow).where(col(DocumentRow.id).in_(parts)).order_by(col(DocumentRow.id))
    return [row, *session.exec(found.with_for_update())]


def bring_points_up_to_date(session: WriteSession, dispatcher: Dispatcher, row: DocumentRow) -> None:
    """Have the filters' keys of the document's points written again, soon and for sure."""
    row.points_lag = True
    row.updated_at = now()
    row.settle_at = row.updated_at + SETTLE_AFTER
    session.add(row)
    dispatcher.send_after_commit(session, Task.REMOVE, [row.id])
