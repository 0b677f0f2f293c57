"""`POST /v1/documents`: a file as multipart, or text as JSON (spec 9.2)."""

import io
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import IO, get_args

from fastapi import APIRouter, Request
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response

from footnote_ingest.api.dependencies import IngestResources, Resources
from footnote_ingest.api.fields import check_metadata, given_title, invalid, metadata_of, plain_text
from footnote_ingest.documents.paths import normalise, plain_name
from footnote_ingest.documents.upload import Upload, media_type
from footnote_ingest.store.tables import ROOT
from footnote_shared.contracts.documents import Document, TextDocument, Visibility
from footnote_shared.contracts.sessions import is_session_id
from footnote_shared.kernel.errors import FieldError, Unavailable, UnsupportedType
from footnote_shared.web.body_limits import body_limit
from footnote_shared.web.dependencies import Edge, Writer, caller_of
from footnote_shared.web.idempotency import IdempotencyKey

router = APIRouter(tags=["documents"])

PATH = "/v1/documents"
"""The path of an upload. A text in JSON is taken right behind the door."""

_ACCEPTED = 202
_FIELDS = frozenset({"file", "title", "folder", "external_id", "metadata", "visibility", "session_id"})
_VISIBILITIES: tuple[Visibility, ...] = get_args(Visibility)
_LIMITS = {"title": 500, "external_id": 500}
_KEY = "idempotency-key"
_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "title": {"type": "string", "maxLength": 500},
                        "folder": {"type": "string", "description": "A path; missing folders are made."},
                        "external_id": {"type": "string", "maxLength": 500},
                        "metadata": {"type": "string", "description": "A JSON object."},
                        "visibility": {"type": "string", "enum": list(_VISIBILITIES)},
                        "session_id": {
                            "type": "string",
                            "description": "Hand it in anonymously: only the same avatar sees it, in this "
                            "session, until the session ends.",
                        },
                    },
                }
            },
            "application/json": {"schema": TextDocument.model_json_schema()},
        },
    }
}


@router.post(PATH, status_code=_ACCEPTED, summary="Hand in a document", openapi_extra=_BODY)
@body_limit(uploads=True)
async def accept(
    request: Request,
    principal: Writer,
    resources: Resources,
    edge: Edge,
    idempotency_key: IdempotencyKey = None,
) -> Document:
    """Bytes and row are durable when this answers.

    A file with the same `external_id` as a document, or with the same folder and name, is a new version of
    it.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    most = edge.settings.max_upload_bytes
    if kind == "multipart/form-data":
        async with read_form(request, max_files=1, max_fields=len(_FIELDS) + 8) as form:
            upload, content = _of_form(form)
            return await resources.acceptor.accept_file(principal, upload, content, most, idempotency_key)
    if kind == "application/json":
        upload, text = _of_json(await request.body())
        return await resources.acceptor.accept_file(
            principal, upload, io.BytesIO(text), most, idempotency_key
        )
    raise UnsupportedType("Send a file as multipart/form-data, or text as application/json.")


async def accept_straight(request: Request, body: bytes) -> Response | None:
    """The same for a text in JSON, without the framework.

    None for a body that is not valid, and where a key comes with it: FastAPI checks that, and says what is
    wrong.
    """
    if _KEY in request.headers:
        return None
    try:
        given = TextDocument.model_validate_json(body)
    except ValidationError:
        return None
    caller = await caller_of(request, "write")
    upload, text = text_upload(given)
    state = request.app.state
    resources: IngestResources = state.ingest
    document = await resources.acceptor.accept_file(
        caller, upload, io.BytesIO(text), state.edge.settings.max_upload_bytes
    )
    return Response(document.model_dump_json(), _ACCEPTED, media_type="application/json")


@asynccontextmanager
async def read_form(request: Request, *, max_files: int, max_fields: int) -> AsyncIterator[FormData]:
    """The fields and the files. Those that are not small lie in the temporary folder during the block."""
    try:
        form = await request.form(max_files=max_files, max_fields=max_fields)
    except OSError as error:
        raise Unavailable(
            "temporary_folder",
            "The server has no room for the file while it arrives. Nothing of it was kept; its operator has "
            f"to look after the temporary folder {tempfile.gettempdir()}.",
        ) from error
    try:
        yield form
    finally:
        await form.close()


def _of_form(form: FormData) -> tuple[Upload, IO[bytes]]:
    file = form.get("file")
    errors = [FieldError(name, "is not a field of an upload") for name in form if name not in _FIELDS]
    if not isinstance(file, UploadFile):
        errors.append(FieldError("file", "is missing: send the file in this field"))
        raise invalid(errors)
    fields = {name: value for name, value in form.items() if isinstance(value, str) and value != ""}
    errors += [
        FieldError(name, f"may have at most {most} characters")
        for name, most in _LIMITS.items()
        if len(fields.get(name, "")) > most
    ]
    if errors:
        raise invalid(errors)
    title = given_title(fields.get("title"))
    upload = Upload(
        filename=plain_name(file.filename) or plain_name(title) or "unnamed",
        declared_mime=media_type(file.content_type),
        title=title,
        folder=normalise(fields.get("folder")),
        external_id=plain_text("external_id", fields.get("external_id")),
        metadata=metadata_of(fields.get("metadata")),
        visibility=_visibility(fields.get("visibility")),
    )
    return in_session(upload, fields.get("session_id")), file.file


def _of_json(body: bytes) -> tuple[Upload, bytes]:
    try:
        given = TextDocument.model_validate_json(body)
    except ValidationError as error:
        raise invalid(
            [FieldError(".".join(map(str, e["loc"])) or "body", e["msg"]) for e in error.errors()]
        ) from error
    return text_upload(given)


def text_upload(given: TextDocument) -> tuple[Upload, bytes]:
    """A text as a file. Raises InvalidRequest for what no document may hold."""
    title = given_title(given.title)
    check_metadata(given.metadata)
    upload = Upload(
        filename=plain_name(title) or "unnamed",
        declared_mime=media_type(given.mime) or "text/plain",
        title=title,
        folder=normalise(given.folder),
        external_id=plain_text("external_id", given.external_id),
        metadata=given.metadata,
        source_type=given.source_type,
        visibility=given.visibility,
    )
    return in_session(upload, given.session_id), given.text.encode("utf-8", "replace")


def in_session(upload: Upload, session_id: str | None) -> Upload:
    """The upload as one of the session, if there is one. Raises InvalidRequest for what no session has."""
    if session_id is None:
        return upload
    wrong = {
        "session_id": None if is_session_id(session_id) else "is 16 to 64 letters, digits, - and _",
        "folder": None if upload.folder == ROOT else "is not for an upload of a session",
        "visibility": "is always private in a session" if upload.visibility == "workspace" else None,
        "source_type": None if upload.source_type == "upload" else "is not for an upload of a session",
    }
    errors = [FieldError(name, message) for name, message in wrong.items() if message is not None]
    if errors:
        raise invalid(errors)
    return replace(upload, session_id=session_id, visibility="private", source_type="anonymous")


def _visibility(text: str | None) -> Visibility | None:
    if text is None:
        return None
    found = next((known for known in _VISIBILITIES if known == text), None)
    if found is None:
        raise invalid([FieldError("visibility", f"is none of: {', '.join(_VISIBILITIES)}")])
    return found
