"""Tables of a PDF page: what stands in frames of rules, and words that keep to columns without any.

A table becomes one line of the page, whose text is the table in Markdown.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from statistics import median

from footnote_ingest.parsing.pdf.aligned_tables import with_aligned_tables
from footnote_ingest.parsing.pdf.block_tables import with_block_tables
from footnote_ingest.parsing.pdf.column_rules import ColumnRules
from footnote_ingest.parsing.pdf.frames import Frame
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.named_columns import named_columns
from footnote_ingest.parsing.pdf.number_columns import number_columns
from footnote_ingest.parsing.pdf.rules import Rule
from footnote_ingest.parsing.pdf.table_columns import (
    SAME_ROW,
    Row,
    WordsOf,
    are_labels,
    are_of_text,
    as_table,
    by_base_line,
    column_gaps,
    continued,
    in_columns,
    merged,
    of_several_phrases,
    phrases,
)

_OVER = 1.0
"""Words may reach over the edge of their column by this many points."""

_WIDE = 0.6
"""A line that takes more than this share of a frame's width is running text."""

_WORD_SPACE = 0.45
"""Words of one phrase lie no further apart than this many heights of the font."""

_LEAST_WIDTH = 6.0
"""A column is at least this many points wide."""

_MANY_BANDS, _MOST_LINES_IN_CELL, _MOST_LINES_CENTRED = 4, 3, 6
"""Rules part the rows if one first cell is between two of them, or if that holds for most of many bands.

The others then have a first cell of so many lines at most, which may be more where the lines of cells beside
each other are at other heights. Otherwise each line is a row.
"""

_LEAST_FILLED = 0.5
"""A table has words in at least this share of its cells."""

_LEAST_PARTED_ROWS = 0.5
"""Without upright rules, this share of the rows has words in two columns at least."""

_LEAST_COLUMNS = 3
"""A head of so many columns, less one rule, tells those below; a line of so many phrases is a row."""

_LEAST_COLUMN_EDGE = 0.2
"""A column in a font of one width begins at least so far from the left edge, in widths of the table."""

_LEAST_SAID = 4
"""A row that is alone in its frame has a cell of at least this many words."""

_NARROW_EDGE = 2.0
"""The last column is an edge if it is narrower than this many heights of the font and has no words."""

_LEAST_BAND = 0.7
"""A row between two rules takes this many heights of its font; a staff of music is narrower than a note."""

_ROOM_OF_HEADING = 4.0
"""A heading between two tables has this many heights of its font between their rules, at least."""

_OWN_SIGN = range(0xE000, 0xF900)
"""Signs without a meaning in Unicode, such as notes, and arrows that a program draws by a font of its own."""


def with_tables(
    lines: Sequence[PdfLine], framed: Sequence[Frame], words_of: WordsOf, rules: Sequence[Rule] = ()
) -> list[PdfLine]:
    """The lines of a page, in which each table is one line. The frames are made of its `rules`."""
    found = list(lines)
    for frame in framed:
        for part in _parts(found, frame, words_of):
            rows = _framed_table(part, frame, words_of)
            if rows is not None and sum(map(bool, rows[0])) == 1 and len(rows) > 2:
                # A single cell above all columns is a caption.
                top = max(line.top for line in part.lines)
                part = replace(part, lines=[line for line in part.lines if line.top < top])
                rows = _framed_table(part, frame, words_of)
            if rows is not None and (len(rows) > 1 or _is_between(part.lines, found)):
                gone = {id(line) for line in part.lines}
                at = next(at for at, line in enumerate(found) if id(line) in gone)
                found = [line for line in found if id(line) not in gone]
                found.insert(at, as_table(part.lines, rows))
    return with_block_tables(with_aligned_tables(found, words_of, ColumnRules(rules)), words_of)


def _is_between(row: Sequence[PdfLine], lines: Sequence[PdfLine]) -> bool:
    """Whether a row that is alone in its frame has lines above and below it: feet are framed, too."""
    top, bottom = max(line.highest for line in row), min(line.lowest for line in row)
    return any(line.lowest > top for line in lines) and any(line.highest < bottom for line in lines)


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
        if band and upper - lower < _LEAST_BAND * median(line.size for line in band):
            band = []
        own = frame.columns(upper, lower)
        columns = own or _columns_of_head(band, parts)
        is_text = any(
            _is_wide(line, frame, words_of, alone=len(band) == 1) for line in band
        ) and not _keeps_to_head(parts[-1].lines if parts else (), band, words_of)
        if not columns and (frame.uprights or is_text or _is_heading(band, parts, upper - lower)):
            parts.append(_Part([], 0, ()))
        elif not parts or bool(columns) != bool(parts[-1].uprights):
            parts.append(_Part(band, 1, _apart(columns), bool(own)))
        else:
            above = parts[-1]
            known = _apart({*above.uprights, *columns})
            parts[-1] = _Part(above.lines + band, above.bands + 1, known, above.ruled + bool(own))
    return iter([part for part in parts if part.lines])


