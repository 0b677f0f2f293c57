"""Listings by page. A cursor is the sort key of the last row of a page; clients do not read it (spec 1.4)."""

import base64
import binascii
import json
from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import Query

from footnote_shared.kernel.errors import FieldError, InvalidRequest

MAX_LIMIT = 200

Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Items on one page.")]
Cursor = Annotated[str | None, Query(description="`next_cursor` of the page before.")]

Row = TypeVar("Row")
Key = TypeVar("Key", str, int)

_HIGHEST = 2**31 - 1
"""The largest number that an integer column of PostgreSQL holds."""


def cut_page(
    rows: list[Row], limit: int, key: Callable[[Row], tuple[str | int, ...]]
) -> tuple[list[Row], str | None]:
    """The first `limit` rows, and the cursor of the next page where more rows were read."""
    page = rows[:limit]
    return page, encode_cursor(*key(page[-1])) if len(rows) > limit else None


def encode_cursor(*key: str | int) -> str:
    return base64.urlsafe_b64encode(json.dumps(key, separators=(",", ":")).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, *kinds: type[str] | type[int]) -> list[str | int]:
    """The sort key. Raises InvalidRequest for a cursor that we did not make for a key of these kinds."""
    try:
        key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError, RecursionError) as error:
        raise invalid_cursor() from error
    if not isinstance(key, list) or [type(part) for part in key] != list(kinds):
        raise invalid_cursor()
    if not all(map(_is_comparable, key)):
        raise invalid_cursor()
    return key


def key_of(cursor: str | None, kind: type[Key]) -> Key | None:
    """The sort key of a listing that is sorted by one column; None for the first page."""
    return None if cursor is None else kind(decode_cursor(cursor, kind)[0])


def invalid_cursor() -> InvalidRequest:
    return InvalidRequest(
        "The cursor is not valid.", errors=[FieldError("cursor", "not a cursor of this listing")]
    )


def _is_comparable(part: str | int) -> bool:
    """Whether both databases can compare a column with it."""
    if isinstance(part, int):
        return abs(part) <= _HIGHEST
    return "\0" not in part and not any("\ud800" <= character <= "\udfff" for character in part)
