"""Where the columns of a table on a PDF page lie, by the gaps between its words."""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median

from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.table_text import rows_to_text

COLUMN_GAP = 0.8
"""Columns lie apart by this many heights of the font."""

LEAST_ROWS = 3
"""Words without rules are a table with this many rows at least."""

SAME_ROW = 0.4
"""Words of a row have base lines that differ by less than this many heights of the font."""

MOST_FIRST_CHARS = 30
"""If the first column has more characters than this in the middle row, the columns are of running text."""

_AMOUNT = re.compile(r"(?:[-+$\u20ac\u00a3]\s?){0,3}(?:\d{1,3}(?:[.,]\d{3}){1,6}|\d{1,20})(?:[.,]\d{1,4})?")
"""An amount of money, or another number that is alone in its cell or ends it."""

_REMARK = re.compile(r"#|//|--|/\*|;|%")
"""The comment beside a line of code."""

_RELATION = re.compile(r"[=\u2264\u2265\u2248\u223c\u21d2\u2261\u2190\u2192]+(?:\s|$)|[<>]$")
"""What parts both sides of a formula."""

_MOST_MARKED = 0.3
"""So many cells begin with one of these at most, by the rows of a table."""

_BRIDGED = 0.1
"""This share of the rows may have words across the gap between two columns."""

Row = list[Cell]

WordsOf = Callable[[PdfLine], Row]
"""Finds the place of each word of a line. That takes long, so it is asked where a table can be."""


def as_table(lines: Sequence[PdfLine], rows: list[list[str]]) -> PdfLine:
    """The lines as one, whose text is the table."""
    top, bottom = max(line.top for line in lines), min(line.bottom for line in lines)
    bold = all(line.bold for line in lines if top - line.top < SAME_ROW * line.size)
    return PdfLine(rows_to_text(rows), lines[0].size, top, bottom, bold=bold, is_table=True)


def phrases(row: Row, size: float) -> list[Row]:
    """The words of a row, parted where columns may be."""
    found: list[Row] = []
    for word in row:
        if found and word.left - found[-1][-1].right < COLUMN_GAP * size:
            found[-1].append(word)
        else:
            found.append([word])
    return found


def of_several_phrases(rows: Sequence[Row], size: float) -> Sequence[Row]:
    """The rows without those of one phrase, which name the rows below, if most others have several."""
    several = [row for row in rows if len(phrases(row, size)) > 1]
    return several if len(several) >= LEAST_ROWS and 2 * len(several) >= len(rows) else rows


def by_base_line(lines: Sequence[PdfLine], words_of: WordsOf) -> list[tuple[float, Row]]:
    """The words of the lines by their base line, from the top and then from the left."""
    words = [
        (line.top if word.base is None else word.base, line.size, word)
        for line in lines
        for word in words_of(line)
    ]
    rows: list[tuple[float, Row]] = []
    for base, size, word in sorted(words, key=lambda one: -one[0]):
        if rows and rows[-1][0] - base < SAME_ROW * size:
            rows[-1][1].append(word)
        else:
            rows.append((base, [word]))
    return [(base, sorted(row, key=lambda cell: cell.left)) for base, row in rows]


def column_gaps(rows: Sequence[Row], size: float, least: float = COLUMN_GAP) -> list[float]:
    """The middles of the gaps that hardly any row bridges, from the left.

    They are `least` heights of the font wide.
    """
    steps = sorted(
        [(cell.left, 1) for row in rows for cell in row] + [(c.right, -1) for r in rows for c in r]
    )
    allowed = int(_BRIDGED * len(rows))
    gaps: list[float] = []
    over = 0
    open_at: float | None = None
    for at, step in steps:
        over += step
        if over <= allowed and open_at is None:
            open_at = at
        elif over > allowed and open_at is not None:
            if at - open_at >= least * size:
                gaps.append((open_at + at) / 2)
            open_at = None
    return gaps


def in_columns(row: Row, inner: Sequence[float]) -> list[str]:
    """The words of a row by column; `inner` are the places between the columns, from the left."""
    columns: list[list[str]] = [[] for _ in range(len(inner) + 1)]
    for cell in row:
        columns[bisect_left(inner, (cell.left + cell.right) / 2)].append(cell.text)
    return [" ".join(words) for words in columns]


def one_in_each(cells: Sequence[Cell], starts: Sequence[float]) -> list[str]:
    """What the cells of a line say, if there is one in each column.

    A head may begin to the left of what stands below it.
    """
    edges = pairwise([float("-inf"), *starts, float("inf")])
    if len(cells) != len(starts) + 1:
        return []
    fits = all(
        cell.left < right and left < cell.right for cell, (left, right) in zip(cells, edges, strict=True)
    )
    return [cell.text for cell in cells] if fits else []


def continued(rows: Sequence[list[str]]) -> list[list[str]]:
    """The rows, with lines that go on with cells of the row before put into it.

    Such a line has nothing in the first column and little in the others. An amount below an amount is no
    rest of it.
    """
    table: list[list[str]] = []
    for row in rows:
        if table and not row[0] and 2 * sum(map(bool, row)) <= len(row) and not _adds(table[-1], row):
            table[-1] = merged([table[-1], row])
        else:
            table.append(row)
    return table


def _adds(above: Sequence[str], row: Sequence[str]) -> bool:
    """Whether a row has a further amount, such as a sum, below one of the row above."""
    return any(
        _AMOUNT.fullmatch(cell.split()[-1]) is not None and _AMOUNT.fullmatch(before) is not None
        for before, cell in zip(above, row, strict=True)
        if cell
    )


def merged(rows: Sequence[list[str]]) -> list[str]:
    """Several lines of cells as one."""
    return [" ".join(filter(None, cells)) for cells in zip(*rows, strict=True)]


def has_marks(table: Sequence[list[str]]) -> bool:
    """Whether many cells behind the first begin as the comments of code do, or as the side of a formula."""
    cells = [cell for row in table for cell in row[1:]]
    return any(
        sum(begins(cell) is not None for cell in cells) > _MOST_MARKED * len(table)
        for begins in (_REMARK.match, _RELATION.match)
    )


def are_of_text(rows: Sequence[list[str]]) -> bool:
    """Whether the first column is one of running text."""
    return median(len(row[0]) for row in rows) > MOST_FIRST_CHARS


def are_labels(table: Sequence[list[str]]) -> bool:
    """Whether half of the rows say one thing in all their columns, as labels of drawings in a row do."""
    told = [[cell for cell in row if cell] for row in table]
    same = [cells for cells in told if len(cells) > 1 and len(set(cells)) == 1]
    return 2 * sum(any(map(str.isalpha, cells[0])) for cells in same) >= len(table)
