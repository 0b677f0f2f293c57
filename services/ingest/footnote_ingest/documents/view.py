"""From rows to the messages of the API."""

from footnote_ingest.store.documents import DocumentInFolder
from footnote_ingest.store.shown_documents import ShownDocument
from footnote_ingest.store.tables import ChunkRow, TimelineRow
from footnote_shared.contracts.documents import Chunk, Document, DocumentError, Transition
from footnote_shared.contracts.place import place_fields


def document_view(document: DocumentInFolder | ShownDocument) -> Document:
    """The document as clients see it."""
    row = document.row
    error = None
    if row.status == "failed":
        error = DocumentError.model_validate(
            {
                "stage": row.error_stage,
                "code": row.error_code,
                "reason": row.error_reason,
                "retryable": row.error_retryable,
            }
        )
    return Document.model_validate(
        {
            "id": row.id,
            "workspace_id": row.workspace_id,
            "avatar_id": row.avatar_id,
            "visibility": row.visibility,
            "title": row.title,
            "filename": row.filename,
            "mime": row.mime,
            "language": row.language,
            "size": row.size,
            "sha256": row.sha256,
            "source_type": row.source_type,
            "folder": document.folder,
            "folder_id": row.folder_id,
            "external_id": row.external_id,
            "status": row.status,
            "error": error,
            "version": row.version,
            "live_version": row.live_version,
            "open_from": row.open_from,
            "chunks": row.chunk_count,
            "url": row.url,
            "connector_id": row.connector_id,
            "groups": row.reader_groups,
            "legal_hold": row.legal_hold,
            "session_id": row.session_id,
            "expires_at": row.expires_at,
            "metadata": row.attributes,
            "created_at": row.created_at,
            "updated_at": row.updated_at,
            "indexed_at": row.indexed_at,
        }
    )


def transition_view(row: TimelineRow) -> Transition:
    """A row of the timeline as clients see it."""
    return Transition.model_validate(row, from_attributes=True)


def chunk_view(row: ChunkRow, *, tombstone: bool = False) -> Chunk:
    """A chunk as clients see it."""
    return Chunk(
        id=row.chunk_id,
        ordinal=row.ordinal,
        text=row.text,
        kind=row.kind,
        language=row.language,
        code_language=row.code_language,
        **place_fields(row),
        tombstone=tombstone,
    )
