"""Lines of a PDF page that may be rows, since others that begin at the same place have a cell within them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence, Set
from functools import partial

from footnote_ingest.parsing.pdf.lines import PdfLine

_PLACE = 2.0
"""Cells that begin in the same stripe of so many points, or in the next one, begin at one place."""

_LEAST_ROWS = 2
"""So many lines with a cell at one place tell it of the others."""


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


def _begins_in(stripes: Set[int], left: float) -> bool:
    return _stripe(left) in stripes


def _stripe(place: float) -> int:
    return round(place / _PLACE)
