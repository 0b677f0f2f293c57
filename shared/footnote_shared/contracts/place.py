"""Where a passage stands in its document."""

from typing import Any

from footnote_shared.contracts.base import WireModel


class Place(WireModel):
    """Headings from the outermost on, pages from 1 where the document has pages, and a range of characters.

    Characters count from 0 in the text that was read from this version of the document; `char_end` is behind
    the last one. A message with a place inherits from this class. Fields of the base that it names last come
    first.
    """

    heading_path: list[str]
    page_start: int | None = None
    page_end: int | None = None
    char_start: int
    char_end: int
    version: int


def place_fields(holder: object) -> dict[str, Any]:
    """The fields of the place of a message or a row, by name, to make another message of them."""
    return {name: getattr(holder, name) for name in Place.model_fields}
