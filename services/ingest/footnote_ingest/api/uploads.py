"""`POST /v1/documents`: a file as multipart, or text as JSON (spec 9.2)."""

import io
import json
from collections.abc import Mapping
from typing import IO, Annotated, Any

from fastapi import APIRouter, Header, Request
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile

from footnote_ingest.api.wiring import Parts
from footnote_ingest.documents.accept import ACCEPTED, Upload
from footnote_ingest.documents.paths import has_controls, normalise, plain_name
from footnote_shared.contracts.documents import Document, TextDocument
from footnote_shared.kernel.errors import FieldError, InvalidRequest, UnsupportedType
from footnote_shared.web.dependencies import PlatformDep, Writer
from footnote_shared.web.middleware import nesting

router = APIRouter(tags=["documents"])
_FIELDS = frozenset({"file", "title", "folder", "external_id", "metadata"})
_MAX_METADATA_BYTES = 64 * 1024
_MAX_METADATA_DEPTH = 8
_LIMITS = {"title": 500, "external_id": 500}
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
                        "folder": {"type": "string", "description": "A path; what is missing is made."},
                        "external_id": {"type": "string", "maxLength": 500},
                        "metadata": {"type": "string", "description": "A JSON object."},
                    },
                }
            },
            "application/json": {"schema": TextDocument.model_json_schema()},
        },
    }
}


@router.post("/v1/documents", status_code=ACCEPTED, summary="Hand in a document", openapi_extra=_BODY)
async def accept(
    request: Request,
    principal: Writer,
    parts: Parts,
    platform: PlatformDep,
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=255)] = None,
) -> Document:
    """Bytes and row are durable when this answers. The same `external_id`, or the same folder and name, is a new version."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    most = platform.settings.max_upload_bytes
    if kind == "multipart/form-data":
        async with request.form(max_files=1, max_fields=len(_FIELDS) + 8) as form:
            upload, content = _of_form(form)
            return await parts.acceptor.accept_file(principal, upload, content, most, idempotency_key)
    if kind == "application/json":
        upload, text = _of_json(await request.body())
        return await parts.acceptor.accept_file(principal, upload, io.BytesIO(text), most, idempotency_key)
    raise UnsupportedType("Send a file as multipart/form-data, or text as application/json.")


def _of_form(form: FormData) -> tuple[Upload, IO[bytes]]:
    file = form.get("file")
    errors = [FieldError(name, "is not a field of an upload") for name in form if name not in _FIELDS]
    if not isinstance(file, UploadFile):
        errors.append(FieldError("file", "is missing: send the file in this field"))
        raise _invalid(errors)
    fields = {name: value for name, value in form.items() if isinstance(value, str) and value != ""}
    errors += [
        FieldError(name, f"may have at most {most} characters")
        for name, most in _LIMITS.items()
        if len(fields.get(name, "")) > most
    ]
    if errors:
        raise _invalid(errors)
    title = _title(fields.get("title"))
    upload = Upload(
        filename=plain_name(file.filename) or plain_name(title) or "unnamed",
        declared_mime=file.content_type or "",
        title=title,
        folder=normalise(fields.get("folder")),
        external_id=_plain("external_id", fields.get("external_id")),
        metadata=_metadata(fields.get("metadata")),
    )
    return upload, file.file


def _of_json(body: bytes) -> tuple[Upload, bytes]:
    try:
        given = TextDocument.model_validate_json(body)
    except ValidationError as error:
        raise _invalid(
            [FieldError(".".join(map(str, e["loc"])) or "body", e["msg"]) for e in error.errors()]
        ) from error
    title = _title(given.title)
    _check_metadata(json.dumps(given.metadata))
    upload = Upload(
        filename=plain_name(title) or "unnamed",
        declared_mime=given.mime or "text/plain",
        title=title,
        folder=normalise(given.folder),
        external_id=_plain("external_id", given.external_id),
        metadata=given.metadata,
    )
    return upload, given.text.encode("utf-8", "replace")


def _title(text: str | None) -> str | None:
    return (_plain("title", text) or "").strip() or None


def _plain(field: str, text: str | None) -> str | None:
    if text is not None and has_controls(text):
        raise _invalid([FieldError(field, "may not contain control characters")])
    return text


def _metadata(text: str | None) -> Mapping[str, Any]:
    if text is None:
        return {}
    _check_metadata(text)
    try:
        value = json.loads(text)
    except ValueError as error:
        raise _invalid([FieldError("metadata", "is not valid JSON")]) from error
    if not isinstance(value, dict):
        raise _invalid([FieldError("metadata", "must be a JSON object")])
    return value


def _check_metadata(text: str) -> None:
    plain = text.encode("utf-8", "replace")
    if len(plain) > _MAX_METADATA_BYTES:
        raise _invalid([FieldError("metadata", f"may have at most {_MAX_METADATA_BYTES} bytes")])
    if nesting(plain) > _MAX_METADATA_DEPTH:
        raise _invalid([FieldError("metadata", f"may be nested {_MAX_METADATA_DEPTH} levels deep at most")])
    if "\\u0000" in text:
        raise _invalid([FieldError("metadata", "may not contain the character NUL")])


def _invalid(errors: list[FieldError]) -> InvalidRequest:
    names = ", ".join(dict.fromkeys(error.field for error in errors))
    detail = "; ".join(f"{error.field}: {error.message}" for error in errors)
    return InvalidRequest(f"Not valid: {names}. {detail}", errors=errors)
