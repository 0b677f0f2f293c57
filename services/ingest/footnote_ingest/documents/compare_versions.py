"""What changed between two versions of a document, by their passages. Pure.

When a version goes live, chunks of the one before whose text the new one has under the same id are dropped.
The others stay, retired. So the text that a chunk had in a version is that of its first row from that version
on, and a chunk is older than a version if its id was made before readers saw that version.
"""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

_MS_SHIFT = 80
"""The first 48 of the 128 bits of a UUIDv7 are milliseconds (RFC 9562, 5.7)."""


@dataclass(frozen=True, slots=True)
class KeptText:
    """A row of a chunk without its text: its chunk, the last version that had it, its place, its hash."""

    chunk_id: str
    version: int
    ordinal: int
    text_hash: str


@dataclass(frozen=True, slots=True)
class ChangedText:
    """A chunk in both versions. None where it is not in one of them; never both."""

    before: KeptText | None
    after: KeptText | None


@dataclass(frozen=True, slots=True)
class ComparedTexts:
    """`differences` in the order of the later version, and what was removed at the place where it stood."""

    differences: list[ChangedText]
    unchanged: int


def texts_of(rows: Iterable[KeptText], version: int, seen_at: datetime) -> dict[str, KeptText]:
    """The chunks of a version that readers first saw at this moment, by id."""
    found: dict[str, KeptText] = {}
    for row in rows:
        if row.version < version or made_at(row.chunk_id) > seen_at:
            continue
        known = found.get(row.chunk_id)
        if known is None or row.version < known.version:
            found[row.chunk_id] = row
    return found


def compare(before: Mapping[str, KeptText], after: Mapping[str, KeptText]) -> ComparedTexts:
    """What is in one of them alone, or in both with another text."""
    both = before.keys() & after.keys()
    unchanged = sum(before[one].text_hash == after[one].text_hash for one in both)
    differences = [
        ChangedText(before.get(one), after.get(one))
        for one in before.keys() | after.keys()
        if one not in both or before[one].text_hash != after[one].text_hash
    ]
    return ComparedTexts(sorted(differences, key=_place), unchanged)


def made_at(chunk_id: str) -> datetime:
    """When the id was made. The beginning of time for one that does not tell."""
    made = uuid.UUID(chunk_id)
    if made.version != 7:
        return datetime.min.replace(tzinfo=UTC)
    return datetime.fromtimestamp((made.int >> _MS_SHIFT) / 1000, UTC)


def _place(difference: ChangedText) -> tuple[int, int, str]:
    """What was removed stands before what came in its place."""
    shown = difference.after or difference.before
    assert shown is not None, "a difference has a side"
    return shown.ordinal, difference.after is not None, shown.chunk_id
