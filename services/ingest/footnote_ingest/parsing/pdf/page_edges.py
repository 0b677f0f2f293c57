"""The rows at the edges of PDF pages, where heads and feet stand, and how far they lie from the text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median_low

from footnote_ingest.parsing.pdf.lines import PdfLine

PAGE_OF = re.compile(
    r"(?:page|seite|p\.|página|pagina|pag\.|blatt)?\s?(\d{1,5})\s?(?:of|von|de|di|sur|van|/)\s?(\d{1,5})",
    re.I,
)
"""A page's number with that of all pages. It may stand one row further from the edge than other lines."""

_SAME_ROW = 3.0
"""Lines whose base lines differ by less than this many points stand in one row, also on different pages."""

_APART = 1.5
"""A header lies further from the text than a line from the next, by this factor."""


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """Lines of one base line at the upper or lower edge of a page; `apart` if far from the next row."""

    lines: tuple[PdfLine, ...]
    place: float
    apart: bool

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)

    @property
    def cells(self) -> list[str]:
        """What stands beside each other in the row."""
        return [cell.text for line in self.lines for cell in line.cells]


def _rows(lines: Sequence[PdfLine]) -> list[list[PdfLine]]:
    """The lines of a page in rows, from the top."""
    rows: list[list[PdfLine]] = []
    for line in sorted((line for line in lines if not line.turned), key=lambda line: -line.top):
        if rows and rows[-1][0].top - line.top < _SAME_ROW:
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def edges_of(pages: Sequence[list[PdfLine] | None]) -> list[list[EdgeRow]]:
    """For each page its two uppermost and its two lowest rows."""
    filled = [_rows(lines or []) for lines in pages]
    gaps = [[one[0].bottom - other[0].top for one, other in pairwise(rows)] for rows in filled]
    usual = median_low([gap for page in gaps for gap in page] or [0.0])
    return _at_same_places(
        [
            [
                EdgeRow(tuple(row), row[0].top, _is_apart(at, len(rows), between, usual))
                for at, row in enumerate(rows)
                if (not 2 <= at < len(rows) - 2 or _tells_pages(row, at, len(rows)))
                and not any(line.is_table for line in row)
            ]
            for rows, between in zip(filled, gaps, strict=True)
        ]
    )


def _tells_pages(row: Sequence[PdfLine], at: int, count: int) -> bool:
    """Whether the third row from an edge is the number of its page and of all pages."""
    return at in (2, count - 3) and any(PAGE_OF.fullmatch(line.text) for line in row)


def _is_apart(at: int, count: int, gaps: Sequence[float], usual: float) -> bool:
    """Whether the first or the last row of a page lies far from the others."""
    if not gaps or at not in (0, count - 1):
        return False
    return gaps[0 if at == 0 else -1] > _APART * usual


def _at_same_places(pages: Sequence[list[EdgeRow]]) -> list[list[EdgeRow]]:
    """The rows, in which those that stand at about the same height on their pages have the same place."""
    places: dict[float, float] = {}
    begun = float("-inf")
    for place in sorted({row.place for rows in pages for row in rows}):
        begun = place if place - begun >= _SAME_ROW else begun
        places[place] = begun
    return [[replace(row, place=places[row.place]) for row in rows] for rows in pages]
