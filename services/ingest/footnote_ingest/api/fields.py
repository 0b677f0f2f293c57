"""What titles, external ids and metadata may hold, on every route that takes them."""

import json
from collections.abc import Mapping
from typing import Any

from footnote_ingest.documents.paths import has_controls
from footnote_shared.kernel.errors import FieldError, InvalidRequest
from footnote_shared.web.json_shape import json_shape

_MAX_METADATA_BYTES = 64 * 1024
_MAX_METADATA_DEPTH = 8


def given_title(text: str | None) -> str | None:
    """The title with each run of white space, also of line breaks, as one space; None if nothing is left."""
    return plain_text("title", " ".join((text or "").split())) or None


def plain_text(field: str, text: str | None) -> str | None:
    """The text itself. Raises InvalidRequest for control characters."""
    if text is not None and has_controls(text):
        raise invalid([FieldError(field, "may not contain control characters")])
    return text


def metadata_of(text: str | None) -> Mapping[str, Any]:
    """The JSON object that a form field holds. Raises InvalidRequest if it holds anything else."""
    if text is None:
        return {}
    _check_shape(text)
    try:
        value = json.loads(text)
    except ValueError as error:
        raise invalid([FieldError("metadata", "is not valid JSON")]) from error
    if not isinstance(value, dict):
        raise invalid([FieldError("metadata", "must be a JSON object")])
    _check_text(value)
    return value


def check_metadata(metadata: Mapping[str, Any]) -> None:
    """Raises InvalidRequest if metadata is too large or too deep, or holds what no store can keep."""
    _check_shape(_check_text(metadata))


def _check_shape(text: str) -> None:
    """Look at the metadata before it is parsed, so that no parser meets what is too large or too deep."""
    plain = text.encode("utf-8", "replace")
    if len(plain) > _MAX_METADATA_BYTES:
        raise invalid([FieldError("metadata", f"may have at most {_MAX_METADATA_BYTES} bytes")])
    if json_shape(plain).depth > _MAX_METADATA_DEPTH:
        raise invalid([FieldError("metadata", f"may be nested {_MAX_METADATA_DEPTH} levels deep at most")])


def _check_text(metadata: Mapping[str, Any]) -> str:
    """The metadata as JSON text. Raises InvalidRequest for what JSON, UTF-8 or a database cannot hold.

    Python reads `1e400` as infinity, which no answer that lists the document could write as JSON.
    """
    try:
        text = json.dumps(metadata, allow_nan=False, ensure_ascii=False)
        text.encode()
    except UnicodeEncodeError as error:
        raise invalid([FieldError("metadata", "may not contain half of a surrogate pair")]) from error
    except ValueError as error:
        raise invalid([FieldError("metadata", "may not contain a number that is not finite")]) from error
    if "\\u0000" in text:
        raise invalid([FieldError("metadata", "may not contain the character NUL")])
    return text


def invalid(errors: list[FieldError]) -> InvalidRequest:
    """The error that names these fields."""
    names = ", ".join(dict.fromkeys(error.field for error in errors))
    detail = "; ".join(f"{error.field}: {error.message}" for error in errors)
    return InvalidRequest(f"Not valid: {names}. {detail}", errors=errors)
