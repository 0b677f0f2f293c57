"""Code in a font without serifs between text that has them, as some handbooks set their commands.

Labels of drawings and the heads of pages are often in such a font, too. So code is at the edge of the text or
set in from it, has marks as code has, and there is more than one piece of it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from footnote_ingest.parsing.pdf.lines import PdfLine

_MOST_SANS = 0.25
"""At most this share of the text is without serifs, or it may be anything."""

_LEAST_PIECES = 2
"""So many pieces of code there are at least."""

_LARGEST = 1.05
"""Code is no larger than this, in sizes of the text; headings may be."""

_GAP = 1.8
"""Lines of one piece are no further apart than this, in heights of their font."""

_DEEPEST = 8.0
"""Code is set in from the text by so many heights of its font at most, and does not begin before it."""

_MARK = re.compile(r"^[#$%>(){}\[<]|[_={}\[\]<>|$;\\]|\w\.\w|\w\(|--\w")
_LEAST_MARKED = 0.6
"""This share of the lines of a piece has a mark of code."""

_SAID = re.compile(r"^[A-Z][a-z]+ [a-z]+ |[a-z]{3}[.:,!?]$")
"""A line of a sentence begins with a capital letter, or ends with a mark of sentences."""

_LEAST_WORDS = 3
"""A piece of one line has so many words: a shorter one may be a label."""

_COMMENT = re.compile(r"[#%;]|//|--")


def with_sans_code(pages: Sequence[list[PdfLine] | None]) -> list[list[PdfLine] | None]:
    """The pages, in which such lines count as set in a font of one width."""
    text = [line for page in pages for line in page or () if not (line.turned or line.is_table)]
    sizes: dict[float, int] = {}
    for line in text:
        if not line.sans:
            sizes[line.size] = sizes.get(line.size, 0) + len(line.text)
    sans = sum(len(line.text) for line in text if line.sans)
    if not 0 < sans <= _MOST_SANS * (sans + sum(sizes.values())):
        return list(pages)
    body = max(sizes, key=sizes.__getitem__)
    found = [list(_pieces(page or (), body)) for page in pages]
    if sum(map(len, found)) < _LEAST_PIECES:
        return list(pages)
    return [page and _marked(page, pieces) for page, pieces in zip(pages, found, strict=True)]


def _marked(page: Sequence[PdfLine], pieces: Sequence[range]) -> list[PdfLine]:
    code = {at for piece in pieces for at in piece}
    return [replace(line, mono=True) if at in code else line for at, line in enumerate(page)]


def _pieces(page: Sequence[PdfLine], body: float) -> Iterator[range]:
    """The runs of lines on a page that are code."""
    edge = min((line.left for line in page if not (line.sans or line.turned or line.is_table)), default=0.0)
    at = 0
    while at < len(page):
        end = at
        while end < len(page) and _may_be_code(page[end], body, edge):
            if end > at and not 0 < page[end - 1].bottom - page[end].top <= _GAP * page[end].size:
                break
            end += 1
        if end > at and _is_code(page[at:end]):
            yield range(at, end)
        at = max(end, at + 1)


def _may_be_code(line: PdfLine, body: float, edge: float) -> bool:
    plain = line.sans and not (line.bold or line.italic or line.mono or line.turned or line.is_table)
    return plain and line.size <= _LARGEST * body and -1 <= line.left - edge <= _DEEPEST * line.size


def _is_code(lines: Sequence[PdfLine]) -> bool:
    marked = sum(_MARK.search(line.text) is not None for line in lines)
    said = any(_SAID.search(line.text) and not _COMMENT.match(line.text) for line in lines)
    long = len(lines) > 1 or len(lines[0].text.split()) >= _LEAST_WORDS
    return long and not said and marked >= _LEAST_MARKED * len(lines)
