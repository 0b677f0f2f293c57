"""The receipt of a deletion: what was counted gone, store by store, of a document and its parts."""

import re
from collections import Counter
from collections.abc import Mapping

from sqlalchemy import or_
from sqlmodel import col, select

from footnote_ingest.contracts.deletion import DeletionReceipt, RemovedCounts
from footnote_ingest.store.scope import shared_with
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession
from footnote_shared.kernel.errors import InvalidRequest, NotFound
from footnote_shared.kernel.ids import is_id

_IDS_AT_ONCE = 500
_PART = re.compile(r"[0-9a-f-]{4,35}")


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
    """What has gone so far of a deleted document, named by its id or by either end of it.

    Raises NotFound for a document that is not deleted or not the caller's to see, and InvalidRequest if
    several ids begin or end so.
    """
    row = _deleted(session, principal, document_id)
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


def _deleted(session: ReadSession, principal: Principal, named: str) -> DocumentRow | None:
    if is_id(named):
        this = col(DocumentRow.id) == named
    elif _PART.fullmatch(named):
        this = or_(col(DocumentRow.id).startswith(named), col(DocumentRow.id).endswith(named))
    else:
        return None
    deleted = col(DocumentRow.deleted_at).is_not(None)
    found = session.exec(select(DocumentRow).where(this, shared_with(principal), deleted).limit(2)).all()
    if len(found) > 1:
        raise InvalidRequest(f"Several deleted documents have an id that begins or ends with {named}.")
    return found[0] if found else None


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
