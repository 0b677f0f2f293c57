"""Tables of a PDF page: what stands in frames of rules, and words that keep to columns without any.

A table becomes one line of the page, whose text is the table in Markdown.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from statistics import median

from footnote_ingest.parsing.pdf.frames import Frame
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.number_columns import number_columns
from footnote_ingest.parsing.table_text import rows_to_text

_EDGE = 4.0
"""A line that goes on with a cell begins at most this many points to the left of it."""

_OVER = 1.0
"""Words may reach over the edge of their column by this many points."""

_WIDE = 0.6
"""A line that takes more than this share of a frame's width is running text."""

_COLUMN_GAP = 0.8
"""Columns lie apart by this many heights of the font."""

_WORD_SPACE = 0.45
"""Words of one phrase lie no further apart than this many heights of the font."""

_BRIDGED = 0.1
"""This share of the rows may have words across the gap between two columns."""

_SAME_ROW = 0.4
"""Words of a row have base lines that differ by less than this many heights of the font."""

_LEAST_WIDTH = 6.0
"""A column is at least this many points wide."""

_MANY_BANDS, _MOST_LINES_IN_CELL = 4, 3
"""Rules part the rows if one first cell is between two of them, or if that holds for most of many bands.

The others then have a first cell of so many lines at most. Otherwise each line is a row.
"""

_LEAST_FILLED = 0.5
"""A table has words in at least this share of its cells."""

_LEAST_PARTED_ROWS = 0.5
"""Without upright rules, this share of the rows has words in two columns at least."""

_MOST_FIRST_CHARS = 30
"""If the first column has more characters than this in the middle row, the columns are of running text."""

_ROW_GAP = 3.0
"""Rows without rules lie no further apart than this many heights of the font."""

_HEAD_GAP = 1.7
"""The running head of a page lies further above a table than this, in usual gaps of its rows."""

_LEAST_ROWS = 3
_LEAST_COLUMNS = 3
"""Words without rules are a table with this many rows and columns; with a caption two columns are enough."""

_LEAST_WHOLE_ROWS = 0.6
"""In words without rules, this share of the rows has three cells or all of them."""

_CAPTION = re.compile(r"(?i:table|tab\.|tabelle|tableau|tabla|tabella)\s*(?:\d[\d.\-]*|[IVX]+|[A-Z]\.\d+)\b")
_LEADERS = re.compile(r"(?:\.\s?){4}")
_NUMBER = re.compile(r"\d{1,4}|[ivxl]+")

Row = list[Cell]

WordsOf = Callable[[PdfLine], Row]
"""Finds the place of each word of a line. That takes long, so it is asked where a table can be."""


def with_tables(lines: Sequence[PdfLine], framed: Sequence[Frame], words_of: WordsOf) -> list[PdfLine]:
    """The lines of a page, in which each table is one line."""
    found = list(lines)
    for frame in framed:
        for part in _parts(found, frame, words_of):
            rows = _framed_table(part, frame, words_of)
            if rows is not None and sum(map(bool, rows[0])) == 1 and len(rows) > 2:
                # A single cell above all columns is a caption.
                top = max(line.top for line in part.lines)
                part = replace(part, lines=[line for line in part.lines if line.top < top])
                rows = _framed_table(part, frame, words_of)
            if rows is not None:
                gone = {id(line) for line in part.lines}
                at = next(at for at, line in enumerate(found) if id(line) in gone)
                found = [line for line in found if id(line) not in gone]
                found.insert(at, _as_line(part.lines, rows))
    return _with_columns(found)


def _as_line(lines: Sequence[PdfLine], rows: list[list[str]]) -> PdfLine:
    top, bottom = max(line.top for line in lines), min(line.bottom for line in lines)
    bold = all(line.bold for line in lines if top - line.top < _SAME_ROW * line.size)
    return PdfLine(rows_to_text(rows), lines[0].size, top, bottom, bold=bold, is_table=True)


@dataclass(frozen=True, slots=True)
class _Part:
    """Neighbouring bands of a frame: their lines, how many bands they are, and where upright rules stand.

    `ruled` is how many bands have upright rules of their own.
    """

    lines: list[PdfLine]
    bands: int
    uprights: tuple[float, ...]
    ruled: int = 0


def _parts(lines: Sequence[PdfLine], frame: Frame, words_of: WordsOf) -> Iterator[_Part]:
    """The bands between the rules of a frame that may be one table.

    Tables of one width that follow each other have one frame, with text between them. It has no upright rules
    where the tables have some; and it runs from edge to edge.
    """
    parts: list[_Part] = []
    for upper, lower in pairwise(frame.levels):
        band = [
            line for line in lines if frame.holds(line) and lower - 1 <= line.lowest <= line.highest < upper
        ]
        own = frame.columns(upper, lower)
        columns = own or _columns_of_head(band, parts)
        if not columns and (frame.uprights or any(_is_wide(line, frame, words_of) for line in band)):
            parts.append(_Part([], 0, ()))
        elif not parts or bool(columns) != bool(parts[-1].uprights):
            parts.append(_Part(band, 1, _apart(columns), bool(own)))
        else:
            above = parts[-1]
            known = _apart({*above.uprights, *columns})
            parts[-1] = _Part(above.lines + band, above.bands + 1, known, above.ruled + bool(own))
    return iter([part for part in parts if part.lines])


