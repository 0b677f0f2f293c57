"""Lines within a table that name the rows below them, such as a district above its counties."""

from collections.abc import Sequence

from footnote_ingest.parsing.pdf.lines import PdfLine

_LEAST_CELLS = 4
"""The rows above and below have so many cells that begin, or end, at the same places."""

_SAME_EDGE = 2.0
"""Cells of a column begin, or end, at places that differ by this many points."""

_LONGEST_NAME = 40


def names_rows(lines: Sequence[PdfLine], at: int) -> bool:
    """Whether a short line between two rows of many cells names the rows below it.

    The upper row may be the head of the table. A name that is larger or bolder than it is a heading.
    """
    if not 0 < at < len(lines) - 1:
        return False
    above, line, below = lines[at - 1 : at + 2]
    return (
        len(line.text) <= _LONGEST_NAME
        and line.text[-1] not in ".:"
        and line.size <= above.size
        and line.bold <= above.bold
        and len(below.cells) > 1
        and line.right <= below.cells[1].left
        and sum(_has_edge_of(above, cell.left, cell.right) for cell in below.cells) >= _LEAST_CELLS
    )


def _has_edge_of(row: PdfLine, left: float, right: float) -> bool:
    return any(
        abs(cell.left - left) <= _SAME_EDGE or abs(cell.right - right) <= _SAME_EDGE for cell in row.cells
    )
