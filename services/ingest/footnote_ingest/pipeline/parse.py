"""What the queue `parse` does: documents pass the stages `extracting` and `chunking` under one lease."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import col, select

from footnote_ingest.hints.queues import Task
from footnote_ingest.pipeline.chunk import ChunkResources, chunk
from footnote_ingest.pipeline.extract import ExtractResources, extract
from footnote_ingest.pipeline.in_work import load
from footnote_ingest.pipeline.long_work import PARSED_IN, LongWorkSlots, long_work_slot, may_take_long
from footnote_ingest.pipeline.short_documents import parse_short
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.resources import WorkResources
from footnote_ingest.work.take import take

_BYTES_TOGETHER = 256 * 1024
"""The most bytes of the short documents that are worked on together."""


@dataclass(frozen=True, slots=True)
class ParseResources:
    """What the two stages need beside the work."""

    extract: ExtractResources
    chunk: ChunkResources
    slots: LongWorkSlots


@dataclass(frozen=True, slots=True)
class _HintedDocument:
    id: str
    workspace_id: str
    mime: str
    size: int

    @property
    def long(self) -> bool:
        return may_take_long(self.mime, self.size)


def parse_documents(work: WorkResources, resources: ParseResources, *hinted: str) -> bool:
    """Bring the hinted documents to `embedding`. Returns False if there was nothing for us to do.

    Short ones are worked on together, as many as their bytes allow. The others are sent a hint again, so that
    another process can take them. A document that may take long needs a slot. If there is none it goes on
    waiting, and whoever gives a slot back calls for the next one.
    """
    found = _look(work, hinted)
    if not found:
        return False
    now = _first_together(found)
    later = [document for document in found if document not in now]
    work.dispatcher.send_many(Task.PARSE, [document.id for document in later if not document.long])
    for document in later:
        if document.long:
            work.dispatcher.send(Task.PARSE, document.id)
    if not now[0].long:
        with take(work, PARSED_IN, *(document.id for document in now)) as lease:
            parse_short(work, resources.extract, resources.chunk, lease)
        return bool(lease.documents)
    with long_work_slot(work, resources.slots, now[0].workspace_id) as has_slot:
        return has_slot and _parse_long(work, resources, now[0].id)


def _look(work: WorkResources, ids: Sequence[str]) -> list[_HintedDocument]:
    columns = (DocumentRow.id, DocumentRow.workspace_id, DocumentRow.mime, DocumentRow.size)
    statement = select(*columns).where(col(DocumentRow.id).in_(ids)).order_by(col(DocumentRow.id))
    with work.database.read() as session:
        return [_HintedDocument(*row) for row in session.exec(statement)]


def _first_together(documents: Sequence[_HintedDocument]) -> list[_HintedDocument]:
    """The first of the short documents, as many as go together; or else the first long one by itself."""
    together: list[_HintedDocument] = []
    size = 0
    for document in documents:
        if document.long:
            continue
        size += document.size
        if together and size > _BYTES_TOGETHER:
            break
        together.append(document)
    return together or [documents[0]]


def _parse_long(work: WorkResources, resources: ParseResources, document_id: str) -> bool:
    with take(work, PARSED_IN, document_id) as lease:
        for leased in lease.documents:
            document = load(work, leased)
            extracted = extract(work, resources.extract, lease, document)
            chunk(work, resources.chunk, lease, document, extracted)
    return bool(lease.documents)
