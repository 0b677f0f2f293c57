"""The titles of slides: what stands above all else, larger than it or where other pages have theirs.

On slides most sizes are as frequent as any other, so the text of the whole document tells little about one.
"""

from collections import Counter
from collections.abc import Sequence
from statistics import median_low

import pypdfium2 as pdfium

from footnote_ingest.parsing.pdf.asides import names_figure
from footnote_ingest.parsing.pdf.bold_headings import WORD
from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.never_names import names_nothing
from footnote_ingest.parsing.pdf.outline import HEADING_LINES, LONGEST_HEADING

_WIDE = 1.2
"""A slide is wider than high by this factor."""

_MOST_CHARS = 1_000
"""Half of the slides have at most so many characters. Pages of wide tables and of two columns have more."""

_LARGER = 1.1
"""A title is larger than all else on its slide by this factor."""

_LEAST_NAMES, _LEAST_SHARE = 3, 0.25
"""Or so many titles have its height and its look, and this share of what stands first on pages."""

_MOST_ALIKE = 0.6
"""Then at most this share of the other text of its slide looks like it."""

_SMALL, _MOST_SMALL = 0.85, 3
"""Above a title may stand so many lines that are smaller than this, in sizes of the page's text."""

_NEXT_LINE = 1.5
"""Lines of one title are no further apart than this, in heights of their font."""

_SENTENCE_END = (".", ",", ";")

_Look = tuple[float, bool, bool, tuple[int, ...]]


def are_wide(document: pdfium.PdfDocument) -> bool:
    """Whether most pages are wider than high, as slides are. A page without a size is not."""
    wide = 0
    for index in range(len(document)):
        try:
            width, height = document.get_page_size(index)
        except pdfium.PdfiumError:
            continue
        wide += width > _WIDE * height
    return 2 * wide > len(document)


class SlideTitles:
    """Finds the title of each page of a document whose pages may be slides."""

    def __init__(self, pages: Sequence[list[PdfLine] | None], *, wide: bool) -> None:
        chars = [sum(len(line.text) for line in lines) for lines in pages if lines]
        self._are_slides = wide and bool(chars) and median_low(chars) <= _MOST_CHARS
        first = [_first(lines) for lines in pages if lines and self._are_slides]
        # A slide that is shown in steps, a page each, has its first line on all of them.
        texts = {(_place(group[0]), group[0].text) for group in first if group}
        seen = Counter(place for place, _ in texts)
        enough = max(_LEAST_NAMES, _LEAST_SHARE * len(texts))
        usual = _usual_look(pages)
        # What begins in a colour of its own is an item of a list.
        self._places = {
            place
            for place, count in seen.items()
            if count >= enough and place[-1] != usual and len(place[-1][-1]) == 1
        }

    def title(self, lines: Sequence[PdfLine]) -> range | None:
        """The places of the lines of the title of a page; None if it has none."""
        group = _first(lines) if self._are_slides else []
        if not group:
            return None
        at = next(at for at, line in enumerate(lines) if line is group[0])
        text = " ".join(line.text for line in group)
        others = [line for line in lines if line.text and not any(line is one for one in group)]
        is_name = (
            len(text) <= LONGEST_HEADING
            and WORD.search(text) is not None
            and not text.endswith(_SENTENCE_END)
            and not (names_figure(group[0]) or names_nothing(text))
        )
        return range(at, at + len(group)) if is_name and self._stands_out(group[0], others) else None

    def _stands_out(self, line: PdfLine, others: Sequence[PdfLine]) -> bool:
        upright = [one for one in others if not (one.turned or one.is_table)]
        if upright and line.size >= _LARGER * max(one.size for one in upright):
            return True
        alike = sum(len(one.text) for one in upright if _look(one) == _look(line))
        return _place(line) in self._places and alike <= _MOST_ALIKE * sum(len(one.text) for one in others)


def below_title(levels: Sequence[int | None], title: range) -> list[int | None]:
    """The levels of the lines of a slide, on which nothing is above its title."""
    top = levels[title.start]
    return [
        level if level is None or top is None or at in title else max(level, top + 1)
        for at, level in enumerate(levels)
    ]


def _usual_look(pages: Sequence[list[PdfLine] | None]) -> _Look | None:
    """The look of most of the text of a document; None without text."""
    chars = Counter[_Look]()
    for line in (line for lines in pages for line in lines or () if not line.is_table):
        chars[_look(line)] += len(line.text)
    return chars.most_common(1)[0][0] if chars else None


def _first(lines: Sequence[PdfLine]) -> list[PdfLine]:
    """The highest lines of a page that go on in one font; empty where a table or code stands first."""
    sizes = Counter[float]()
    for line in lines:
        if not (line.turned or line.is_table):
            sizes[line.size] += len(line.text)
    if not sizes:
        return []
    text = sizes.most_common(1)[0][0]
    above = sorted(range(len(lines)), key=lambda at: -lines[at].highest)[: _MOST_SMALL + 1]
    at = next((at for at in above if lines[at].size >= _SMALL * text), None)
    if at is None or lines[at].is_table or lines[at].turned or lines[at].mono:
        return []
    end = at + 1
    while end < min(len(lines), at + HEADING_LINES) and _goes_on(lines[end - 1], lines[end]):
        end += 1
    return list(lines[at:end])


def _goes_on(above: PdfLine, line: PdfLine) -> bool:
    near = 0 < above.bottom - line.top <= _NEXT_LINE * line.size
    return near and not line.is_table and _look(above) == _look(line)


def _place(line: PdfLine) -> tuple[int, _Look]:
    return round(line.top), _look(line)


def _look(line: PdfLine) -> _Look:
    return line.size, line.bold, line.italic, line.colours
