"""Legal hold: a document that nobody may delete or replace until somebody with that right lifts it."""

from collections.abc import Sequence

from sqlalchemy import func
from sqlmodel import col, select

from footnote_ingest.documents.parts import family
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work import stages
from footnote_shared.contracts.audit import AuditAction
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.audit_log import add_entry
from footnote_shared.db.closed_workspaces import is_closed, lock_closing
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.errors import Conflict, NotFound

_IDS_AT_ONCE = 500


class UnderLegalHold(Conflict):
    """The document may be neither deleted nor replaced. Whoever may lift the hold has to act."""

    code = "legal_hold"
    title = "The document is under legal hold"


def set_hold(session: WriteSession, caller: Principal, row: DocumentRow, *, held: bool) -> None:
    """Put the document with all its parts under hold, or lift that. The row is locked.

    A change is noted in the audit log; what stands already is none. Raises NotFound where its workspace is
    being deleted: a hold would come too late.
    """
    lock_closing(session, row.workspace_id)
    if is_closed(session, row.workspace_id):
        raise NotFound
    if row.parent_id is not None:
        raise Conflict("An attachment is held with its message.")
    said = "Under legal hold: it cannot be deleted or replaced." if held else "The legal hold is lifted."
    changed = [member for member in family(session, row) if member.legal_hold != held]
    for member in changed:
        member.legal_hold = held
        stages.note(session, member, member.status, said)
    if changed:
        action: AuditAction = "hold.set" if held else "hold.lifted"
        add_entry(session, caller, action, row.id, before=None, after=None)


def check_workspace_unheld(session: WriteSession, workspace_id: str) -> None:
    """Raises UnderLegalHold if the workspace has a document that may not be deleted."""
    chosen = col(DocumentRow.workspace_id) == workspace_id, col(DocumentRow.legal_hold)
    held = session.exec(select(func.count()).select_from(DocumentRow).where(*chosen)).one()
    if held:
        raise UnderLegalHold(f"Of its documents, {held} are under legal hold. Nothing was deleted.")


def check_unheld(session: WriteSession, ids: Sequence[str]) -> None:
    """Raises UnderLegalHold if one of the documents may not be deleted."""
    held = 0
    for start in range(0, len(ids), _IDS_AT_ONCE):
        chosen = col(DocumentRow.id).in_(ids[start : start + _IDS_AT_ONCE]), col(DocumentRow.legal_hold)
        held += session.exec(select(func.count()).select_from(DocumentRow).where(*chosen)).one()
    if held:
        what = "The document is" if len(ids) == 1 else f"{held} of the {len(ids)} documents are"
        raise UnderLegalHold(f"{what} under legal hold. Nothing was deleted.")
