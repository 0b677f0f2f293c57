"""What a query asks for beside its words: phrases, words to leave out, names of documents and dates.

Pure. A query without operators is its own text, character for character. Time is linear in its length.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

MOST = 16
"""Operators of one kind that are read. Any further one is a word like others."""

_CLOSING = {'"': '"', "\u201c": "\u201d", "\u201e": "\u201c", "\u00ab": "\u00bb"}
_KEY = re.compile(r"(title|folder|type|after|before):", re.IGNORECASE)
_SPACE = re.compile(r"\s")
_DATE = re.compile(r"([1-9][0-9]{3})(?:-([0-9]{1,2})(?:-([0-9]{1,2}))?)?")
_BEHIND = ".,;:!?)"
"""Marks behind a word that are not part of it."""
_LEFT_OUT = re.compile(r"[^\W\d_][^\s:/\\-]+")
"""A word behind a minus. `-v` and `-fno-common` are options of a program, and `-5` is a number."""

_INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class UnderstoodQuery:
    """A query as it was understood.

    `text` is what is ranked by. A passage has to have each of `phrases` and none of `left_out`. Values of one
    kind are alternatives, different kinds hold together. `created_to` is the last moment that counts.
    """

    text: str
    phrases: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    created_from: datetime | None = None
    created_to: datetime | None = None

    @property
    def names(self) -> bool:
        """Whether it names documents, folders or types, which ingest has to look up."""
        return bool(self.titles or self.folders or self.types)

    @property
    def dated(self) -> bool:
        return self.created_from is not None or self.created_to is not None

    @property
    def worded(self) -> bool:
        """Whether it says of the words of a passage more than that they are wanted."""
        return bool(self.phrases or self.left_out)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a query between spaces; one in quotation marks may have spaces inside."""

    raw: str
    key: str
    value: str
    quoted: bool
    minus: bool


def read_query(query: str) -> UnderstoodQuery:
    """Read the operators of a query.

    `"a phrase"` has to stand in a passage, `-word` and `-"a phrase"` must not. `title:`, `folder:`, `type:`,
    `after:` and `before:` name a part of the workspace; a date is a year, a month or a day. What is no valid
    operator is a word. A query that has nothing to rank by, such as dates alone, is read as words.
    """
    words: list[str] = []
    found: dict[str, list[str]] = {
        kind: [] for kind in ("phrase", "left_out", "title", "folder", "type", "after", "before")
    }
    for piece in _pieces(query):
        kind = _kind(piece)
        if kind is None or len(found[kind]) == MOST:
            words.append(piece.raw)
            continue
        found[kind].append(piece.value)
        if kind == "phrase":
            words.append(piece.value)
    if not any(found.values()):
        return UnderstoodQuery(query)
    named = [*found["title"], *found["folder"], *found["type"]]
    text = " ".join(words) or " ".join(named)
    if not text:
        return UnderstoodQuery(query)
    starts = [start for value in found["after"] if (start := _beginning(value))]
    ends = [end - _INSTANT for value in found["before"] if (end := _beginning(value))]
    return UnderstoodQuery(
        text,
        tuple(found["phrase"]),
        tuple(found["left_out"]),
        tuple(found["title"]),
        tuple(found["folder"]),
        tuple(found["type"]),
        max(starts, default=None),
        min(ends, default=None),
    )


def _kind(piece: _Piece) -> str | None:
    """Which operator a piece is, if it is one."""
    named = any(char.isalnum() for char in piece.value)
    if piece.key in ("after", "before"):
        return piece.key if _beginning(piece.value) else None
    if piece.key:
        return piece.key if named and not piece.value.startswith("//") else None
    if piece.minus:
        return "left_out" if named and (piece.quoted or _LEFT_OUT.fullmatch(piece.value)) else None
    return "phrase" if named and piece.quoted else None


def _pieces(query: str) -> Iterator[_Piece]:
    at = 0
    unclosed: set[str] = set()
    while at < len(query):
        if query[at].isspace():
            at += 1
            continue
        start = at
        minus = query[at] == "-"
        at += minus
        key = None if minus else _KEY.match(query, at)
        at = key.end() if key else at
        name = key[1].casefold() if key else ""
        closing = _CLOSING.get(query[at : at + 1])
        end = -1 if closing is None or closing in unclosed else query.find(closing, at + 1)
        if end >= 0:
            yield _Piece(query[start : end + 1], name, query[at + 1 : end].strip(), True, minus)
            at = end + 1
            continue
        if closing is not None:
            unclosed.add(closing)
        space = _SPACE.search(query, at)
        end = space.start() if space else len(query)
        yield _Piece(query[start:end], name, query[at:end].rstrip(_BEHIND), False, minus)
        at = end


def _beginning(value: str) -> datetime | None:
    """The first moment of a year, a month or a day, in UTC."""
    found = _DATE.fullmatch(value)
    if found is None:
        return None
    try:
        return datetime(int(found[1]), int(found[2] or 1), int(found[3] or 1), tzinfo=UTC)
    except ValueError:
        return None
