"""Tables of a PDF page without rules whose cells have several lines each, at heights of their own.

Where cells are in the middle of their row, hardly any two lines stand on one base line. So the rows are told
by the empty strips between them, which are wider than the room between the lines of a cell, and the columns
by the gaps that all lines of all rows leave free.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter
from statistics import median

from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.table_columns import (
    COLUMN_GAP,
    LEAST_ROWS,
    SAME_ROW,
    WordsOf,
    are_labels,
    are_of_text,
    as_table,
    by_base_line,
    in_columns,
    merged,
)

_STRIP, _MOST_STRIP = 1.3, 4.0
"""The strip between two rows is more than this, and at most so much, in the usual gaps between lines."""

_LINE_GAP = 2.0
"""Lines of one cell are at most this many heights of the font apart."""

_LEAST_COLUMNS, _MOST_COLUMNS = 3, 16
_LEAST_SEVERAL = 2
"""So many rows have a cell of several lines. Rows of one line each are told by their words."""

_MOST_TRIES = 16
"""A table begins with one of so many first rows, or their run is none.

Where columns move from row to row, each row begins a longer run. All runs together have at most so many times
the lines of the page.
"""

_MOST_LINES = 8
"""A cell has at most this many lines; a column of running text has more."""

_LEAST_WHOLE = 0.7
"""This share of the rows has words in all columns. All have some in the first and in another one."""

_SAME_PLACE, _LEAST_LEVEL = 2.0, 0.8
"""This share of the lines of a column begins, ends or has its middle at one place, to so many points."""

_LEAST_LONGER = 1.5
"""What is said of the labels is longer than they are by this factor: authors and cards stand side by side."""

_MOST_MONO = 0.3
"""At most this share of the lines is in a font of one width: code stands beside code."""

_LEAST_WORDS = 0.6
"""This share of the cells has a word of letters; the parts of formulas and drawings have few."""

_WORD = re.compile(r"[^\W\d_]{3}")
_MOST_GOING_ON = 0.3
"""A sentence goes on in the cell below at most in this share of the cells; in running text many do."""

Rows = list[list[PdfLine]]
Span = tuple[float, float]


def with_block_tables(lines: Sequence[PdfLine], words_of: WordsOf) -> list[PdfLine]:
    """The lines of a page, in which each table of such rows is one line."""
    groups = _groups(lines)
    table_of: dict[int, PdfLine] = {}
    most = _MOST_TRIES * len(lines)
    at = run = tries = looked_at = 0
    while at + LEAST_ROWS <= len(groups):
        end, inner = _run(groups, at)
        if end > run:
            run, tries = end, 0
        tries += 1
        looked_at += sum(map(len, groups[at:end]))
        rows = _table(groups[at:end], inner, words_of)
        if not rows:
            at = max(end, at + 1) if tries >= _MOST_TRIES or looked_at > most else at + 1
            continue
        part = [line for group in groups[at:end] for line in group]
        table_of |= dict.fromkeys(map(id, part), as_table(part, rows))
        at = end
    # A table stands where the page draws the first of its lines.
    found = [table_of.get(id(line), line) for line in lines]
    return list({id(line): line for line in found}.values())


def _groups(lines: Sequence[PdfLine]) -> Rows:
    """The lines between empty strips of the page, from the top."""
    upright = [(max(line.top, line.bottom), line) for line in lines if not line.turned]
    most = _STRIP * _usual_gap([line for _, line in upright])
    groups: Rows = []
    lowest = 0.0
    for highest, line in sorted(upright, key=itemgetter(0), reverse=True):
        if groups and lowest - highest <= most:
            groups[-1].append(line)
            lowest = min(lowest, line.top, line.bottom)
        else:
            groups.append([line])
            lowest = min(line.top, line.bottom)
    return groups


def _usual_gap(lines: Sequence[PdfLine]) -> float:
    """How far lines are usually apart of which one is drawn after the other, and below it."""
    gaps = [
        above.bottom - line.top
        for above, line in pairwise(lines)
        if 0 < above.bottom - line.top <= _LINE_GAP * line.size
    ]
    return median(gaps or [0.0])


def _run(groups: Rows, at: int) -> tuple[int, list[float]]:
    """How many groups from here keep to the same columns, and the middles of the gaps between these."""
    known: list[Span] = []
    end = at
    for group in groups[at:]:
        size = group[0].size
        if any(line.is_table or not line.cells for line in group):
            break
        if end > at and _strip(groups[end - 1], group) > _MOST_STRIP * size:
            break
        own = _columns([(cell.left, cell.right) for line in group for cell in line.cells], size)
        both = _columns([*known, *own], size)
        if len(own) < 2 or len(both) > _MOST_COLUMNS or (known and len(both) < _LEAST_COLUMNS):
            break
        known = both
        end += 1
    return end, [(one[1] + other[0]) / 2 for one, other in pairwise(known)]


def _strip(above: Sequence[PdfLine], below: Sequence[PdfLine]) -> float:
    return min(line.lowest for line in above) - max(line.highest for line in below)


def _columns(cells: Sequence[Span], size: float) -> list[Span]:
    """From where to where the columns reach between which no cell stands, from the left."""
    columns: list[Span] = []
    for left, right in sorted(cells):
        if columns and left - columns[-1][1] < COLUMN_GAP * size:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
        else:
            columns.append((left, right))
    return columns


def _table(groups: Rows, inner: Sequence[float], words_of: WordsOf) -> list[list[str]]:
    """The cells of the rows; empty if they are no table."""
    lines = [line for group in groups for line in group]
    if (
        len(groups) < LEAST_ROWS
        or len(inner) + 1 < _LEAST_COLUMNS
        or sum(_are_below(group) for group in groups) < _LEAST_SEVERAL
        or sum(line.mono for line in lines) > _MOST_MONO * len(lines)
        or not _are_level(lines, inner)
    ):
        return []
    placed = [[in_columns(row, inner) for _, row in by_base_line(group, words_of)] for group in groups]
    counts = [[sum(map(bool, column)) for column in zip(*rows, strict=True)] for rows in placed]
    table = [merged(rows) for rows in placed]
    cells = [cell for row in table for cell in row if cell]
    whole = sum(all(row) for row in table)
    if (
        sum(max(count) > 1 for count in counts) < _LEAST_SEVERAL
        or max(map(max, counts)) > _MOST_LINES
        or not all(row[0] and any(row[1:]) for row in table)
        or whole < _LEAST_WHOLE * len(table)
        or sum(_WORD.search(cell) is not None for cell in cells) < _LEAST_WORDS * len(cells)
        or _go_on(table)
        or are_of_text(table)
        or not _tell_more(table)
        or are_labels(table)
    ):
        return []
    return table


def _are_below(lines: Sequence[PdfLine]) -> bool:
    """Whether not all lines of a row are on one base line."""
    return (
        max(line.highest for line in lines) - min(line.lowest for line in lines) >= SAME_ROW * lines[0].size
    )


def _are_level(lines: Sequence[PdfLine], inner: Sequence[float]) -> bool:
    """Whether most cells of each column begin, end or have their middles at one place."""
    columns: list[list[tuple[float, float, float]]] = [[] for _ in range(len(inner) + 1)]
    for cell in (cell for line in lines for cell in line.cells):
        middle = (cell.left + cell.right) / 2
        columns[sum(at < middle for at in inner)].append((cell.left, middle, cell.right))
    return all(
        any(_share(places) >= _LEAST_LEVEL for places in zip(*column, strict=True)) for column in columns
    )


def _share(places: Sequence[float]) -> float:
    usual = median(places)
    return sum(abs(place - usual) <= _SAME_PLACE for place in places) / len(places)


def _tell_more(table: Sequence[Sequence[str]]) -> bool:
    """Whether some column says more than the first one, which names the rows."""
    first, *others = (median(map(len, column)) for column in zip(*table, strict=True))
    return max(others) >= _LEAST_LONGER * first


def _go_on(table: Sequence[Sequence[str]]) -> bool:
    """Whether sentences go on from row to row in a column, as in running text."""
    steps = [(a, b) for above, below in pairwise(table) for a, b in zip(above, below, strict=True) if a and b]
    going = sum(a[-1] not in ".!?:;)" and b[0].islower() for a, b in steps)
    return going > _MOST_GOING_ON * len(steps)
