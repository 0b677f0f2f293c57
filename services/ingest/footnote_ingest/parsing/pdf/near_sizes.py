"""Headings that are only a little larger than the text: all lines of their size read like headings."""

from collections import Counter
from collections.abc import Iterator, Sequence

from footnote_ingest.parsing.pdf.asides import names_figure
from footnote_ingest.parsing.pdf.bold_headings import NO_HEADING_END, WORD
from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.numbered import begins_name

_RATIO = (1.05, 1.12)
"""Such a size is larger than the text's by more than the first factor, and by at most the second."""

MOST_TEXT = 0.08
"""A size, or a colour, in which this share of the text is set is not one of headings."""

_LEAST_LINES = 3
"""At least this many lines have the size."""

_MOST_CHARS = 80
_APART, _INDENT = 1.5, 1.6
"""They lie further from what is above than this, in heights of their font, and begin with the text below."""


class NearSizes:
    """The sizes that only headings have, though they are hardly larger than the text's, which is `body`."""

    def __init__(self, pages: Sequence[list[PdfLine] | None], body: float) -> None:
        chars, heads, others = Counter[float](), Counter[float](), set[float]()
        for line in (line for lines in pages for line in lines or () if not line.is_table):
            chars[line.size] += len(line.text)
            # A bold line is judged by its weight, which tells more than its size.
            if line.bold or not _RATIO[0] * body < line.size <= _RATIO[1] * body:
                continue
            if reads_like_heading(line):
                heads[line.size] += 1
            else:
                others.add(line.size)
        most = MOST_TEXT * chars.total()
        self._sizes = {
            size
            for size, count in heads.items()
            if count >= _LEAST_LINES and size not in others and chars[size] < most
        }

    def among(self, lines: Sequence[PdfLine]) -> Iterator[int]:
        """The places of the lines of a page that are such headings and stand right above text or a table."""
        for at, line in enumerate(lines[:-1] if self._sizes else ()):
            below = lines[at + 1]
            if (
                line.size in self._sizes
                and not line.bold
                and line.size != below.size
                and (below.is_table or abs(line.left - below.left) <= _INDENT * line.size)
                and line.bottom > below.top
                and (at == 0 or lines[at - 1].bottom - line.top > _APART * line.size)
            ):
                yield at


def reads_like_heading(line: PdfLine) -> bool:
    """Whether a line is short and in one piece, and begins and ends as the name of a section does."""
    return (
        len(line.text) <= _MOST_CHARS
        and len(line.cells) == 1
        and (begins_name(line.text) or line.text[0].isdigit())
        and WORD.search(line.text) is not None
        and NO_HEADING_END.search(line.text) is None
        and not (line.mono or line.turned or names_figure(line))
    )
