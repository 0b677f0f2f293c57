"""Finding a quoted passage again in the chunks of another version, however they were cut."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

_WORD = re.compile(r"\S+")
_TELLING_WORDS = 8
"""A quote with at least this many words is the same passage wherever it stands.

A shorter one may be a phrase that recurs.
"""


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk's text and its range in the document's text."""

    text: str
    start: int
    end: int

    @property
    def plain(self) -> bool:
        """Whether the text is a slice of the document's text. A table with its header repeated is not."""
        return self.end - self.start == len(self.text)


@dataclass(frozen=True, slots=True)
class FoundQuote:
    """A character range of the document's text, and the index of the chunk that holds most of it."""

    start: int
    end: int
    chunk: int


def locate(quote: str, chunks: Sequence[ChunkText], near: int) -> FoundQuote | None:
    """Where the chunks, which are in order, hold the quote; None if they do not.

    White space is not compared. If the quote is found several times, the place nearest to the character
    `near` counts. A quote of few words is found only if it is the whole text of a chunk.
    """
    wanted = squeezed(quote)
    if not wanted:
        return None
    if wanted.count(" ") + 1 < _TELLING_WORDS:
        whole = [i for i, chunk in enumerate(chunks) if squeezed(chunk.text) == wanted]
        return _whole(chunks, min(whole, key=lambda i: abs(chunks[i].start - near))) if whole else None
    found = _in_the_text(wanted, chunks, near)
    if found is not None:
        start, end = found
        return FoundQuote(start, end, max(range(len(chunks)), key=lambda i: _shared(chunks[i], start, end)))
    held = [i for i, chunk in enumerate(chunks) if not chunk.plain and wanted in squeezed(chunk.text)]
    return _whole(chunks, min(held, key=lambda i: abs(chunks[i].start - near))) if held else None


def squeezed(text: str) -> str:
    """The text with each run of white space as one space."""
    return " ".join(text.split())


def within(quote: str, chunk: ChunkText) -> tuple[int, int] | None:
    """The range of the quote in the document's text; None if the chunk does not hold it."""
    wanted = squeezed(quote)
    if wanted not in squeezed(chunk.text):
        return None
    return (_in_the_text(wanted, [chunk], chunk.start) if chunk.plain else None) or (chunk.start, chunk.end)


def _whole(chunks: Sequence[ChunkText], index: int) -> FoundQuote:
    return FoundQuote(chunks[index].start, chunks[index].end, index)


def _shared(chunk: ChunkText, start: int, end: int) -> int:
    return min(chunk.end, end) - max(chunk.start, start)


def _in_the_text(wanted: str, chunks: Sequence[ChunkText], near: int) -> tuple[int, int] | None:
    """Search the text that the plain chunks make up. What two of them share is searched once."""
    words: list[str] = []
    starts: list[int] = []
    offsets: list[int] = []
    at = 0
    for document_start, text in _stretches(chunks):
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


def _stretches(chunks: Sequence[ChunkText]) -> list[tuple[int, str]]:
    """The plain chunks, joined where they touch or overlap.

    Each stretch comes with its offset in the document's text.
    """
    found: list[tuple[int, list[str]]] = []
    end = -1
    for chunk in chunks:
        if not chunk.plain or chunk.end <= end:
            continue
        if found and chunk.start <= end:
            found[-1][1].append(chunk.text[end - chunk.start :])
        else:
            found.append((chunk.start, [chunk.text]))
        end = chunk.end
    return [(start, "".join(texts)) for start, texts in found]
