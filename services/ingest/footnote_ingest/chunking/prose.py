"""Cutting running text: langchain's recursive splitter decides where, over a stand-in for the text.

A splitter that counts tokens calls the tokenizer again and again for overlapping pieces, and does not say
where its pieces lie. So the text is tokenised once. In the stand-in, each token is one character of its own,
from a private range, and the gap before it is one mark: a new element, a unit of code, a blank line, a line,
a sentence or a word. The length of a piece in tokens is then its length without its marks, and its first and
last characters say exactly where it lies.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from langchain_text_splitters import RecursiveCharacterTextSplitter

from footnote_ingest.chunking.chunk_limits import ChunkLimits
from footnote_ingest.chunking.code_units import unit_starts
from footnote_ingest.chunking.token_counter import Span, TokenCounter
from footnote_ingest.parsing.elements import Element

ELEMENT, UNIT, BLANK, LINE, SENTENCE, WORD = "\x1c", "\x1d", "\x1e", "\n", "\x1f", " "
_MARKS = (ELEMENT, UNIT, BLANK, LINE, SENTENCE, WORD)
_BASE = 0x20000
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_SENTENCE_ENDS = frozenset(".!?…:;")
_FULL_STOPS = frozenset("。！？")
_CLOSERS = "\"')]}”’»"
_LONG_TOKEN = 24
"""A token of more characters than this (an unknown "word" such as base64) counts by its length."""

_CHARS_PER_TOKEN = 4
"""How many characters of a long token count as one token."""

_PIECE_CHARS = 100_000
"""The most characters that are tokenised at once."""

_SPACE_SOUGHT_CHARS = 200
"""A piece ends at a space if its last characters, this many, hold one, or else at its last line break."""

_WINDOW_CHARS = 400_000
"""The most characters that are cut at once. A token takes one of some 900,000 private characters."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A stretch of the extracted text, with its length in tokens.

    `first` and `last` are the indices of the first and the last element that it touches.
    """

    start: int
    end: int
    tokens: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """A range of one element that is short enough to be tokenised at once."""

    element: int
    start: int
    text: str
    language: str | None
    mark: str


def cut(elements: Sequence[Element], counter: TokenCounter, limits: ChunkLimits) -> Iterator[Cut]:
    """Pack neighbouring elements into cuts of at most `limits.size` tokens.

    Cuts overlap where text had to be divided. `first` and `last` of a cut are indices of `elements`.
    """
    splitter = RecursiveCharacterTextSplitter(
        separators=[*_MARKS, ""],
        chunk_size=limits.size,
        chunk_overlap=limits.overlap_tokens,
        length_function=_length,
        keep_separator=True,
        strip_whitespace=True,
    )
    for window in _windows(elements):
        yield from _cut_window(window, counter, splitter)


def _length(stand_in: str) -> int:
    length = len(stand_in)
    for mark in _MARKS:
        length -= stand_in.count(mark)
    return length


def _windows(elements: Sequence[Element]) -> Iterator[list[_Piece]]:
    window: list[_Piece] = []
    held = 0
    for index, element in enumerate(elements):
        for start, end in _piece_ranges(element.text):
            if window and held + end - start > _WINDOW_CHARS:
                yield window
                window, held = [], 0
            language = element.language if element.kind == "code" else None
            # A heading is as close to the text below it as one word is to the next, so it is never a chunk by
            # itself.
            headed = index > 0 and elements[index - 1].kind == "title"
            mark = LINE if start or element.goes_on else WORD if headed else ELEMENT
            window.append(_Piece(index, element.char_start + start, element.text[start:end], language, mark))
            held += end - start
    if window:
        yield window


def _piece_ranges(text: str) -> Iterator[Span]:
    start = 0
    while len(text) - start > _PIECE_CHARS:
        limit = start + _PIECE_CHARS
        end = (
            max(text.rfind("\n", start + 1, limit), text.rfind(" ", limit - _SPACE_SOUGHT_CHARS, limit)) + 1
            or limit
        )
        yield start, end
        start = end
    yield start, len(text)


def _cut_window(
    window: Sequence[_Piece], counter: TokenCounter, splitter: RecursiveCharacterTextSplitter
) -> Iterator[Cut]:
    places: list[Span] = []
    owners: list[int] = []
    stand_in: list[str] = []
    for piece, spans in zip(window, counter.spans([piece.text for piece in window]), strict=True):
        before = len(places)
        _stand_in(piece, spans, places, stand_in)
        owners.extend([piece.element] * (len(places) - before))
    if len(places) > sys.maxunicode - _BASE:
        raise ValueError("a window holds more tokens than there are private characters")
    for text in splitter.split_text("".join(stand_in)):
        first, last = ord(_first(text)) - _BASE, ord(_last(text)) - _BASE
        yield Cut(places[first][0], places[last][1], last - first + 1, owners[first], owners[last])


def _first(text: str) -> str:
    return next(char for char in text if ord(char) >= _BASE)


def _last(text: str) -> str:
    return next(char for char in reversed(text) if ord(char) >= _BASE)


def _stand_in(piece: _Piece, spans: Sequence[Span], places: list[Span], stand_in: list[str]) -> None:
    """Append the marks and private characters of one piece, and the range of each token in the whole text."""
    text, offset = piece.text, piece.start
    units = unit_starts(text, piece.language)
    mark: str | None = piece.mark
    done = 0
    for start, end in spans:
        gap = text[done:start]
        if mark is None:
            mark = _mark(gap, text, done, start, units)
        if mark and places:
            stand_in.append(mark)
        mark = None
        width = end - start
        if width > _LONG_TOKEN:
            for step in range(start, end, _CHARS_PER_TOKEN):
                stand_in.append(chr(_BASE + len(places)))
                places.append((offset + step, offset + min(end, step + _CHARS_PER_TOKEN)))
        else:
            stand_in.append(chr(_BASE + len(places)))
            places.append((offset + start, offset + end))
        done = max(done, end)


def _mark(gap: str, text: str, done: int, start: int, units: frozenset[int]) -> str:
    if not gap:
        return SENTENCE if done and text[done - 1] in _FULL_STOPS else ""
    if "\n" in gap:
        if units and any(place in units for place in range(done, start + 1)):
            return UNIT
        return BLANK if _BLANK_LINE.search(gap) else LINE
    at = done - 1
    while at > 0 and text[at] in _CLOSERS:
        at -= 1
    return SENTENCE if at >= 0 and text[at] in _SENTENCE_ENDS else WORD