def _columns_of_head(band: Sequence[PdfLine], parts: Sequence[_Part]) -> tuple[float, ...]:
    """The columns of a shaded head, which alone has upright rules, if no words of a band below cross them."""
    head = parts[-1].uprights if parts and parts[-1].ruled == 1 else ()
    cells = [cell for line in band for cell in line.cells]
    across = any(cell.left < at - _OVER < at + _OVER < cell.right for cell in cells for at in head)
    filled = {sum(at < (cell.left + cell.right) / 2 for at in head) for cell in cells}
    return head if len(head) >= _LEAST_COLUMNS - 1 and not across and len(filled) > 1 else ()


def _apart(uprights: Iterable[float]) -> tuple[float, ...]:
    """The upright rules from the left, with two that are side by side as one."""
    kept: list[float] = []
    for at in sorted(uprights):
        if not kept or at - kept[-1] >= _LEAST_WIDTH:
            kept.append(at)
    return tuple(kept)


def _is_wide(line: PdfLine, frame: Frame, words_of: WordsOf) -> bool:
    """Whether a line is running text: it has no cells, or words without the gaps of a row."""
    wide = len(line.cells) == 1 and line.right - line.left > _WIDE * (frame.right - frame.left)
    return wide and (line.mono or len(_phrases(words_of(line), line.size)) < _LEAST_COLUMNS)


def _phrases(row: Row, size: float) -> list[Row]:
    """The words of a row, parted where columns may be."""
    found: list[Row] = []
    for word in row:
        if found and word.left - found[-1][-1].right < _COLUMN_GAP * size:
            found[-1].append(word)
        else:
            found.append([word])
    return found


def _framed_table(part: _Part, frame: Frame, words_of: WordsOf) -> list[list[str]] | None:
    lines = part.lines
    if not lines or (not part.uprights and not _may_lack_uprights(part)):
        return None
    rows = _by_base_line(lines, words_of)
    size = median(line.size for line in lines)
    inner = list(part.uprights) or _column_gaps(_with_columns_of_words([row for _, row in rows], size), size)
    if part.uprights:
        inner = number_columns([row for _, row in rows], inner, _column_gaps([row for _, row in rows], size))
    else:
        rows = [(base, _as_one_cell(row, size)) for base, row in rows]
    placed = [(base, _in_columns(row, inner)) for base, row in rows]
    if not inner or (not part.uprights and median(len(cells[0]) for _, cells in placed) > _MOST_FIRST_CHARS):
        return None
    bands = [list(group) for _, group in groupby(placed, lambda one: sum(at > one[0] for at in frame.levels))]
    first = [sum(bool(cells[0]) for _, cells in band) for band in bands]
    if max(first) <= 1 or (
        len(bands) >= _MANY_BANDS
        and max(first) <= _MOST_LINES_IN_CELL
        and (median(first) <= 1 or (part.uprights and _go_on([band[1:] for band in bands])))
    ):
        table = [_merged([cells for _, cells in band]) for band in bands]
    else:
        table = _continued([cells for _, cells in placed])
    filled = sum(bool(cell) for row in table for cell in row)
    parted = sum(sum(map(bool, row)) > 1 for row in table)
    if not part.uprights and parted < _LEAST_PARTED_ROWS * len(table):
        return None
    return table if len(table) > 1 and filled >= _LEAST_FILLED * sum(map(len, table)) else None


def _as_one_cell(row: Row, size: float) -> Row:
    """A row of one phrase as a cell where it begins, also if it goes over other columns."""
    if len(row) < 2 or any(b.left - a.right > _WORD_SPACE * size for a, b in pairwise(row)):
        return row
    text = " ".join(word.text for word in row)
    return [Cell(text, row[0].left, row[0].right, row[0].base)]


def _with_columns_of_words(rows: Sequence[Row], size: float) -> Sequence[Row]:
    """The rows without those of one phrase, which name the rows below, if most others have several."""
    several = [row for row in rows if len(_phrases(row, size)) > 1]
    return several if len(several) >= _LEAST_ROWS and 2 * len(several) >= len(rows) else rows


def _go_on(lower: Sequence[Sequence[tuple[float, list[str]]]]) -> bool:
    """Whether the lower lines of bands go on with cells: they have words in less than half of the columns."""
    filled = [2 * sum(map(bool, cells)) < len(cells) for lines in lower for _, cells in lines]
    return all(filled)


def _may_lack_uprights(part: _Part) -> bool:
    """Whether lines between level rules only can be a table, and are no code."""
    return part.bands >= 2 and sum(line.mono for line in part.lines) * 2 <= len(part.lines)


