"""What stands beside the text of a PDF page: footnotes, and captions of figures and tables."""

import re
from collections.abc import Sequence

from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.raised_text import RAISED_DIGITS

_MARK = re.compile(
    rf"(?:\d{{1,3}}(?![\d/])|[{RAISED_DIGITS}]{{1,3}}|[a-z](?=[.)])|[*\u2217\u2020\u2021\u00a7\u00b6]{{1,3}})[.)]?\s*\S"
)
_SMALL = 0.93
"""The font of a footnote is at most so large, in sizes of the text."""

_NUMBER = r"(?:\s?\d{1,3}(?:[.\-]\d{1,3}){0,3}[a-z]?|\s[IVX]{1,5}|\s[A-Z](?:[.\-]\d{1,3}){0,2})"
_FIGURE = re.compile(
    rf"(?:figure|fig\.|abbildung|abb\.|figura|plate|scheme|photo|chart|listing){_NUMBER}\s?(?:[.:\u2013\u2014|]|-\s|$)",
    re.I,
)
_TABLE = re.compile(
    rf"(?:table|tab\.|tabelle|tableau|tabla|tabella){_NUMBER}\s?(?:[.:\u2013\u2014|]|-\s|$)", re.I
)
_NAME = re.compile(
    rf"(?:figure|fig\.|abbildung|abb\.|figura|table|tab\.|tabelle|tableau|tabla|tabella){_NUMBER}[\s.:]", re.I
)
_SENTENCE_END = re.compile(
    r"(?:[.!?:;\u2026\u3002\uff01\uff1f\uff1a\uff1b][\"'\u201d\u2019)\]\u300d\u300f\uff09]*"
    rf"|[^\W\d_][.!?][\"'\u201d\u2019)\]]{{0,3}}\s?[\d{RAISED_DIGITS}]{{1,3}}|[□■∎◻])$"
)
"""A sentence may end with the mark of a footnote, and a proof with a box."""


def names_figure(line: PdfLine) -> bool:
    """Whether a line that looks like a heading names a figure or a table by its number."""
    return _NAME.match(line.text) is not None


def begins_caption(line: PdfLine) -> bool:
    """Whether a line begins a caption: it names a figure or a table and does not talk about it."""
    if line.bold and line.lead == "" and names_figure(line):
        return True
    return _FIGURE.match(line.text) is not None or _TABLE.match(line.text) is not None


def begins_footnote(line: PdfLine) -> bool:
    """Whether a line begins with the mark of a footnote."""
    return _MARK.match(line.text) is not None


def footnotes(lines: Sequence[PdfLine]) -> list[range]:
    """The runs of lines that are footnotes: small, from a mark on, below the text of their column."""
    text = _size_of_text(lines)
    found: list[range] = []
    at = 0
    while at < len(lines):
        end = at
        while (
            end < len(lines)
            and _is_small(lines[end], text)
            and (end == at or lines[end].top < lines[end - 1].top)
        ):
            end += 1
        begins = next((place for place in range(at, end) if begins_footnote(lines[place])), None)
        # Below a footnote its column ends, so the next line stands higher or on the next page.
        last = end == len(lines) or (end > at and lines[end].top > lines[end - 1].top)
        if begins is not None and begins > 0 and last:
            found.append(range(begins, end))
        at = max(end, at + 1)
    return found


def _size_of_text(lines: Sequence[PdfLine]) -> float:
    """The size that half of the characters of a page do not exceed."""
    sizes = sorted((line.size, len(line.text)) for line in lines if not line.is_table)
    left = sum(count for _, count in sizes) / 2
    for size, count in sizes:
        left -= count
        if left <= 0:
            return size
    return 0.0


def _is_small(line: PdfLine, text: float) -> bool:
    return line.size <= _SMALL * text and not (line.is_table or line.turned or line.mono)


def is_unfinished(line: PdfLine) -> bool:
    """Whether the sentence of a line goes on elsewhere."""
    return _SENTENCE_END.search(line.text) is None
