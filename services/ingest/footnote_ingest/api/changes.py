"""`PATCH /v1/documents/{id}`: rename a document, move it, change who sees it, replace its metadata."""

import json

from fastapi import APIRouter

from footnote_ingest.api.dependencies import Parts
from footnote_ingest.api.fields import check_metadata, given_title, invalid
from footnote_ingest.documents.change import Changes, change_document
from footnote_ingest.documents.paths import normalise
from footnote_ingest.documents.view import document_view
from footnote_shared.contracts.documents import Document, DocumentChanges
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.errors import FieldError
from footnote_shared.web.body_limits import body_limit
from footnote_shared.web.dependencies import PlatformDep, Writer

router = APIRouter(tags=["documents"])


@router.patch("/v1/documents/{document_id}", summary="Rename, move, share or withdraw a document")
@body_limit(256 * 1024)
def patch_document(
    document_id: str, body: DocumentChanges, principal: Writer, platform: PlatformDep, parts: Parts
) -> Document:
    """Makes all of the changes or none; the next request sees them.

    A new title has the document indexed anew.
    """
    title = given_title(body.title)
    if body.title is not None and title is None:
        raise invalid([FieldError("title", "is empty")])
    if body.metadata is not None:
        check_metadata(json.dumps(body.metadata))
    changes = Changes(
        title=title,
        folder=normalise(body.folder) if body.folder is not None else None,
        visibility=body.visibility,
        metadata=body.metadata,
    )

    def change(session: WriteSession) -> Document:
        return document_view(
            change_document(session, parts.dispatcher, parts.policy, principal, document_id, changes)
        )

    return platform.database.write_once_more(change)
