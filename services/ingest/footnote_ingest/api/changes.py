"""`PATCH /v1/documents/{id}`: rename a document or its file, move, share or hold it, replace its metadata."""

from fastapi import APIRouter

from footnote_ingest.api.dependencies import Resources
from footnote_ingest.api.fields import check_metadata, given_title, invalid
from footnote_ingest.documents.change import Changes, change_document
from footnote_ingest.documents.paths import has_controls, normalise, plain_name
from footnote_ingest.documents.view import document_view
from footnote_shared.contracts.documents import Document, DocumentChanges
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.errors import FieldError, Forbidden
from footnote_shared.web.body_limits import body_limit
from footnote_shared.web.dependencies import Edge, Writer

router = APIRouter(tags=["documents"])


@router.patch("/v1/documents/{document_id}", summary="Rename, move, share or withdraw a document")
@body_limit(256 * 1024)
async def patch_document(
    document_id: str, body: DocumentChanges, principal: Writer, edge: Edge, resources: Resources
) -> Document:
    """Makes all of the changes or none; the next request sees them.

    A new title has the document indexed anew. So has a new file name if it is the title too, which it is
    where neither the file nor a person gives one.
    """
    if body.legal_hold is not None and not principal.may("admin"):
        raise Forbidden("To set or lift a legal hold needs a key with the scope `admin`.")
    title = given_title(body.title)
    if body.title is not None and title is None:
        raise invalid([FieldError("title", "is empty")])
    filename = None if body.filename is None else plain_name(body.filename)
    if filename == "" or (body.filename is not None and has_controls(body.filename)):
        raise invalid([FieldError("filename", "is not the name of a file")])
    if body.metadata is not None:
        check_metadata(body.metadata)
    changes = Changes(
        title=title,
        filename=filename,
        folder=normalise(body.folder) if body.folder is not None else None,
        visibility=body.visibility,
        metadata=body.metadata,
        legal_hold=body.legal_hold,
        if_sha256=body.if_sha256,
    )

    def change(session: WriteSession) -> Document:
        changed = change_document(
            session, resources.dispatcher, resources.policy, principal, document_id, changes
        )
        return document_view(changed)

    return await edge.database.write_async(change)
