"""Rules that part the head of a table from its rows, or its first column from the next, without a frame.

So LaTeX sets `\\begin{tabular}{l|l}` and a table with one line below its head.
"""

from collections.abc import Sequence

from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.rules import Rule

_SAME_EDGE = 6.0
"""A rule below a head begins and ends as far as its words do, to so many points."""

_LEAST_PARTED = 0.8
"""An upright rule stands between the first two cells of this share of the rows."""


class ColumnRules:
    """The rules of a page, which is turned so that its text is upright."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._levels = [rule for rule in rules if rule.level]
        self._uprights = [rule for rule in rules if not rule.level]

    def part(self, lines: Sequence[PdfLine], *, first: bool) -> bool:
        """Whether a rule parts the first of some lines from the next, or the first cells from the second.

        The former only tells a head where no row stands above the lines, which then are the `first`.
        """
        rows = [line for line in lines if len(line.cells) > 1]
        if len(rows) < 2 or not (self._levels or self._uprights):
            return False
        return (first and self._below_head(rows[0], rows[1])) or self._between_cells(rows)

    def _below_head(self, head: PdfLine, row: PdfLine) -> bool:
        right = max(head.right, row.right)
        return any(
            row.top < rule.at < head.bottom
            and rule.start <= head.left + _SAME_EDGE
            and rule.end >= head.cells[1].right - _SAME_EDGE
            and rule.end <= right + (right - head.left)
            for rule in self._levels
        )

    def _between_cells(self, rows: Sequence[PdfLine]) -> bool:
        parted = sum(
            any(
                rule.start <= row.bottom + row.size
                and row.bottom <= rule.end
                and row.cells[0].right <= rule.at <= row.cells[1].left
                for rule in self._uprights
            )
            for row in rows
        )
        return parted >= _LEAST_PARTED * len(rows)
