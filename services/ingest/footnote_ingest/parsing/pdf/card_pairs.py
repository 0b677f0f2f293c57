"""Rows of two cells at the same two places all over a PDF page, as on a card of reference.

There a group below a heading may be of two rows, and what a command does may be said at length before it. One
such group looks like much else, so the page tells it.
"""

import re
from collections import Counter
from collections.abc import Sequence

from footnote_ingest.parsing.pdf.lines import PdfLine

_PLACE = 2.0
"""Cells that begin in the same stripe of so many points, or in the next one, begin at one place."""

_LEAST_ROWS, _LEAST_DENSE, _LEAST_SHARE = 12, 0.3, 0.7
"""So many rows tell the places, if all such are this share of the lines of a page.

The last share of the lines of a group has two cells, and of these it keeps to them.
"""

_MOST_LEVEL = 0.5
"""At most this share of the first cells ends at one place: those of two columns of text do."""

_NAME, _WORDS, _LEAST_WORDS = re.compile(r"[^;={}]*$"), re.compile(r"\W{0,3}[^\W\d_]{2}"), 0.7
"""This share of the cells of one side is of words. Those of the first one have no signs of code."""

_COMMENT = re.compile(r"[/#%]")
_REFERENCE, _MOST_REFERENCES = re.compile(r"[\d?][\d?, \u2013-]{0,40}$|[\[(<].{1,40}[\])>]$"), 0.3
"""At most this share of the second cells is of page numbers, as in an index, or in brackets, as a kind is."""

_LINE_NUMBER = re.compile(r"\d{1,5}$")
"""What the first cells of a listing are: the numbers of its lines."""

_LEAST_OTHERS = 0.5
"""This share of the second cells differ: "Function" may stand beside each name."""


class CardPairs:
    """The places of such rows on a page with these lines."""

    def __init__(self, lines: Sequence[PdfLine]) -> None:
        pairs = [line for line in lines if len(line.cells) == 2 and not (line.turned or line.is_table)]
        seen = Counter(map(_place, pairs))
        ends = Counter((*_place(line), round(line.cells[0].right / _PLACE)) for line in pairs)
        level = Counter[tuple[int, int]]()
        for (left, second, _), count in ends.items():
            level[left, second] = max(level[left, second], count)
        told = {
            place
            for place, count in seen.items()
            if count >= _LEAST_ROWS and level[place] <= _MOST_LEVEL * count
        }
        dense = sum(seen[place] for place in told) >= _LEAST_DENSE * len(lines)
        near = (-1, 0, 1)
        self._places = {
            (left + over, second + beside)
            for left, second in (told if dense else ())
            for over in near
            for beside in near
        }

    def hold(self, lines: Sequence[PdfLine]) -> bool:
        """Whether these lines are a group of such rows, one side of which is of words."""
        rows = [line for line in lines if len(line.cells) > 1] if self._places else []
        kept = [line for line in rows if _place(line) in self._places]
        first, second = [line.cells[0].text for line in kept], [line.cells[1].text for line in kept]
        words = (
            sum(bool(_WORDS.match(text) and _NAME.match(text)) for text in first),
            sum(bool(_WORDS.match(text) and not _COMMENT.match(text)) for text in second),
        )
        return (
            bool(kept)
            and len(kept) >= _LEAST_SHARE * len(rows)
            and len(rows) >= _LEAST_SHARE * len(lines)
            and sum(map(bool, map(_LINE_NUMBER.match, first))) <= _MOST_REFERENCES * len(kept)
            and max(words) >= _LEAST_WORDS * len(kept)
            and len(set(second)) > _LEAST_OTHERS * len(kept)
            and sum(map(bool, map(_REFERENCE.match, second))) <= _MOST_REFERENCES * len(kept)
        )


def _place(line: PdfLine) -> tuple[int, int]:
    return round(line.left / _PLACE), round(line.cells[1].left / _PLACE)
