"""Identifiers: UUIDv7 for everything we mint, UUIDv5 for what must be the same when computed again."""

import uuid

import uuid_utils

_POINTS = uuid.UUID("5b1c7f8e-3f0a-5d55-9c61-0d6f6f746e65")


def new_id() -> str:
    """A UUIDv7 (RFC 9562): sorts by time of making, so that index pages stay warm."""
    return str(uuid_utils.uuid7())


def is_id(text: str) -> bool:
    """Whether the text is a UUID in canonical form; anything else cannot name a row."""
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False


def point_id(document_id: str, chunk_id: str, text_hash: str) -> str:
    """The vector point of one text of one chunk.

    The text's hash is part of it, so that the new text of a chunk does not overwrite the vector that the live version
    still answers from (docs/adr/0003).
    """
    return str(uuid.uuid5(_POINTS, f"{document_id}/{chunk_id}/{text_hash}"))
