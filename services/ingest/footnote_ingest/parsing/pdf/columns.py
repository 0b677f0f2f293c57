"""The reading order of a page whose columns of running text are drawn line by line across the page.

Most programs draw one column after the other, and such a page is left as it is. This is a cut of the page at
its gutters, as in the XY-cut (Nagy and Seth 1984), with the lines that cross a gutter as level cuts.
"""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median, quantiles

from footnote_ingest.parsing.pdf.lines import PdfLine, joined

_GUTTER, _WIDEST_GUTTER = 0.8, 8.0
"""A gutter is this many heights of the font wide. Between code and comments there may be more room."""

_LEAST_SHARE = 0.2
"""At least this share of the lines stands on each side of a gutter."""

_MOST_ACROSS = (0.1, 0.3)
"""At most this share of the lines crosses a gutter. The page is cut where the fewest do: the first that fits.

A page has few lines across, except the first page of an article, with its title and abstract.
"""

_LEAST_LINES = 6
"""A column of running text has at least this many lines on a page."""

_FULL_LINE_CHARS, _FULL_LINE = 22, 0.7
"""A line fills its column if it has this many characters and takes this share of the width."""

_SAME_WIDTH = 1.2
"""Columns of running text are equally wide, to this factor: code and the comments beside it are not."""

_LEAST_TEXT = 0.5
"""At least this share of the characters in a column of running text is in lines that fill it.

The cells of a table rarely fill their column.
"""

_BESIDE = 0.2
"""A page may be drawn across its columns if this share of its lines stands beside the line before."""

_INTERLEAVED = 0.25
"""A page is drawn across its columns if more than this share of its lines is followed by another column's."""


def interleaved(lines: Sequence[PdfLine]) -> bool:
    """Whether many lines go on beside the line before, not below it."""
    beside = sum(
        one.right < other.left and abs(one.bottom - other.top) < one.size for one, other in pairwise(lines)
    )
    return beside > _BESIDE * len(lines)


def by_columns(lines: Sequence[PdfLine]) -> list[PdfLine] | None:
    """The lines column by column; None if the page has no columns of text or draws them in their order."""
    upright = [line for line in lines if not line.turned]
    gutters = _gutters(upright)
    if not gutters:
        return None
    columns = [_column(line, gutters) for line in upright]
    inside = [column for column in columns if column is not None]
    steps = sum(one != other for one, other in pairwise(inside))
    if steps <= _INTERLEAVED * len(inside):
        return None
    texts = [
        joined([line for line, column in zip(upright, columns, strict=True) if column == number])
        for number in range(len(gutters) + 1)
    ]
    if min(map(len, texts)) < _LEAST_LINES:
        return None
    widths = [_width(text) for text in texts]
    if max(widths) > _SAME_WIDTH * min(widths) or not all(map(_is_text, texts, widths)):
        return None
    ordered: list[PdfLine] = []
    band: list[tuple[int, PdfLine]] = []
    for line in sorted(upright, key=lambda line: -line.top):
        column = _column(line, gutters)
        if column is None:
            ordered += _in_order(band)
            ordered.append(line)
            band = []
        else:
            band.append((column, line))
    return [*ordered, *_in_order(band), *(line for line in lines if line.turned)]


def _in_order(band: Sequence[tuple[int, PdfLine]]) -> list[PdfLine]:
    return [line for _, line in sorted(band, key=lambda one: one[0])]


def _gutters(lines: Sequence[PdfLine]) -> list[float]:
    """The middles of the upright strips that few lines cross, with many lines on both sides."""
    found = (_strips(lines, int(share * len(lines))) for share in _MOST_ACROSS)
    return next((strips for strips in found if strips), [])


def _strips(lines: Sequence[PdfLine], most_across: int) -> list[float]:
    size = median([line.size for line in lines] or [0.0])
    steps = sorted([(line.left, 1) for line in lines] + [(line.right, -1) for line in lines])
    least_lines = _LEAST_SHARE * len(lines)
    over = ended = ended_before = 0
    strips: list[float] = []
    open_at: float | None = None
    for at, step in steps:
        over += step
        ended += step < 0
        sides = min(ended - ended_before, len(lines) - ended - over)
        if over <= most_across and sides >= least_lines:
            open_at = at if open_at is None else open_at
        elif open_at is not None:
            if _GUTTER * size <= at - open_at <= _WIDEST_GUTTER * size:
                strips.append((open_at + at) / 2)
                ended_before = ended
            open_at = None
    return strips


def _column(line: PdfLine, gutters: Sequence[float]) -> int | None:
    """The number of the column that a line stands in; None if it crosses a gutter."""
    if any(line.left < at < line.right for at in gutters):
        return None
    return sum(at <= line.left for at in gutters)


def _width(column: Sequence[PdfLine]) -> float:
    """How wide a column is, without the tenth of its lines that stand out on either side."""
    left = quantiles([line.left for line in column], n=10)
    right = quantiles([line.right for line in column], n=10)
    return right[-1] - left[0]


def _is_text(column: Sequence[PdfLine], width: float) -> bool:
    full = sum(
        len(line.text)
        for line in column
        if len(line.text) >= _FULL_LINE_CHARS and line.right - line.left >= _FULL_LINE * width
    )
    return full >= _LEAST_TEXT * sum(len(line.text) for line in column)
