"""The end of a session: by its caller's word, or when the time of its uploads is over (docs/adr/0065)."""

from itertools import groupby

from sqlmodel import col, select

from footnote_ingest.documents.delete import delete_documents
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.store.scope import visible_documents
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.sessions import is_session_id
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import NotFound

_AT_ONCE = 200


def end_session(
    session: WriteSession, dispatcher: Dispatcher, policy: WorkPolicy, principal: Principal, session_id: str
) -> list[str]:
    """Delete what the caller has handed in there, apart from what is under legal hold; return the ids.

    Parts are deleted with what they lie in and are not named. Raises NotFound where nothing lies in it, as
    for a session of somebody else.
    """
    if not is_session_id(session_id):
        raise NotFound
    within = principal.model_copy(update={"session_id": session_id})
    rows = select(DocumentRow.id, DocumentRow.legal_hold).where(
        visible_documents(within),
        col(DocumentRow.session_id) == session_id,
        col(DocumentRow.parent_id).is_(None),
    )
    found = session.exec(rows.order_by(col(DocumentRow.id)).with_for_update()).all()
    if not found:
        raise NotFound
    ids = [document_id for document_id, held in found if not held]
    delete_documents(session, dispatcher, policy, principal.workspace_id, ids)
    return ids


def end_expired(session: WriteSession, dispatcher: Dispatcher, policy: WorkPolicy) -> int:
    """Delete some uploads whose time is over, apart from those under legal hold; return how many.

    Nobody sees them since that moment (`visible_documents`); this makes them go.
    """
    rows = select(DocumentRow.workspace_id, DocumentRow.id).where(
        col(DocumentRow.expires_at) <= now(),
        col(DocumentRow.deleted_at).is_(None),
        col(DocumentRow.parent_id).is_(None),
        col(DocumentRow.legal_hold).is_(False),
    )
    in_order = rows.order_by(col(DocumentRow.id)).limit(_AT_ONCE).with_for_update(skip_locked=True)
    found = sorted(session.exec(in_order).all())
    for workspace_id, of_one in groupby(found, key=lambda row: row[0]):
        delete_documents(session, dispatcher, policy, workspace_id, [row_id for _, row_id in of_one])
    return len(found)
