"""Headings that only their numbers tell, whatever stands below: "3.2.2 Options" behind "3.2.1 Files".

An item of a list or a figure may have such a number, too, so it has to follow the number of another heading.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.numbered import section_number

_APART = 1.6
"""A heading lies apart from what is above by more than this, in heights of its font."""

_SHORT = 3.0
"""It ends before the text does by more than this, in heights of its font, or it would go on."""

_LEADERS, _LEAST_ENTRIES = ("\u2026", ". ."), 3
"""On a page with so many lines in which dots lead to a number, numbers are those of a table of contents."""

_LEAST_HEADINGS, _LEAST_IN_ORDER = 3, 0.8
"""So many headings there are at least, and this share of what looks like one is in order."""


def numbers_in_order(pages: Sequence[Sequence[PdfLine] | None]) -> dict[int, int]:
    """The ids of the lines whose numbers follow each other, with the depth of the number, from 2."""
    found = [(number, line) for lines in pages for number, line in _numbered(lines or ())]
    times = Counter(number for number, _ in found)
    seen: set[tuple[int, ...]] = set()
    told: dict[int, int] = {}
    for number, line in found:
        if _follows(number, seen):
            seen.add(number)
            # What stands twice is in a table of contents, too, or is no number of a section.
            if times[number] == 1:
                told[id(line)] = len(number)
    is_in_order = len(told) >= _LEAST_HEADINGS and len(told) >= _LEAST_IN_ORDER * len(found)
    return told if is_in_order else {}


def _numbered(lines: Sequence[PdfLine]) -> Iterator[tuple[tuple[int, ...], PdfLine]]:
    """The lines of a page that may be headings within others by their number."""
    if sum(map(_is_entry, lines)) >= _LEAST_ENTRIES:
        return
    edge = max((line.right for line in lines if not line.turned), default=0.0)
    for at, line in enumerate(lines):
        number = section_number(line)
        if (
            len(number) > 1
            and line.right < edge - _SHORT * line.size
            and (at == 0 or not 0 < lines[at - 1].bottom - line.top <= _APART * line.size)
        ):
            yield number, line


def _is_entry(line: PdfLine) -> bool:
    return line.text[-1:].isdigit() and any(dots in line.text for dots in _LEADERS)


def _follows(number: tuple[int, ...], seen: set[tuple[int, ...]]) -> bool:
    """Whether a number is the first one within another, or the next one behind another."""
    *above, last = number
    if last > 1:
        return (*above, last - 1) in seen
    return last == 1 and (len(above) == 1 or tuple(above) in seen)
