"""The facts of a document as one caller sees them, and the other documents that say the same."""

from collections.abc import Collection, Sequence

from footnote_ingest.facts.shown_entities import entities_of_facts
from footnote_ingest.store import facts as store
from footnote_ingest.store.fact_tables import FactJobRow
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.contracts.facts import (
    DocumentFacts,
    FactStatus,
    ShownFact,
    ShownFacts,
    SourceRef,
    StatedFact,
)
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession
from footnote_shared.kernel.ids import is_id

_ALSO_IN = 20
_READ_AT_MOST = 1000


def facts_of(
    session: ReadSession, principal: Principal, document: DocumentRow, allowed: Collection[str]
) -> DocumentFacts:
    """How far the reading is, and the facts that there are. The caller sees the document.

    `allowed` are the classifications that may be read: facts of others, read earlier, are not shown. Of facts
    that say the same, the caller is told of those in documents that the caller sees, and of no others.
    """
    job = session.get(FactJobRow, document.id)
    if job is None or job.classification not in allowed:
        status: FactStatus = "not_applicable"
        if job is None and store.classification_of(document) in allowed:
            # It is not indexed yet, or was before there were facts.
            status = "queued"
        return DocumentFacts(document_id=document.id, fact_extraction_status=status, items=[])
    rows = store.live_of_document(session, principal, document.id)
    entities = entities_of_facts(session, principal, document.id, allowed)
    groups = sorted({row.group_id for row in rows})
    places: dict[str, list[SourceRef]] = {}
    for group, document_id, chunk_id, title in store.live_of_groups(
        session, principal, groups, _READ_AT_MOST
    ):
        ref = SourceRef(document_id=document_id, chunk_id=chunk_id, title=title)
        places.setdefault(group, []).append(ref)
    items = []
    for row in rows:
        own = SourceRef(document_id=document.id, chunk_id=row.chunk_id, title=document.title)
        also = [ref for ref in places.get(row.group_id, ()) if ref != own]
        items.append(
            StatedFact(
                id=row.id,
                text=row.text,
                quote=row.quote,
                source_ref=own,
                also_in=also[:_ALSO_IN],
                entities=entities.get(row.id, []),
                created_at=row.created_at,
            )
        )
    return DocumentFacts(
        document_id=document.id, fact_extraction_status=job.status, reason=job.reason, items=items
    )


def shown_facts(
    session: ReadSession, principal: Principal, ids: Sequence[str], allowed: Collection[str]
) -> ShownFacts:
    """Those of the facts that the caller is shown."""
    rows = store.live_by_id(session, principal, [one for one in ids if is_id(one)], allowed)
    return ShownFacts(
        items=[
            ShownFact(
                id=row.id, text=row.text, quote=row.quote, document_id=row.document_id, chunk_id=row.chunk_id
            )
            for row in rows
        ]
    )
