"""What the queue `parse` does: a document passes the stages `extracting` and `chunking` under one lease."""

import random
from dataclasses import dataclass

from footnote_ingest.hints.queues import Task
from footnote_ingest.pipeline.chunk import ChunkResources, chunk
from footnote_ingest.pipeline.extract import ExtractResources, extract
from footnote_ingest.pipeline.in_work import load
from footnote_ingest.pipeline.long_parses import LongParses, may_take_long
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.resources import WorkResources
from footnote_ingest.work.take import take, waiting_longest
from footnote_shared.contracts.documents import Status

_STAGES: tuple[Status, ...] = ("queued", "extracting", "chunking")
_LOOKED_AT = 500
"""Documents that are considered for a slot, the longest waiting ones."""


@dataclass(frozen=True, slots=True)
class ParseResources:
    """What the two stages need beside the work."""

    extract: ExtractResources
    chunk: ChunkResources
    long_parses: LongParses


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
    found = False
    try:
        with resources.long_parses.slot(row.workspace_id) as found:
            return found and _parse(work, resources, document_id)
    finally:
        # Even a slot that was held for nothing may have been refused to somebody meanwhile.
        if found:
            _call_next(work, row.workspace_id)


def _parse(work: WorkResources, resources: ParseResources, document_id: str) -> bool:
    with take(work, _STAGES, document_id) as lease:
        for leased in lease.documents:
            document = load(work, leased)
            extracted = extract(work, resources.extract, lease, document)
            chunk(work, resources.chunk, lease, document, extracted)
    return bool(lease.documents)


def _call_next(work: WorkResources, served: str) -> None:
    """Send the hint of a document that waits for a slot, of another workspace than `served` if there is one.

    Which workspace is next is left to chance, so that none has to wait for the backlog of two others.
    """
    with work.database.read() as session:
        waiting = {
            workspace_id: document_id
            for document_id, workspace_id, mime, size in reversed(
                waiting_longest(session, work.policy, _STAGES, _LOOKED_AT)
            )
            if may_take_long(mime, size)
        }
    others = sorted(waiting.keys() - {served}) or list(waiting)
    if others:
        work.dispatcher.send(Task.PARSE, waiting[random.choice(others)])  # noqa: S311
