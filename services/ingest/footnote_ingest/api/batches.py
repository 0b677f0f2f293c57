"""`POST /v1/documents:batch`: many files as multipart, or many texts as JSON (spec 9.2)."""

import io
import json
from collections.abc import Sequence
from typing import IO, Any

from anyio import to_thread
from fastapi import APIRouter, Request
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile

from footnote_ingest.api.dependencies import IngestResources, Resources
from footnote_ingest.api.fields import check_metadata, given_title, invalid, plain_text
from footnote_ingest.api.uploads import read_form, text_upload
from footnote_ingest.contracts.document_batches import BatchOutcomes, FileFields
from footnote_ingest.documents.accept_batch import FileOfBatch, Refusal, accept_batch
from footnote_ingest.documents.paths import normalise, plain_name
from footnote_ingest.documents.upload import Upload, media_type
from footnote_shared.contracts.documents import TextDocument
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import CallerError, FieldError, InvalidRequest, UnsupportedType
from footnote_shared.web.body_limits import body_limit
from footnote_shared.web.dependencies import Writer
from footnote_shared.web.idempotency import IdempotencyKey
from footnote_shared.web.json_shape import json_shape

router = APIRouter(tags=["documents"])

MOST_DOCUMENTS = 100
"""The most documents of one batch."""

_DEEPEST = 12
"""Levels of the field `fields`: the metadata of a document may have eight of its own."""

_TEXTS = {
    "type": "object",
    "required": ["documents"],
    "properties": {
        "documents": {
            "type": "array",
            "minItems": 1,
            "maxItems": MOST_DOCUMENTS,
            "items": TextDocument.model_json_schema(),
        }
    },
    "example": {
        "documents": [
            {"title": "Water", "text": "The pump is checked every spring.", "folder": "/house"},
            {"title": "Heating", "text": "The boiler was replaced in 2024.", "folder": "/house"},
        ]
    },
}
_FILES = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": {
            "type": "array",
            "minItems": 1,
            "maxItems": MOST_DOCUMENTS,
            "items": {"type": "string", "format": "binary"},
        },
        "fields": {
            "type": "string",
            "description": "A JSON array with an object for each file, in the order of the files: `title`, "
            "`folder`, `external_id`, `visibility`, `metadata`. Absent: none has any.",
            "example": '[{"folder": "/house"}, {"folder": "/house", "title": "Heating"}]',
        },
    },
}
_BODY = {
    "requestBody": {
        "required": True,
        "content": {"multipart/form-data": {"schema": _FILES}, "application/json": {"schema": _TEXTS}},
    }
}


@router.post("/v1/documents:batch", summary="Hand in many documents", openapi_extra=_BODY)
@body_limit(uploads=True)
async def batch(
    request: Request, principal: Writer, resources: Resources, idempotency_key: IdempotencyKey = None
) -> BatchOutcomes:
    """Each document has its own outcome, in the order given: one that is refused refuses no other.

    Bytes and rows of those that are accepted are durable when this answers. All of them together may have as
    many bytes as a single upload.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        async with read_form(request, max_files=MOST_DOCUMENTS, max_fields=8) as form:
            given = _of_form(form)
            return await _accepted(principal, resources, given, idempotency_key)
    if kind == "application/json":
        # A hundred texts take milliseconds to read, which the loop has not.
        given = await to_thread.run_sync(_of_json, await request.body())
        return await _accepted(principal, resources, given, idempotency_key)
    raise UnsupportedType("Send files as multipart/form-data, or texts as application/json.")


async def _accepted(
    principal: Principal, resources: IngestResources, given: list[FileOfBatch | Refusal], key: str | None
) -> BatchOutcomes:
    return await to_thread.run_sync(
        accept_batch, resources.acceptor, principal, given, key, limiter=resources.batches
    )


def _of_form(form: FormData) -> list[FileOfBatch | Refusal]:
    unknown = [
        FieldError(name, "is not a field of a batch") for name in form if name not in ("file", "fields")
    ]
    files = [value for value in form.getlist("file") if isinstance(value, UploadFile)]
    if not files:
        unknown.append(FieldError("file", "is missing: send each file in a field of this name"))
    if unknown:
        raise invalid(unknown)
    fields = _fields(form.get("fields"), len(files))
    return [_outcome_of_file(file, about) for file, about in zip(files, fields, strict=True)]


def _fields(given: UploadFile | str | None, files: int) -> Sequence[Any]:
    """What is said about each file."""
    if given is None:
        return [{}] * files
    if not isinstance(given, str):
        raise invalid([FieldError("fields", "is text, not a file")])
    if json_shape(given.encode("utf-8", "replace")).depth > _DEEPEST:
        raise invalid([FieldError("fields", f"may be nested {_DEEPEST} levels deep at most")])
    try:
        listed = json.loads(given)
    except ValueError as error:
        raise invalid([FieldError("fields", "is not valid JSON")]) from error
    if not isinstance(listed, list) or len(listed) != files:
        raise invalid([FieldError("fields", f"must be an array of {files} objects, one for each file")])
    return listed


def _outcome_of_file(file: UploadFile, about: Any) -> FileOfBatch | Refusal:
    try:
        return FileOfBatch(_file_upload(file, FileFields.model_validate(about)), file.file)
    except ValidationError as error:
        return _not_valid(error)
    except CallerError as refused:
        return refused


def _file_upload(file: UploadFile, about: FileFields) -> Upload:
    title = given_title(about.title)
    check_metadata(about.metadata)
    return Upload(
        filename=plain_name(file.filename) or plain_name(title) or "unnamed",
        declared_mime=media_type(file.content_type),
        title=title,
        folder=normalise(about.folder),
        external_id=plain_text("external_id", about.external_id),
        metadata=about.metadata,
        visibility=about.visibility,
    )


def _of_json(body: bytes) -> list[FileOfBatch | Refusal]:
    try:
        whole = json.loads(body)
    except ValueError as error:
        raise invalid([FieldError("body", "is not valid JSON")]) from error
    listed = whole.get("documents") if isinstance(whole, dict) and set(whole) == {"documents"} else None
    if not isinstance(listed, list) or not 0 < len(listed) <= MOST_DOCUMENTS:
        raise invalid([FieldError("documents", f"must be an array of 1 to {MOST_DOCUMENTS} objects")])
    return [_outcome_of_text(each) for each in listed]


def _outcome_of_text(given: Any) -> FileOfBatch | Refusal:
    try:
        upload, text = text_upload(TextDocument.model_validate(given))
    except ValidationError as error:
        return _not_valid(error)
    except CallerError as refused:
        return refused
    content: IO[bytes] = io.BytesIO(text)
    return FileOfBatch(upload, content)


def _not_valid(error: ValidationError) -> InvalidRequest:
    return invalid([FieldError(".".join(map(str, e["loc"])) or "body", e["msg"]) for e in error.errors()])