def _is_heading(band: Sequence[PdfLine], parts: Sequence[_Part], height: float) -> bool:
    """Whether a band is the room between two tables, with a heading in it that is larger than their words."""
    above = parts[-1].lines if parts else []
    return (
        bool(above)
        and bool(band)
        and all(len(line.cells) == 1 for line in band)
        and min(line.size for line in band) > max(line.size for line in above)
        and height >= _ROOM_OF_HEADING * max(line.size for line in band)
    )


def _columns_of_head(band: Sequence[PdfLine], parts: Sequence[_Part]) -> tuple[float, ...]:
    """The columns of a shaded head, which alone has upright rules, if no words of a band below cross them."""
    head = parts[-1].uprights if parts and parts[-1].ruled == 1 else ()
    cells = [cell for line in band for cell in line.cells]
    across = any(cell.left < at - _OVER < at + _OVER < cell.right for cell in cells for at in head)
    filled = {sum(at < (cell.left + cell.right) / 2 for at in head) for cell in cells}
    return head if len(head) >= _LEAST_COLUMNS - 1 and not across and len(filled) > 1 else ()


def _keeps_to_head(above: Sequence[PdfLine], band: Sequence[PdfLine], words_of: WordsOf) -> bool:
    """Whether all words of a band stand below the heads of columns in the line right above it."""
    if not above:
        return False
    lowest = min(line.lowest for line in above)
    head = [line for line in above if line.lowest - lowest < SAME_ROW * line.size]
    heads = phrases(by_base_line(head, words_of)[-1][1], head[0].size)
    rows = [row for _, row in by_base_line(band, words_of)]
    return bool(named_columns([one[0] for one in heads], rows))


def _apart(uprights: Iterable[float]) -> tuple[float, ...]:
    """The upright rules from the left, with two that are side by side as one."""
    kept: list[float] = []
    for at in sorted(uprights):
        if not kept or at - kept[-1] >= _LEAST_WIDTH:
            kept.append(at)
    return tuple(kept)


def _is_wide(line: PdfLine, frame: Frame, words_of: WordsOf, *, alone: bool) -> bool:
    """Whether a line is running text: it has no cells, or words without the gaps of a row.

    The lines of code have gaps, too, but are not `alone` between two rules.
    """
    if len(line.cells) > 1 or line.right - line.left <= _WIDE * (frame.right - frame.left):
        return False
    if line.all_mono:
        return not alone or len(phrases(words_of(line), line.size)) < 2
    return len(phrases(words_of(line), line.size)) < _LEAST_COLUMNS


def _framed_table(part: _Part, frame: Frame, words_of: WordsOf) -> list[list[str]] | None:
    lines = part.lines
    if not lines or (not part.uprights and not _may_lack_uprights(part, words_of)):
        return None
    rows = by_base_line(lines, words_of)
    size = median(line.size for line in lines)
    words = [row for _, row in rows]
    inner = list(part.uprights) or column_gaps(of_several_phrases(words, size), size)
    named = [] if part.uprights else named_columns([one[0] for one in phrases(words[0], size)], words[1:])
    # A head may stand above two columns of numbers; the gaps of a justified text are not those of all rows.
    if named and len(column_gaps(words, size)) <= len(named):
        inner = named
    elif part.uprights:
        inner = number_columns(words, inner, column_gaps(words, size))
    else:
        rows = [(base, _as_one_cell(row, size)) for base, row in rows]
    placed = [(base, in_columns(row, inner)) for base, row in rows]
    if not inner or (not part.uprights and are_of_text([cells for _, cells in placed])):
        return None
    # Two rules beside each other at the edge are no column.
    empty = next((at for at in range(len(inner)) if any(cells[at] for _, cells in placed)), 0)
    placed = [(base, cells[empty:]) for base, cells in placed]
    if part.uprights and _is_edge(frame.right - inner[-1], size) and not any(c[-1] for _, c in placed):
        placed = [(base, cells[:-1]) for base, cells in placed]
    if len(placed[0][1]) < 2:
        return None
    bands = [list(group) for _, group in groupby(placed, lambda one: sum(at > one[0] for at in frame.levels))]
    first = [sum(bool(cells[0]) for _, cells in band) for band in bands]
    lower = [band[1:] for band in bands]
    ruled = len(bands) >= _MANY_BANDS and max(first) <= _MOST_LINES_IN_CELL
    if (
        max(first) <= 1
        or (ruled and (median(first) <= 1 or (part.uprights and _go_on(lower))))
        or (len(bands) >= _MANY_BANDS and part.uprights and _are_centred(bands, first))
    ):
        table = [merged([cells for _, cells in band]) for band in bands]
    else:
        table = continued([cells for _, cells in placed])
    if _are_signs(table) or are_labels(table):
        return None
    filled = sum(bool(cell) for row in table for cell in row)
    parted = sum(sum(map(bool, row)) > 1 for row in table)
    if not part.uprights and parted < _LEAST_PARTED_ROWS * len(table):
        return None
    if len(table) == 1 and not (part.ruled and _is_whole_row(table[0])):
        return None
    return table if filled >= _LEAST_FILLED * sum(map(len, table)) else None


