"""Finding a quoted passage again in the chunks of another version, however they are cut. Pure."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

_WORD = re.compile(r"\S+")
_TELLING_WORDS = 8
"""From how many words on a text that stands somewhere else is the same passage, and not a turn of speech that recurs."""


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk's text and its place in the document's text. A chunk whose place is longer or shorter than its text (a table
    with its header repeated) is no plain slice of it."""

    text: str
    start: int
    end: int

    @property
    def plain(self) -> bool:
        return self.end - self.start == len(self.text)


@dataclass(frozen=True, slots=True)
class FoundQuote:
    """A character range of the document's text, and the index of the piece that holds most of it."""

    start: int
    end: int
    piece: int


def locate(quote: str, pieces: Sequence[ChunkText], near: int) -> FoundQuote | None:
    """Where the pieces, in order, hold the quote: white space is not compared, and of several places the nearest to `near`
    counts. A quote of few words is found only where it is the whole text of a piece."""
    wanted = squeezed(quote)
    if not wanted:
        return None
    if wanted.count(" ") + 1 < _TELLING_WORDS:
        whole = [i for i, piece in enumerate(pieces) if squeezed(piece.text) == wanted]
        return _whole(pieces, min(whole, key=lambda i: abs(pieces[i].start - near))) if whole else None
    found = _in_the_text(wanted, pieces, near)
    if found is not None:
        start, end = found
        return FoundQuote(start, end, max(range(len(pieces)), key=lambda i: _shared(pieces[i], start, end)))
    held = [i for i, piece in enumerate(pieces) if not piece.plain and wanted in squeezed(piece.text)]
    return _whole(pieces, min(held, key=lambda i: abs(pieces[i].start - near))) if held else None


def squeezed(text: str) -> str:
    """The text with each run of white space as one space."""
    return " ".join(text.split())


def within(quote: str, piece: ChunkText) -> tuple[int, int] | None:
    """The characters of the document's text that are the quote, where the piece holds it; None where it does not."""
    wanted = squeezed(quote)
    if wanted not in squeezed(piece.text):
        return None
    return (_in_the_text(wanted, [piece], piece.start) if piece.plain else None) or (piece.start, piece.end)


def _whole(pieces: Sequence[ChunkText], index: int) -> FoundQuote:
    return FoundQuote(pieces[index].start, pieces[index].end, index)


def _shared(piece: ChunkText, start: int, end: int) -> int:
    return min(piece.end, end) - max(piece.start, start)


def _in_the_text(wanted: str, pieces: Sequence[ChunkText], near: int) -> tuple[int, int] | None:
    """Search the text that the plain pieces make up, what overlaps taken once."""
    words: list[str] = []
    starts: list[int] = []
    offsets: list[int] = []
    at = 0
    for document_start, text in _stretches(pieces):
        for match in _WORD.finditer(text):
            words.append(match.group())
            starts.append(document_start + match.start())
            offsets.append(at)
            at += len(match.group()) + 1
    whole = " ".join(words)
    best: tuple[int, int] | None = None
    position = whole.find(wanted)
    while position >= 0:
        last = position + len(wanted) - 1
        first_word, last_word = bisect_right(offsets, position) - 1, bisect_right(offsets, last) - 1
        start = starts[first_word] + position - offsets[first_word]
        end = starts[last_word] + last - offsets[last_word] + 1
        if best is not None and abs(start - near) >= abs(best[0] - near):
            break
        best = (start, end)
        position = whole.find(wanted, position + len(wanted))
    return best


def _stretches(pieces: Sequence[ChunkText]) -> list[tuple[int, str]]:
    """The plain pieces joined where they touch or overlap; each with its place in the document's text."""
    found: list[tuple[int, list[str]]] = []
    end = -1
    for piece in pieces:
        if not piece.plain or piece.end <= end:
            continue
        if found and piece.start <= end:
            found[-1][1].append(piece.text[end - piece.start :])
        else:
            found.append((piece.start, [piece.text]))
        end = piece.end
    return [(start, "".join(texts)) for start, texts in found]
