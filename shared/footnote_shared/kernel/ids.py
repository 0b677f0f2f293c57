"""Ids: UUIDv7 for everything that we make, UUIDv5 for what must be the same when computed again."""

import uuid

import uuid_utils

_POINTS = uuid.UUID("5b1c7f8e-3f0a-5d55-9c61-0d6f6f746e65")


def new_id() -> str:
    """A UUIDv7 (RFC 9562). These sort by the time when they were made, which keeps index pages warm."""
    return str(uuid_utils.uuid7())


def is_id(text: str) -> bool:
    """Whether the text is a UUID in canonical form. Nothing else can name a row."""
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False


def point_id(document_id: str, chunk_id: str, text_hash: str) -> str:
    """The id of the vector point for one text of one chunk.

    The hash of the text is part of it. So a new text of the chunk does not overwrite the vector from which
    the live version still answers (docs/adr/0003).
    """
    return str(uuid.uuid5(_POINTS, f"{document_id}/{chunk_id}/{text_hash}"))
