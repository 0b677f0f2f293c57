"""Pages that are drawn in no order or from the bottom, which are read from their top."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from footnote_ingest.parsing.pdf.lines import PdfLine

_UPWARDS = 2
"""A page is drawn from the bottom if this many times more steps go up than down."""

_TALL, _DEEP = 0.6, 0.1
"""A line takes this many heights of its font above its base line, and below."""

_STEP = 1.0
"""What stands higher than a line before it by more than this many heights of its font was drawn too late."""

_LARGE = 1.12
"""The first line of a page is its heading if it is larger than most lines by this factor."""

_TEXT_IN_COLUMN = 25
"""Lines beside each other that both have this many characters are text in columns, whose order is kept."""


def from_top(lines: Sequence[PdfLine]) -> list[PdfLine]:
    """The lines, from the top if the page draws them from the bottom, or some out of order.

    Office programs draw a text frame or a large cell when they come to it. On a page without text in columns,
    what stands alone at its height is put where it stands. Lines beside each other keep their order. A table
    stands alone once it is one line.
    """
    steps = [one.bottom - other.top for one, other in pairwise(lines)]
    down, up = sum(step > 0 for step in steps), sum(step < 0 for step in steps)
    if up > max(1, _UPWARDS * down):
        return sorted(lines, key=lambda line: -line.top)
    if up == 0 or any(line.turned for line in lines):
        return list(lines)
    bands = _bands(lines)
    alone = [band[0] for band in bands if len(band) == 1]
    # A head or a foot may be drawn first or last, wherever it stands. The name of a slide is no head.
    named = bool(alone) and lines[alone[0]].size > _LARGE * median(line.size for line in lines)
    inner = sorted(alone[0 if named else 1 : -1])
    goes_up = any(
        lines[later].top > lines[sooner].bottom + _STEP * lines[later].size
        for sooner, later in pairwise(inner)
    )
    if not goes_up or any(_in_columns([lines[at] for at in band]) for band in bands):
        return list(lines)
    return [lines[at] for band in bands for at in sorted(band)]


def _bands(lines: Sequence[PdfLine]) -> list[list[int]]:
    """The places of the lines whose heights overlap, from the top of the page."""
    bands: list[list[int]] = []
    lowest = 0.0
    for at in sorted(range(len(lines)), key=lambda at: -lines[at].highest - _TALL * lines[at].size):
        line = lines[at]
        if bands and line.highest + _TALL * line.size > lowest:
            bands[-1].append(at)
        else:
            bands.append([at])
            lowest = line.lowest
        lowest = min(lowest, line.lowest - _DEEP * line.size)
    return bands


def _in_columns(band: Sequence[PdfLine]) -> bool:
    """Whether at least two lines of a band are long and beside each other."""
    long = sorted((line for line in band if len(line.text) >= _TEXT_IN_COLUMN), key=lambda line: line.left)
    return any(one.right <= other.left for one, other in pairwise(long))
