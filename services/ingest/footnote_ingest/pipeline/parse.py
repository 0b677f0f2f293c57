"""What the queue `parse` does: a document passes the stages `extracting` and `chunking` under one lease."""

from dataclasses import dataclass

from footnote_ingest.pipeline.chunk import ChunkTools, chunk
from footnote_ingest.pipeline.extract import ExtractTools, extract
from footnote_ingest.pipeline.in_work import load
from footnote_ingest.work.bench import Bench
from footnote_ingest.work.take import take


@dataclass(frozen=True, slots=True)
class ParseTools:
    """What the two stages need beside the bench."""

    extract: ExtractTools
    chunk: ChunkTools


def parse_document(bench: Bench, tools: ParseTools, document_id: str) -> bool:
    """Bring the document to `embedding`. Returns False if there was nothing for us to do."""
    with take(bench, ("queued", "extracting", "chunking"), document_id) as lease:
        for leased in lease.documents:
            document = load(bench, leased)
            extracted = extract(bench, tools.extract, lease, document)
            chunk(bench, tools.chunk, lease, document, extracted)
    return bool(lease.documents)
