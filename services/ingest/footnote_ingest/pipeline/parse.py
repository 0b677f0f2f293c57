"""What the queue `parse` does: a document passes the stages `extracting` and `chunking` under one lease."""

from dataclasses import dataclass

from footnote_ingest.pipeline.chunk import ChunkResources, chunk
from footnote_ingest.pipeline.extract import ExtractResources, extract
from footnote_ingest.pipeline.in_work import load
from footnote_ingest.pipeline.long_work import PARSED_IN, LongWorkSlots, long_work_slot, may_take_long
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.resources import WorkResources
from footnote_ingest.work.take import take


@dataclass(frozen=True, slots=True)
class ParseResources:
    """What the two stages need beside the work."""

    extract: ExtractResources
    chunk: ChunkResources
    slots: LongWorkSlots


def parse_document(work: WorkResources, resources: ParseResources, document_id: str) -> bool:
    """Bring the document to `embedding`. Returns False if there was nothing for us to do.

    A document that may take long needs a slot. If there is none it goes on waiting, and whoever gives a
    slot back calls for the next one.
    """
    with work.database.read() as session:
        row = session.get(DocumentRow, document_id)
    if row is None:
        return False
    if not may_take_long(row.mime, row.size):
        return _parse(work, resources, document_id)
    with long_work_slot(work, resources.slots, row.workspace_id) as found:
        return found and _parse(work, resources, document_id)


def _parse(work: WorkResources, resources: ParseResources, document_id: str) -> bool:
    with take(work, PARSED_IN, document_id) as lease:
        for leased in lease.documents:
            document = load(work, leased)
            extracted = extract(work, resources.extract, lease, document)
            chunk(work, resources.chunk, lease, document, extracted)
    return bool(lease.documents)
