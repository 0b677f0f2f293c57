"""Lines of marks in a plain text: they underline headings and part sections, and say nothing themselves."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_RULE = re.compile(r"[ \t]{0,80}([=\-~*#_])\1{9,200}[ \t]{0,80}(?=\n|\Z)")
_MARKS = frozenset(" \t=-~*#_")
"""A line that parts a text, and how it ends."""

_SAID = re.compile(r"[^\W_]")


class WithoutRules(NamedTuple):
    """Where a block begins and ends without the lines of marks around it, and where these stand."""

    start: int
    end: int
    rules: list[tuple[int, int]]


def rules_around(text: str, start: int, end: int) -> WithoutRules:
    """The lines of one mark above and below the words of a block. Of a block of nothing else none is left."""
    if text[start] not in _MARKS and text[end - 1] not in _MARKS:
        return WithoutRules(start, end, [])
    rules: list[tuple[int, int]] = []
    while start < end and (rule := _RULE.match(text, start, end)) is not None:
        rules.append((start, rule.end()))
        start = rule.end() + 1
    while start < end:
        last = text.rfind("\n", start, end) + 1
        if not last or _RULE.fullmatch(text, last, end) is None:
            break
        rules.append((last, end))
        end = last - 1
    return WithoutRules(start, end, rules)


def lines_of_marks(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The lines of a heading that say nothing."""
    while start < end:
        line_end = text.find("\n", start, end)
        line_end = line_end if line_end >= 0 else end
        if line_end > start and _SAID.search(text, start, line_end) is None:
            yield start, line_end
        start = line_end + 1


def without_rules(text: str, rules: Iterable[tuple[int, int]]) -> str:
    """The text with blanks in the place of these lines; all else keeps its place."""
    parts: list[str] = []
    done = 0
    for start, end in sorted(rules):
        parts += [text[done:start], " " * (end - start)]
        done = end
    return "".join((*parts, text[done:])) if parts else text
