"""Lines of a PDF page that may be rows, since others that begin at the same place have a cell within them."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from functools import partial

from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.table_columns import COLUMN_GAP, SAME_ROW

_PLACE = 2.0
"""Cells that begin in the same stripe of so many points, or in the next one, begin at one place."""

_LEAST_CELLS = 3
"""So many cells on one base line are a row to which one that stands a little higher may belong."""

_LEAST_ROWS = 2
"""So many lines with a cell at one place tell it of the others."""

_LEAST_WITH_CODE = 3
"""A line that ends with code is a row with so many cells, or where the lines beside it are rows."""

_LINE_NUMBER = re.compile(r"\d{1,5}(?:\s|$)")


def rows_beside(lines: Sequence[PdfLine]) -> Iterator[tuple[int, Callable[[float], bool]]]:
    """The places of the lines without cells that may be rows, and what tells whether a second cell fits.

    They begin where lines with cells do, and reach over the place where the second cells of these begin.
    """
    seen = Counter((_stripe(line.left), _stripe(line.cells[1].left)) for line in lines if len(line.cells) > 1)
    second: defaultdict[int, set[int]] = defaultdict(set)
    for (left, cell), count in seen.items():
        if count >= _LEAST_ROWS:
            for near in (left - 1, left, left + 1):
                second[near] |= {cell - 1, cell, cell + 1}
    for at, line in enumerate(lines):
        cells = second.get(_stripe(line.left)) if len(line.cells) == 1 and not line.turned else None
        if cells and _stripe(line.right) > min(cells):
            yield at, partial(_begins_in, cells)


def row_with_code(cells: Sequence[Cell], *, beside: bool) -> bool:
    """Whether the cells of a line that ends with code are those of a row.

    Before a line of a listing may stand its number.
    """
    return (beside or len(cells) >= _LEAST_WITH_CODE) and _LINE_NUMBER.match(cells[0].text) is None


def with_whole_rows(lines: Sequence[PdfLine]) -> list[PdfLine]:
    """The lines, in which a first cell that stands a little higher or lower than its row is in the row.

    A cell of two lines stands so beside rows of one line each. It may be drawn before the row or behind it.
    The cell behind it begins, or ends, where those of other rows do.
    """
    rows = [line for line in lines if len(line.cells) >= _LEAST_CELLS]
    lefts = Counter(_stripe(line.left) for line in rows)
    rights = Counter(_stripe(line.cells[0].right) for line in rows)
    found: list[PdfLine] = []
    for line in lines:
        first = found[-1] if found else None
        pair = None
        if first is not None and min(len(first.cells), len(line.cells)) == 1:
            pair = (first, line) if len(first.cells) == 1 else (line, first)
        if (
            pair is not None
            and _begins_row(*pair)
            and max(lefts[_stripe(pair[1].left)], rights[_stripe(pair[1].cells[0].right)]) > _LEAST_ROWS
        ):
            found[-1] = _one_row(*pair)
        else:
            found.append(line)
    return found


def _one_row(first: PdfLine, line: PdfLine) -> PdfLine:
    return replace(
        line,
        text=f"{first.text} {line.text}",
        cells=first.cells + line.cells,
        chars=first.chars + line.chars,
    )


def _begins_row(first: PdfLine, line: PdfLine) -> bool:
    return (
        len(first.cells) == 1
        and len(line.cells) >= _LEAST_CELLS
        and abs(first.bottom - line.top) < SAME_ROW * line.size
        and first.size == line.size
        and first.right + COLUMN_GAP * line.size <= line.left
        and not (first.turned or line.turned or first.is_table or line.is_table)
    )


def _begins_in(stripes: Set[int], left: float) -> bool:
    return _stripe(left) in stripes


def _stripe(place: float) -> int:
    return round(place / _PLACE)
