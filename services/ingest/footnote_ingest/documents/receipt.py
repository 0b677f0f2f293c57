"""The receipt of a deletion: what was counted gone, store by store, of a document and its parts."""

from collections import Counter
from collections.abc import Mapping

from sqlmodel import col, select

from footnote_ingest.contracts.deletion import DeletionReceipt, RemovedCounts
from footnote_ingest.store.scope import shared_with
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession
from footnote_shared.kernel.errors import NotFound
from footnote_shared.kernel.ids import is_id

_IDS_AT_ONCE = 500


def note_found(row: DocumentRow, found: Mapping[str, int]) -> None:
    """Note what is about to be removed, before it is.

    A run that was killed finds less the next time, so the larger count stays. What a late worker has written
    after the deletion is counted in addition.
    """
    before = row.removed or {}
    late = row.status == "deleted"
    row.removed = before | {
        name: before.get(name, 0) + count if late else max(before.get(name, 0), count)
        for name, count in found.items()
    }


def receipt(session: ReadSession, principal: Principal, document_id: str) -> DeletionReceipt:
    """What has gone so far. Raises NotFound for a document that is not deleted or not the caller's to see."""
    statement = select(DocumentRow).where(
        col(DocumentRow.id) == document_id, shared_with(principal), col(DocumentRow.deleted_at).is_not(None)
    )
    row = session.exec(statement).first() if is_id(document_id) else None
    if row is None or row.deleted_at is None:
        raise NotFound
    members = [row, *_parts(session, row)]
    counts: Counter[str] = Counter()
    for member in members:
        counts.update(member.removed or {})
    gone = all(member.status == "deleted" for member in members)
    return DeletionReceipt(
        document_id=row.id,
        asked_at=row.deleted_at,
        gone_at=max(member.stage_since for member in members) if gone else None,
        children=len(members) - 1,
        removed=RemovedCounts(**counts),
    )


def _parts(session: ReadSession, row: DocumentRow) -> list[DocumentRow]:
    """The parts that were deleted with the document, at any depth."""
    found: list[DocumentRow] = []
    level = [row.id]
    while level:
        following: list[DocumentRow] = []
        for start in range(0, len(level), _IDS_AT_ONCE):
            parts = select(DocumentRow).where(
                col(DocumentRow.parent_id).in_(level[start : start + _IDS_AT_ONCE]),
                col(DocumentRow.deleted_at) >= row.deleted_at,
            )
            following += session.exec(parts)
        found += following
        level = [part.id for part in following]
    return found
