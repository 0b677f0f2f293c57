"""Where a cited sentence stands in the file that it was read from: which lines, and how to show them. Pure.

A reader of a format drops its marks, joins lines, and writes a row of a table out. So the sentence is looked
for by its words, and not letter by letter.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_WORD = re.compile(r"\w+")
_RUNS = (24, 12, 6, 3)
"""How many words in a row have to be found, the longest run first."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The first and the last line of a passage, counted from 1."""

    first: int
    last: int


def lines_of(text: str, passage: str) -> Lines | None:
    """The lines of `text` in which the passage stands; None where it has none of the passage's words.

    The first place is taken where a run of the passage's words stands, and with it as much of the passage as
    follows there. Where no run of three words does, it is the line that has most of its words.
    """
    wanted = [word for word, _ in _words(passage)]
    found = list(_words(text))
    for run in _RUNS:
        at = _run_at(found, wanted[:run]) if len(wanted) >= run else None
        if at is not None:
            return Lines(found[at][1], found[_end_of(found, wanted, at)][1])
    return _likest(text, set(wanted))


def shown_lines(text: str, lines: Lines, beside: int) -> Iterator[tuple[int, str, bool]]:
    """Number and text of each line of the passage and of `beside` lines around it, and if it is of it."""
    every = text.splitlines()
    for number in range(max(1, lines.first - beside), min(len(every), lines.last + beside) + 1):
        yield number, every[number - 1], lines.first <= number <= lines.last


def _words(text: str) -> Iterator[tuple[str, int]]:
    """The words, without regard to case, each with the number of its line."""
    for number, line in enumerate(text.splitlines(), 1):
        for word in _WORD.findall(line):
            yield word.casefold(), number


def _run_at(found: list[tuple[str, int]], run: list[str]) -> int | None:
    for at in range(len(found) - len(run) + 1):
        if all(found[at + n][0] == word for n, word in enumerate(run)):
            return at
    return None


def _end_of(found: list[tuple[str, int]], wanted: list[str], at: int) -> int:
    """The last word that still belongs to the passage."""
    n = 1
    while n < len(wanted) and at + n < len(found) and found[at + n][0] == wanted[n]:
        n += 1
    return at + n - 1


def _likest(text: str, wanted: set[str]) -> Lines | None:
    shared = [
        len(wanted & {word.casefold() for word in _WORD.findall(line)}) for line in text.splitlines()
    ] or [0]
    most = max(shared)
    return Lines(shared.index(most) + 1, shared.index(most) + 1) if most else None
