"""Documents as files of text: change a part of one, and find a text in many (spec 5.5)."""

from fastapi import APIRouter

from footnote_ingest.api.dependencies import Resources
from footnote_ingest.api.fields import check_metadata
from footnote_ingest.documents.edit_text import edit_text
from footnote_ingest.documents.paths import normalise
from footnote_ingest.documents.view import chunk_view
from footnote_ingest.store.text_search import chunks_with
from footnote_shared.contracts.documents import Document
from footnote_shared.contracts.text_files import ChunksWithText, ChunkWithText, TextEdit, TextLookup
from footnote_shared.telemetry import metrics
from footnote_shared.web.body_limits import LARGE_BODY, body_limit
from footnote_shared.web.dependencies import Reader, ReadUnit, Writer
from footnote_shared.web.idempotency import IdempotencyKey

router = APIRouter(tags=["documents"])


@router.post(
    "/v1/documents/{document_id}:edit",
    status_code=202,
    summary="Replace the text of a document of plain text, or a part of it",
)
@body_limit(LARGE_BODY)
def edit(
    document_id: str,
    body: TextEdit,
    principal: Writer,
    resources: Resources,
    idempotency_key: IdempotencyKey = None,
) -> Document:
    """Makes the next version of the document, which is indexed like an upload."""
    check_metadata(body.metadata)
    return edit_text(resources.acceptor, principal, document_id, body, idempotency_key)


@router.post("/v1/documents:grep", summary="Passages that hold a text as it is written")
def grep(body: TextLookup, principal: Reader, session: ReadUnit) -> ChunksWithText:
    """Looks at live versions. Memory is left out. `partial` says where older texts were not looked at."""
    found = chunks_with(
        session, principal, body.text, normalise(body.folder), body.document_ids, body.limit + 1
    )
    items = [
        ChunkWithText(
            document_id=row.id,
            title=row.title,
            source=row.filename,
            folder=folder,
            session_id=row.session_id,
            chunk=chunk_view(chunk),
        )
        for chunk, row, folder in found.chunks[: body.limit]
    ]
    if found.partial:
        metrics.DEGRADED.labels("grep").inc()
    return ChunksWithText(items=items, more=len(found.chunks) > body.limit, partial=found.partial)
