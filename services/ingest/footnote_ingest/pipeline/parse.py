"""What the queues `parse` and `media` do: the stages `extracting` and `chunking` under one lease.

A model that hears a recording may take minutes. So such a document has a queue of its own, and keeps no
process from files that only have to be read.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlmodel import col, select

from footnote_ingest.hints.queues import Task
from footnote_ingest.parsing.formats import FAMILY_OF
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

_HEARS = "A model hears the recording. That can take minutes."
_SEES = "A model sees the picture. That can take a minute."


def _no_model(mime: str) -> bool:
    return False


def _has_room() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class ParseResources:
    """What the two stages need beside the work.

    `asks_model` says whether a model reads files of a type, and `media_has_room` whether more hints of these
    are to wait.
    """

    extract: ExtractResources
    chunk: ChunkResources
    slots: LongWorkSlots
    asks_model: Callable[[str], bool] = _no_model
    media_has_room: Callable[[], bool] = _has_room


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
    found = _without_media(work, resources, _look(work, hinted))
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
    return _parse_in_slot(work, resources, now[0])


def read_by_model(work: WorkResources, resources: ParseResources, document_id: str) -> bool:
    """The same for one document that a model reads. Its worker has slots too, so that workspaces share it."""
    return any(_parse_in_slot(work, resources, found) for found in _look(work, [document_id]))


def _without_media(
    work: WorkResources, resources: ParseResources, found: Sequence[_HintedDocument]
) -> list[_HintedDocument]:
    """Those that no model reads. The others go to their queue; without room there the sweeper sends them."""
    asking = [document for document in found if resources.asks_model(document.mime)]
    if asking and resources.media_has_room():
        for document in asking:
            work.dispatcher.send(Task.MEDIA, document.id)
    return [document for document in found if document not in asking]


def _parse_in_slot(work: WorkResources, resources: ParseResources, document: _HintedDocument) -> bool:
    asks = None
    if resources.asks_model(document.mime):
        asks = _HEARS if FAMILY_OF.get(document.mime) == "audio" else _SEES
    with long_work_slot(work, resources.slots, document.workspace_id) as has_slot:
        return has_slot and _parse_long(work, resources, document.id, asks)


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


def _parse_long(work: WorkResources, resources: ParseResources, document_id: str, asks: str | None) -> bool:
    with take(work, PARSED_IN, document_id) as lease:
        for leased in lease.documents:
            document = load(work, leased)
            extracted = extract(work, resources.extract, lease, document, asks)
            chunk(work, resources.chunk, lease, document, extracted)
    return bool(lease.documents)
