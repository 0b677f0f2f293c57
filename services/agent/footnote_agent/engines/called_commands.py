"""Commands as a manual lists them: how each is called on one line, and below it what it does. Pure."""

import re
from collections.abc import Sequence

_CALLED = re.compile(
    r"[A-Za-z][\w.-]{0,39}(?: (?:[\w.-]{1,30}|<[^<>]{1,40}>|\[[^\[\]]{1,60}\]|\{[^{}]{1,60}\})\]?){0,9}"
)
FEWEST_PAIRS, FEWEST_PLACED = 3, 2
"""Commands with their meaning, each on a line, that are entries, and those with a place, at least."""

FIRST_PLACED = 4
"""The first of them with a place is among this many."""

_OPTIONAL = re.compile(r"\[[^\[\]]{1,60}\]")
_PLACE = re.compile(r" [<\[{]")
"""What stands before what a person puts in: `unban <IP>`, `passwordeval [cmd]`."""

_FEWEST_SAID = 2
"""Words that say what a command does, at least."""

_ENDS = (".", "!", "?", ":", ";", "。", ",")


def called_at(lines: Sequence[str], at: int) -> list[tuple[int, int]]:
    """Commands as they are called, each on a line above the one that says what it does.

    Some name what is to be put in: else any lines of a list may be pairs.
    """
    found: list[tuple[int, int]] = []
    placed = 0
    while at + 1 < len(lines) and _is_called(lines[at]) and len(lines[at + 1].split()) >= _FEWEST_SAID:
        placed += is_called_with(lines[at])
        found.append((at, at + 2))
        at += 2
        if not placed and len(found) == FIRST_PLACED:
            return []
    return found if len(found) >= FEWEST_PAIRS and placed >= FEWEST_PLACED else []


def _is_called(line: str) -> bool:
    return _CALLED.fullmatch(line) is not None and not line.endswith(_ENDS)


def is_called_with(line: str) -> bool:
    """Whether a line is a command with a place for what is put in."""
    return _PLACE.search(line) is not None and _is_called(line)


def without_options(call: str) -> str:
    """How a command is called, without what may be left out."""
    return _OPTIONAL.sub(" ", call)
