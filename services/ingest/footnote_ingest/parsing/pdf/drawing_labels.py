"""Labels of drawings, which may be as large and bold as headings: they stand between the numbers of axes.

A plot draws its words one after another, so its lines follow each other: its name, its numbers, its axes.
"""

import re
from collections.abc import Iterator, Sequence

from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.numbered import SECTION_NUMBER

_VALUE = re.compile(r"[-+\u2212\u2013]?\d{0,12}[.,]?\d{1,12}(?:e[-+]?\d{1,3})?%?")
_LONGEST = 60
"""A label has at most so many characters; the numbers of an axis may have more."""

_LEAST_AXES, _LEAST_VALUES = 2, 4
"""A drawing has so many lines that are only numbers, and so many numbers in them."""

_Look = tuple[float, bool, bool, bool]


def drawing_labels(pages: Sequence[list[PdfLine] | None]) -> frozenset[int]:
    """The ids of the lines that are labels of drawings: within the numbers, or in a font of their own.

    A heading that stands right above a drawing looks like others elsewhere, so it is none of them, nor is one
    with the number of a section.
    """
    within: set[int] = set()
    edges: list[PdfLine] = []
    looks: set[_Look] = set()
    for lines in pages:
        inside: set[int] = set()
        for run in _drawings(lines or ()):
            drawn = (lines or [])[run.start : run.stop]
            axes = [at for at, line in enumerate(drawn) if _values(line)]
            edges += drawn
            within |= {id(line) for line in drawn[axes[0] : axes[-1]] if not _is_numbered(line)}
            inside.update(run)
        looks |= {_look(line) for at, line in enumerate(lines or ()) if at not in inside}
    return frozenset(
        within | {id(line) for line in edges if _look(line) not in looks and not _is_numbered(line)}
    )


def _drawings(lines: Sequence[PdfLine]) -> Iterator[range]:
    """The runs of lines of a page that are those of drawings."""
    at = 0
    while at < len(lines):
        end, axes, values = at, 0, 0
        while end < len(lines):
            count = _values(lines[end])
            if not (count or _may_be_label(lines[end])):
                break
            axes, values = axes + bool(count), values + count
            end += 1
        if axes >= _LEAST_AXES and values >= _LEAST_VALUES:
            yield range(at, end)
        at = max(end, at + 1)


def _values(line: PdfLine) -> int:
    """How many numbers a line is made of; 0 if there are words, too."""
    words = () if line.is_table or line.mono else line.text.split()
    return len(words) if all(_VALUE.fullmatch(word) for word in words) else 0


def _may_be_label(line: PdfLine) -> bool:
    return not (line.is_table or line.mono) and len(line.text) <= _LONGEST


def _is_numbered(line: PdfLine) -> bool:
    return SECTION_NUMBER.match(line.text) is not None and _values(line) == 0


def _look(line: PdfLine) -> _Look:
    return line.size, line.bold, line.italic, line.sans
