"""Headings that only their colour tells: most lines in a colour of their own read like headings."""

from collections import Counter
from collections.abc import Iterator, Sequence

from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.near_sizes import MOST_TEXT, reads_like_heading
from footnote_ingest.parsing.pdf.outline import HEADING_LINES, LONGEST_HEADING

_LEAST_LINES, _LEAST_SHARE = 3, 0.8
"""At least so many groups of lines have the colour, and this share of all that have it may be headings."""

_APART, _INDENT = 1.3, 1.6
"""They lie further from what is above than this, in heights of their font, and begin with the text below."""


class ColouredHeadings:
    """The colours that only headings have. Words within a line that have one are links, or stand out."""

    def __init__(self, pages: Sequence[list[PdfLine] | None]) -> None:
        chars, groups, heads = Counter[int](), Counter[int](), Counter[int]()
        for group in (group for page in pages for group in _groups(page or ())):
            groups.update(group[0].colours)
            if len(group[0].colours) == 1:
                chars[group[0].colours[0]] += sum(len(line.text) for line in group)
                heads[group[0].colours[0]] += _may_be_heading(group)
        most = MOST_TEXT * chars.total()
        self._colours = {
            colour
            for colour, count in heads.items()
            if count >= _LEAST_LINES and count >= _LEAST_SHARE * groups[colour] and chars[colour] < most
        }

    def among(self, lines: Sequence[PdfLine]) -> Iterator[range]:
        """The groups of lines of a page that are such headings, right above what is in another colour."""
        at = 0
        while self._colours and at < len(lines):
            end = at + 1
            if self._has_own(lines[at]):
                while end < len(lines) and _goes_on(lines[end - 1], lines[end]):
                    end += 1
                if end < len(lines) and _is_heading(lines, at, end):
                    yield range(at, end)
            at = end

    def _has_own(self, line: PdfLine) -> bool:
        return len(line.colours) == 1 and line.colours[0] in self._colours and not line.is_table


def _groups(lines: Sequence[PdfLine]) -> Iterator[list[PdfLine]]:
    """Lines that go on in one colour together, as a heading of two lines does; other lines alone."""
    group: list[PdfLine] = []
    for line in lines:
        if group and not (len(line.colours) == 1 and not line.is_table and _goes_on(group[-1], line)):
            yield group
            group = []
        if not line.is_table:
            group.append(line)
    if group:
        yield group


def _may_be_heading(group: Sequence[PdfLine]) -> bool:
    return (
        len(group) <= HEADING_LINES
        and sum(len(line.text) for line in group) <= LONGEST_HEADING
        and reads_like_heading(group[0])
    )


def _goes_on(above: PdfLine, line: PdfLine) -> bool:
    near = 0 < above.bottom - line.top <= _APART * line.size
    return near and (above.colours, above.size, above.bold) == (line.colours, line.size, line.bold)


def _is_heading(lines: Sequence[PdfLine], at: int, end: int) -> bool:
    line, last, below = lines[at], lines[end - 1], lines[end]
    return (
        _may_be_heading(lines[at:end])
        and line.colours != below.colours
        and not below.turned
        and (below.is_table or abs(line.left - below.left) <= _INDENT * line.size)
        and last.bottom > below.top
        and (at == 0 or lines[at - 1].bottom - line.top > _APART * line.size)
    )
