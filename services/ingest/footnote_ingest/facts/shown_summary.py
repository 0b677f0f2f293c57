"""What a document is about, as one caller is shown it."""

from collections.abc import Collection

from footnote_ingest.documents.view import document_view
from footnote_ingest.facts.summary_of_text import PASSAGES_READ, SummedPassage, summary_of_text
from footnote_ingest.store import chunks
from footnote_ingest.store.documents import DocumentInFolder
from footnote_ingest.store.summaries import live_summary
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.contracts.document_details import DocumentDetails, DocumentSummary
from footnote_shared.db.engine import ReadSession


def with_summary(
    session: ReadSession, document: DocumentInFolder, allowed: Collection[str]
) -> DocumentDetails:
    """The document with its summary. The caller sees the document.

    `allowed` are the classifications that a model may read.
    """
    summary = _summary(session, document.row, allowed)
    return DocumentDetails(**document_view(document).model_dump(), summary=summary)


def _summary(session: ReadSession, row: DocumentRow, allowed: Collection[str]) -> DocumentSummary | None:
    """A model's, where one has written it, else sentences of the live version.

    These are read from its chunks whenever somebody looks. So each document has them without a row of its
    own, they cost its indexing nothing, and they go with the text.
    """
    if row.live_version is None:
        return None
    written = live_summary(session, row, allowed) if allowed else None
    if written is not None:
        return DocumentSummary(text=written, made_by="model")
    read = chunks.listed(session, row, PASSAGES_READ, None)
    passages = [SummedPassage(one.text, one.kind, one.heading_path, one.language) for one in read]
    said = summary_of_text(passages, row.title)
    return DocumentSummary(text=said, made_by="extract") if said is not None else None