def _merged(rows: Sequence[list[str]]) -> list[str]:
    return [" ".join(filter(None, cells)) for cells in zip(*rows, strict=True)]


def _by_base_line(lines: Sequence[PdfLine], words_of: WordsOf) -> list[tuple[float, Row]]:
    """The words of the lines by their base line, from the top and then from the left."""
    words = [
        (line.top if word.base is None else word.base, line.size, word)
        for line in lines
        for word in words_of(line)
    ]
    rows: list[tuple[float, Row]] = []
    for base, size, word in sorted(words, key=lambda one: -one[0]):
        if rows and rows[-1][0] - base < _SAME_ROW * size:
            rows[-1][1].append(word)
        else:
            rows.append((base, [word]))
    return [(base, sorted(row, key=lambda cell: cell.left)) for base, row in rows]


def _column_gaps(rows: Sequence[Row], size: float) -> list[float]:
    """The middles of the gaps that hardly any row bridges, from the left."""
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
            if at - open_at >= _COLUMN_GAP * size:
                gaps.append((open_at + at) / 2)
            open_at = None
    return gaps


def _in_columns(row: Row, inner: Sequence[float]) -> list[str]:
    columns: list[list[str]] = [[] for _ in range(len(inner) + 1)]
    for cell in row:
        columns[sum(at < (cell.left + cell.right) / 2 for at in inner)].append(cell.text)
    return [" ".join(words) for words in columns]


def _continued(rows: Sequence[list[str]]) -> list[list[str]]:
    """The rows, with lines that go on with cells of the row before put into it.

    Such a line has nothing in the first column and little in the others.
    """
    table: list[list[str]] = []
    for row in rows:
        if table and not row[0] and 2 * sum(map(bool, row)) <= len(row):
            table[-1] = _merged([table[-1], row])
        else:
            table.append(row)
    return table


def _with_columns(lines: Sequence[PdfLine]) -> list[PdfLine]:
    found: list[PdfLine] = []
    at = 0
    while at < len(lines):
        end = _run_end(lines, at)
        if _is_apart(lines, at, end):
            found.append(lines[at])
            at += 1
            continue
        table = _columned_table(lines, at, end) if end - at >= _LEAST_ROWS else None
        if table is not None:
            found.append(_as_line(lines[at:end], table))
            at = end
        else:
            found.append(lines[at])
            at += 1
    return found


def _run_end(lines: Sequence[PdfLine], at: int) -> int:
    """How far lines with several cells reach from here, with lines that go on with a later cell."""
    if len(lines[at].cells) < 2 or lines[at].mono or lines[at].turned:
        return at
    second = lines[at].cells[1].left
    end = at + 1
    while end < len(lines):
        before, line = lines[end - 1], lines[end]
        goes_on = len(line.cells) > 1 or (bool(line.cells) and line.left >= second - _EDGE)
        near = 0 < before.bottom - line.top <= _ROW_GAP * line.size
        if not goes_on or not near or line.mono or line.turned or line.is_table:
            break
        if len(line.cells) > 1:
            second = min(second, line.cells[1].left)
        end += 1
    return end


def _is_apart(lines: Sequence[PdfLine], at: int, end: int) -> bool:
    """Whether the first line of a page is no row of the table below: its running head stands further away."""
    gaps = [above.bottom - below.top for above, below in pairwise(lines[at:end])]
    return at == 0 and len(gaps) >= _LEAST_ROWS and gaps[0] > _HEAD_GAP * median(gaps[1:])


def _columned_table(lines: Sequence[PdfLine], at: int, end: int) -> list[list[str]] | None:
    run = lines[at:end]
    rows = [list(line.cells) for line in run]
    inner = _column_gaps([row for row in rows if len(row) > 1], median(line.size for line in run))
    beside = [*lines[max(0, at - 2) : at], *lines[end : end + 1]]
    captioned = any(_CAPTION.match(line.text) for line in beside)
    if len(inner) + 1 < (2 if captioned else _LEAST_COLUMNS):
        return None
    placed = [_in_columns(row, inner) for row in rows]
    table = _continued(placed)
    whole = sum(sum(map(bool, row)) >= min(_LEAST_COLUMNS, len(row)) for row in table)
    if len(table) < _LEAST_ROWS or whole < _LEAST_WHOLE_ROWS * len(table) or _is_contents(table):
        return None
    return None if median(len(row[0]) for row in placed) > _MOST_FIRST_CHARS else table


def _is_contents(table: Sequence[list[str]]) -> bool:
    """Whether the rows are those of a table of contents: most end with a page number after a name or dots."""
    numbered = sum(_NUMBER.fullmatch(row[-1]) is not None for row in table)
    dotted = sum(_LEADERS.search(" ".join(row)) is not None for row in table)
    numbers = [int(row[-1]) for row in table if row[-1].isdecimal()]
    return dotted * 2 > len(table) or (numbered * 5 >= 4 * len(table) and numbers == sorted(numbers))
