"""The level of a heading that an outline leaves out, by those that look like it or are numbered alike."""

from collections import Counter
from collections.abc import Sequence

from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.numbered import SECTION_NUMBER
from footnote_ingest.parsing.pdf.outline import Outline, named

_LARGER = 1.05
"""A heading that is not bold is larger than the text by this factor, or it looks like the text."""

_Look = tuple[float, bool, bool]


class OutlineLevels:
    """Which levels an outline gives to headings by the depth of their number and by their font.

    `body` is the size of the text.
    """

    def __init__(self, outline: Outline, pages: Sequence[list[PdfLine] | None], body: float) -> None:
        self._body = body
        depths: dict[int, Counter[int]] = {}
        looks: dict[_Look, Counter[int]] = {}
        for page, names in outline.items():
            lines = pages[page - 1] or [] if page <= len(pages) else []
            for at, line in enumerate(lines):
                depth, stands_out = _depth(line), self._stands_out(line)
                level = named(lines, at, names)[1] if depth or stands_out else None
                if level is None:
                    continue
                if depth:
                    depths.setdefault(depth, Counter())[level] += 1
                if stands_out:
                    looks.setdefault(_look(line), Counter())[level] += 1
        self._depths = {depth: seen.most_common(1)[0][0] for depth, seen in depths.items()}
        self._looks = {look: seen.most_common(1)[0][0] for look, seen in looks.items()}

    def of(self, line: PdfLine) -> int | None:
        """The level of the headings that a line is like; None if it is like none."""
        depth = _depth(line)
        if not depth:
            return self._looks.get(_look(line)) if self._stands_out(line) else None
        if depth in self._depths:
            return self._depths[depth]
        higher = max((known for known in self._depths if known < depth), default=None)
        return None if higher is None else self._depths[higher] + depth - higher

    def _stands_out(self, line: PdfLine) -> bool:
        return line.bold or line.size >= _LARGER * self._body


def _look(line: PdfLine) -> _Look:
    return line.size, line.bold, line.italic


def _depth(line: PdfLine) -> int:
    """How many numbers a section number has behind its first one; 0 without such a number."""
    number = SECTION_NUMBER.match(line.text)
    return number[0].rstrip(". ").count(".") if number is not None else 0
