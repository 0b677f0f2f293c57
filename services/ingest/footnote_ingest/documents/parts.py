"""A document and its parts: the attachments that were found in it, at any depth."""

from collections.abc import Sequence

from sqlmodel import col, select

from footnote_ingest.store.tables import DocumentRow
from footnote_shared.db.engine import WriteSession

_IDS_AT_ONCE = 500


def with_parts(session: WriteSession, ids: list[str]) -> list[str]:
    """The ids of the documents, followed level by level by those of their parts."""
    family = list(dict.fromkeys(ids))
    level = family
    while level:
        following: list[str] = []
        for start in range(0, len(level), _IDS_AT_ONCE):
            parts = select(DocumentRow.id).where(
                col(DocumentRow.parent_id).in_(level[start : start + _IDS_AT_ONCE]),
                col(DocumentRow.deleted_at).is_(None),
            )
            following += session.exec(parts)
        family += following
        level = following
    return family


def lock_family(session: WriteSession, ids: list[str]) -> list[str]:
    """Lock the documents and their parts until the transaction ends; return the ids of those that are alive.

    Rows are locked in the order of their ids, as everybody does who locks several: two transactions then wait
    for each other in one direction only. A part may be added until its parent is locked, so the parts are
    looked for again.
    """
    alive: list[str] = []
    looked_at: set[str] = set()
    while found := sorted(set(with_parts(session, ids)) - looked_at):
        looked_at.update(found)
        for start in range(0, len(found), _IDS_AT_ONCE):
            rows = select(DocumentRow.id).where(
                col(DocumentRow.id).in_(found[start : start + _IDS_AT_ONCE]),
                col(DocumentRow.deleted_at).is_(None),
            )
            alive += session.exec(rows.order_by(col(DocumentRow.id)).with_for_update())
    return alive


def family(session: WriteSession, row: DocumentRow) -> Sequence[DocumentRow]:
    """The document and all its parts, locked until the transaction ends."""
    parts = [document_id for document_id in with_parts(session, [row.id]) if document_id != row.id]
    if not parts:
        return [row]
    found = select(DocumentRow).where(col(DocumentRow.id).in_(parts)).order_by(col(DocumentRow.id))
    return [row, *session.exec(found.with_for_update())]
