"""Heads and feet of pages in a text that has blank lines between its pages, as printers of lines had it.

They come again after the same number of lines, so nothing else has to be known of them.
"""

import re
from collections import Counter, defaultdict
from itertools import pairwise
from typing import NamedTuple

_ALONE = re.compile(r"\n[ \t]*\n[ \t]*(\S[^\n]{2,150})(?=\n[ \t]*\n)")
_LAST_NUMBER = re.compile(r"\d{1,5}(?=[\s\])-]{0,3}$)")
_LEAST_PAGES = 4
_PAGE_LINES = range(40, 121)
"""A page of a printer has so many lines."""

_ROOM = 2_000
"""Foot and head have no more room between them than this many blanks and line breaks."""

_REGULAR_SHARE = 0.8
"""This share of the lines between two of them is one number: a page may be cut short."""


class _Line(NamedTuple):
    """A line that stands alone: where its words begin and end, where it ends, and its number."""

    start: int
    said_end: int
    end: int
    number: int


def with_page_breaks(text: str) -> str:
    """The text with a form feed in the place of a line break at each page, if it has pages and no such sign.

    It stands between the foot of a page and the head of the next one, so that each is at the edge of a page.
    """
    if "\f" in text or text.count("\n") < _LEAST_PAGES * _PAGE_LINES.start:
        return text
    running = [lines for lines in _alike(text).values() if len(lines) >= _LEAST_PAGES and _is_regular(lines)]
    if not running:
        return text
    parting = max(running, key=len)
    ends = {line.said_end for lines in running if lines is not parting for line in lines}
    parts: list[str] = []
    done = 0
    for line in parting:
        place = _place(text, line, ends)
        parts += [text[done:place], "\f"]
        done = place + 1
    return "".join((*parts, text[done:]))


def _alike(text: str) -> dict[str, list[_Line]]:
    """The lines that stand alone, by what they say but for the number at their end."""
    found: defaultdict[str, list[_Line]] = defaultdict(list)
    number = at = 0
    for line in _ALONE.finditer(text):
        start, end = line.span(1)
        number += text.count("\n", at, start)
        at = start
        key = " ".join(_LAST_NUMBER.sub("\0", line[1]).split())
        found[key].append(_Line(start, start + len(line[1].rstrip()), end, number))
    return found


def _place(text: str, line: _Line, ends: set[int]) -> int:
    """Where the break of a page stands: above a line that another running line stands above, else below."""
    begin = text.rfind("\n", 0, line.start)
    first = max(0, begin - _ROOM)
    above = first + len(text[first:begin].rstrip())
    return begin if above in ends else line.end


def _is_regular(lines: list[_Line]) -> bool:
    """Whether the lines stand a page apart from each other."""
    gaps = Counter(following.number - line.number for line, following in pairwise(lines))
    lines_of_page, often = gaps.most_common(1)[0]
    return lines_of_page in _PAGE_LINES and often >= _REGULAR_SHARE * gaps.total()
