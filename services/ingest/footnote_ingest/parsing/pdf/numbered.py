"""Headings of a PDF that are set like the text, such as "3.2 Installation": their numbers tell them.

A single line with a number may be an item of a list or a row of figures. So the lines count only if the
numbers of most of them follow each other as those of sections do.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from footnote_ingest.parsing.pdf.lines import PdfLine

_DIGITS, _BEHIND = r"\d{1,2}", r"\.?[ ]{1,8}(?=\S)"
_NUMBERED = re.compile(rf"({_DIGITS}(?:\.{_DIGITS}){{0,4}}){_BEHIND}")
SECTION_NUMBER = re.compile(rf"{_DIGITS}(?:\.{_DIGITS}){{1,4}}{_BEHIND}")
"""The number of a section within another one, which no item of a list has."""

_SENTENCE_END = re.compile(r"[.,;:!?…][\"'”’)\]]{0,3}$")
_LONGEST = 80
_FULL_LINE = 0.8
"""A heading takes less than this share of the width of the text below it; an item takes more."""

_APART = 1.2
"""A heading lies apart from the text above by more than this, in usual gaps."""

_LEAST_TEXT_BELOW = 40
"""The line below a heading has at least this many characters, or is a heading itself."""

_LEAST_HEADINGS = 3
_LEAST_IN_ORDER = 0.8
"""This many headings there are at least, and this share of them follows the one before."""


def numbers_tell(pages: Iterable[Sequence[PdfLine] | None]) -> int:
    """From which depth on the numbers before lines are those of sections; 0 if they are not.

    All are if they are in order, and on two levels or more. Those of sections within others are if they only
    rise: sections that are found otherwise stand between them.
    """
    numbers = [number for lines in pages for _, number in numbered_lines(lines or ())]
    in_order = sum(_follows(before, number) for before, number in pairwise(numbers))
    inner = [number for number in numbers if len(number) > 1]
    if inner and len(numbers) >= _LEAST_HEADINGS and in_order >= _LEAST_IN_ORDER * (len(numbers) - 1):
        return 1
    rising = sum(before < number for before, number in pairwise(inner))
    return 2 if len(inner) >= _LEAST_HEADINGS and rising == len(inner) - 1 else 0


def numbered_lines(lines: Sequence[PdfLine]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The places of lines that may be headings by their number, with that number."""
    for at, line in enumerate(lines[:-1]):
        number = section_number(line)
        if number and _stands_like_a_heading(lines, at):
            yield at, number


def begins_name(text: str) -> bool:
    """Whether a text begins with a capital, or with a letter of a script that has none, such as Chinese."""
    return text[0].isupper() or (text[0].isalpha() and not text[0].islower())


def section_number(line: PdfLine) -> tuple[int, ...]:
    """The number of a line that reads like a numbered heading; empty for any other."""
    found = _NUMBERED.match(line.text)
    if found is None or line.mono or line.turned or line.is_table:
        return ()
    # A number may lie further from its name than words do.
    if len(line.cells) > 1 + (line.cells[0].text == line.text[: found.end()].rstrip()):
        return ()
    name = line.text[found.end() :]
    is_name = begins_name(name) and len(line.text) <= _LONGEST and _SENTENCE_END.search(name) is None
    return tuple(map(int, found[1].split("."))) if is_name else ()


def _stands_like_a_heading(lines: Sequence[PdfLine], at: int) -> bool:
    line, below = lines[at], lines[at + 1]
    gap = line.bottom - below.top
    if gap <= 0 or below.mono or below.turned or below.is_table:
        return False
    if not section_number(below) and (
        len(below.text) < _LEAST_TEXT_BELOW
        or line.right - line.left >= _FULL_LINE * (below.right - below.left)
    ):
        return False
    following = lines[at + 2] if at + 2 < len(lines) else None
    usual = (
        below.bottom - following.top if following is not None and below.bottom > following.top else line.size
    )
    return at == 0 or lines[at - 1].bottom - line.top > _APART * usual


def _follows(before: tuple[int, ...], number: tuple[int, ...]) -> bool:
    """Whether a section with this number may come next: the first one within, or the next of any level."""
    if number == (*before, 1):
        return True
    depth = len(number)
    return depth <= len(before) and number == (*before[: depth - 1], before[depth - 1] + 1)