def _is_edge(width: float, size: float) -> bool:
    """Whether a column is too narrow for words: a coloured edge, or two rules beside each other."""
    return width < _NARROW_EDGE * size


def _is_whole_row(row: Sequence[str]) -> bool:
    """Whether a row that is alone in its frame is one of a table: it has cells of words, and none is empty.

    The boxes of a drawing have a name each. Beside the name of a parameter stands what it means.
    """
    named = len(row) > 1 and row[0].replace("_", "").isalnum() and row[0][0].islower()
    return (
        (len(row) >= _LEAST_COLUMNS or named)
        and all(any(char.isalnum() for char in cell) for cell in row)
        and any(len(cell.split()) >= _LEAST_SAID for cell in row)
    )


def _are_signs(table: Sequence[list[str]]) -> bool:
    """Whether half of the cells with words hold signs without a meaning, as in music, or all are letters."""
    told = [cell for row in table for cell in row if cell]
    signs = sum(any(ord(char) in _OWN_SIGN for char in cell) for cell in told)
    return 2 * signs >= len(told) or all(len(word) == 1 and word.isalpha() for word in " ".join(told).split())


def _as_one_cell(row: Row, size: float) -> Row:
    """A row of one phrase as a cell where it begins, also if it goes over other columns."""
    if len(row) < 2 or any(b.left - a.right > _WORD_SPACE * size for a, b in pairwise(row)):
        return row
    text = " ".join(word.text for word in row)
    return [Cell(text, row[0].left, row[0].right, row[0].base)]


def _go_on(lower: Sequence[Sequence[tuple[float, list[str]]]]) -> bool:
    """Whether the lower lines of bands go on with cells: they have words in less than half of the columns."""
    filled = [2 * sum(map(bool, cells)) < len(cells) for lines in lower for _, cells in lines]
    return all(filled)


def _are_centred(bands: Sequence[Sequence[tuple[float, list[str]]]], first: Sequence[int]) -> bool:
    """Whether most rows of several lines have cells in the middle of their height.

    The lines of the cells beside each other then stand at other heights, and the uppermost and the lowest
    line are those of one cell.
    """
    several = [[cells for _, cells in band] for band in bands if len(band) > 1]
    centred = sum(
        sum(sum(map(bool, cells)) > 1 for cells in band) <= 1
        and any(not cells[0] for cells in band)
        and list(map(bool, band[0])) == list(map(bool, band[-1]))
        for band in several
    )
    return 2 * centred > len(several) and max(first) <= _MOST_LINES_CENTRED


def _may_lack_uprights(part: _Part, words_of: WordsOf) -> bool:
    """Whether lines between level rules only can be a table, and are no code.

    Code begins near the left edge; a column of numbers in a font of one width does not. It has no rule
    between each two of its lines either.
    """
    if part.bands < 2:
        return False
    left, right = min(line.left for line in part.lines), max(line.right for line in part.lines)
    begins = any(
        line.all_mono and line.left - left < _LEAST_COLUMN_EDGE * (right - left) for line in part.lines
    )
    if not begins or sum(line.mono for line in part.lines) * 2 <= len(part.lines):
        return True
    parted = part.bands >= _MANY_BANDS and len(part.lines) == part.bands
    return parted and all(len(phrases(words_of(line), line.size)) > 1 for line in part.lines)
