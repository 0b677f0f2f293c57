"""Whom and what a fact names, out of a model's reply. Nothing is believed that its passage does not write."""

from dataclasses import dataclass
from typing import Any, get_args

from footnote_ingest.facts.people import folded, organisation_of, read_name
from footnote_shared.contracts.facts import EntityKind
from footnote_shared.kernel.neutralise import one_line

MOST_ENTITIES = 6
"""Of one fact."""

LONGEST_NAME = 100
_WITHOUT_SPACES = "\u2e80"
"""From here on are the scripts of East Asia, whose words stand side by side."""

_KINDS: tuple[EntityKind, ...] = get_args(EntityKind)


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity as one fact names it. What the passage does not say is None, and all of it but for people."""

    kind: EntityKind
    name: str
    role: str | None = None
    organisation: str | None = None
    address: str | None = None


def believed_entities(listed: Any, passage: str) -> list[NamedEntity]:
    """Those that the passage names by these words, each once. Whatever else was said is dropped."""
    found: dict[NamedEntity, None] = {}
    for one in listed[: 4 * MOST_ENTITIES] if isinstance(listed, list) else ():
        entity = _believed(one, passage) if isinstance(one, dict) else None
        if entity is not None and len(found) < MOST_ENTITIES:
            found[entity] = None
    return list(found)


def looked_up(kind: EntityKind, name: str) -> str:
    """By what others of the name are found: the family name of a person."""
    if kind == "person":
        return read_name(name).family
    return organisation_of(name) if kind == "organisation" else folded(name)


def plain(text: str) -> str:
    """In one line, as texts are compared."""
    return " ".join(writable(text).split())


def writable(text: str) -> str:
    """JSON can write halves of characters, and NUL, which no database takes."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def _believed(one: dict[str, Any], passage: str) -> NamedEntity | None:
    kind, name = one.get("kind"), _written(one.get("name"), passage)
    if kind not in _KINDS or name is None or not looked_up(kind, name):
        return None
    if kind != "person":
        return NamedEntity(kind, name)
    address = _written(one.get("address"), passage)
    return NamedEntity(
        kind,
        name,
        _written(one.get("role"), passage),
        _written(one.get("organisation"), passage),
        address if address is not None and "@" in address and " " not in address else None,
    )


def _written(said: Any, passage: str) -> str | None:
    """What was said, if the passage writes it so."""
    if not isinstance(said, str) or len(said) > LONGEST_NAME:
        return None
    text = plain(said)
    return one_line(text) if text and _stands_in(text, passage) else None


def _stands_in(text: str, passage: str) -> bool:
    """Whether the passage has the text by itself, not as a part of a longer word or address."""
    at = passage.find(text)
    while at >= 0:
        before, after = passage[max(0, at - 1) : at], passage[at + len(text) : at + len(text) + 2]
        # A full stop behind an address ends the sentence, unless the address goes on.
        behind = after[1:] if "@" in text and after[:1] == "." else after[:1]
        if not _joins(before, text[0], text) and not _joins(behind, text[-1], text):
            return True
        at = passage.find(text, at + 1)
    return False


def _joins(beside: str, edge: str, text: str) -> bool:
    """Whether the character beside it makes one word with the edge. Some scripts have no spaces."""
    if "@" in text and beside and beside in "._%+-@":
        return True
    return beside.isalnum() and edge.isalnum() and max(beside, edge) < _WITHOUT_SPACES
