"""Tables in a font of one width, which are no code: their first row stands out and names the columns."""

import re
from collections.abc import Sequence

from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.table_text import rows_to_text

PHRASE = re.compile(r"\S+(?: \S+)*")
"""Words with one blank between them are one cell."""

_LEAST_COLUMNS, _LEAST_ROWS = 3, 3
_LEAST_PARTED = 0.8
"""At least this share of the rows has words in two columns."""

_ROW_GAP = 2.6
"""Rows lie no further apart than this many heights of the font."""

_NAMED = re.compile(r"[^\W\d_]")


def with_fixed_tables(lines: Sequence[PdfLine]) -> list[PdfLine]:
    """The lines of a page, in which each such table is one line."""
    found: list[PdfLine] = []
    at = 0
    while at < len(lines):
        end = _end(lines, at)
        rows = _rows(lines[at:end]) if end - at >= _LEAST_ROWS else None
        if rows is None:
            found.append(lines[at])
            at += 1
        else:
            head, last = lines[at], lines[end - 1]
            table = PdfLine(rows_to_text(rows), head.size, head.top, last.bottom, bold=True, is_table=True)
            found.append(table)
            at = end
    return found


def _end(lines: Sequence[PdfLine], at: int) -> int:
    """Where the rows end whose first is bold, while no other is."""
    if not (lines[at].bold and lines[at].laid_out and _is_fixed(lines[at])):
        return at
    end = at + 1
    while end < len(lines) and _is_fixed(lines[end]) and not lines[end].bold:
        if not 0 < lines[end - 1].bottom - lines[end].top <= _ROW_GAP * lines[end].size:
            break
        end += 1
    return end


def _is_fixed(line: PdfLine) -> bool:
    return line.all_mono and not (line.turned or line.is_table)


def _rows(lines: Sequence[PdfLine]) -> list[list[str]] | None:
    """The cells of each line below the words of the first one; None if they do not keep to its columns."""
    head = lines[0]
    width = (head.right - head.left) / len(head.laid_out)
    named = list(PHRASE.finditer(head.laid_out))
    if len(named) < _LEAST_COLUMNS or not all(_NAMED.search(one.group()) for one in named) or width <= 0:
        return None
    starts = [head.left + one.start() * width for one in named]
    rows = [[one.group() for one in named]]
    for line in lines[1:]:
        text = line.laid_out or line.text
        own = (line.right - line.left) / len(text)
        cells = [""] * len(starts)
        for one in PHRASE.finditer(text):
            left, right = line.left + one.start() * own, line.left + one.end() * own
            column = max(0, sum(start <= left + width for start in starts) - 1)
            if cells[column] or any(start < right - width for start in starts[column + 1 :]):
                return None
            cells[column] = one.group()
        rows.append(cells)
    parted = sum(sum(map(bool, cells)) > 1 for cells in rows[1:])
    return rows if parted >= _LEAST_PARTED * (len(rows) - 1) else None
