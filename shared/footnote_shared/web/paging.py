"""Opaque cursors. A cursor is the sort key of the last row; what it looks like is nobody's business."""

import base64
import binascii
import json

from footnote_shared.kernel.errors import FieldError, InvalidRequest

MAX_LIMIT = 200


def encode_cursor(*key: str | int) -> str:
    return base64.urlsafe_b64encode(json.dumps(key, separators=(",", ":")).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, *kinds: type[str] | type[int]) -> list[str | int]:
    """The sort key; a cursor that was not made by us, for a key of these kinds, is the caller's fault."""
    try:
        key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError) as error:
        raise _invalid() from error
    if not isinstance(key, list) or [type(part) for part in key] != list(kinds):
        raise _invalid()
    return key


def _invalid() -> InvalidRequest:
    return InvalidRequest(
        "The cursor is not valid.", errors=[FieldError("cursor", "not a cursor of this listing")]
    )
