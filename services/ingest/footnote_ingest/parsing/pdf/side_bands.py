"""Coloured bands down a side of the pages, as slides have them: what returns in one is left out."""

from collections import Counter
from collections.abc import Callable, Sequence

from footnote_ingest.parsing.pdf.found_line import FoundLine
from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.rules import Rule

_AT_EDGE = 1.0
"""A band begins at the edge of the page, to so many points."""

_LEAST_HEIGHT, _MOST_WIDTH = 0.6, 0.3
"""It takes this share of the page's height at least, and that of its width at most."""

_LEAST_RETURNS = 4
"""What stands in a band returns if it is on this many pages, and on half of those with a band."""


Bands = Sequence[tuple[float, float]]
"""From where to where the bands of a page reach, in points from its left edge."""


def side_bands(rules: Sequence[Rule], width: float, height: float) -> list[tuple[float, float]]:
    """The bands of a page of this size, by the upright edges of its boxes."""
    tall = [rule.at for rule in rules if not rule.level and rule.end - rule.start >= _LEAST_HEIGHT * height]
    inner = [at for at in tall if _AT_EDGE < at < width - _AT_EDGE]
    left = [at for at in inner if at <= _MOST_WIDTH * width]
    right = [at for at in inner if at >= (1 - _MOST_WIDTH) * width]
    bands: list[tuple[float, float]] = []
    if left and any(at <= _AT_EDGE for at in tall):
        bands.append((0.0, min(left)))
    if right and any(at >= width - _AT_EDGE for at in tall):
        bands.append((max(right), width))
    return bands


def parted(
    found: Sequence[FoundLine],
    bands: Bands,
    pieces: Callable[[Sequence[FoundLine]], list[FoundLine]],
    reach: Callable[[FoundLine], tuple[float, float]],
) -> tuple[list[FoundLine], list[FoundLine]]:
    """The lines of the text, and what stands in bands beside it.

    PDFium joins both, so lines are looked at in `pieces`; `reach` tells the edges of one.
    """
    if not bands:
        return list(found), []
    outside: list[FoundLine] = []
    inside: list[FoundLine] = []
    for one in found:
        parts = pieces([one])
        edges = [reach(part) for part in parts]
        within = [any(left <= a and b <= right for left, right in bands) for a, b in edges]
        if not any(within):
            outside.append(one)
            continue
        for part, is_inside in zip(parts, within, strict=True):
            (inside if is_inside else outside).append(part)
    return outside, inside


def without_bands(pages: Sequence[list[PdfLine] | None]) -> tuple[list[list[PdfLine] | None], set[str]]:
    """The pages without what returns in their bands, and what that says."""
    told = [{line.text for line in lines or () if line.in_band} for lines in pages]
    seen = Counter(text for texts in told for text in texts)
    enough = max(_LEAST_RETURNS, sum(map(bool, told)) / 2)
    returning = {text for text, count in seen.items() if count >= enough}
    if not returning:
        return list(pages), set()
    return [
        None if lines is None else [line for line in lines if not (line.in_band and line.text in returning)]
        for lines in pages
    ], returning
