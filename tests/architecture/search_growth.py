"""Which expressions take time that grows with the square of a text, if they are searched for in it."""

import re
import time
from collections.abc import Iterator
from typing import Any

from tests.architecture.expressions import parser

_LENGTH = 4_000
_CLEARLY_MORE_S = 0.012
"""A search that is linear takes 4 ms at most for such a text, and a quadratic one 30 ms at least."""
_TRIES = 5
_MOST_CHARACTERS = 40
_OFTEN = "a1A. \n"
_OF_CATEGORY = {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}


def grows(pattern: "re.Pattern[Any]", how: str) -> bool:
    """Whether the method `how` of this pattern takes clearly more than linear time.

    The texts repeat one character that the pattern names: from each place the search runs on to the end.
    """
    for character in sorted({*_OFTEN, *named_characters(pattern)}):
        text: Any = character * _LENGTH
        if isinstance(pattern.pattern, bytes):
            text = text.encode("utf-8", "ignore")
        # A busy machine makes some tries too long, and never all of them.
        if all(_seconds(getattr(pattern, how), text) > _CLEARLY_MORE_S for _ in range(_TRIES)):
            return True
    return False


def named_characters(pattern: "re.Pattern[Any]") -> list[str]:
    """Characters that the pattern names, by themselves or as the begin of a range; the first ones by code."""
    return sorted(set(_named(parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE))))[:_MOST_CHARACTERS]


def _named(parsed: Any) -> Iterator[str]:
    for kind, value in parsed:
        name = str(kind)
        if name in ("LITERAL", "NOT_LITERAL"):
            yield chr(value)
        elif name == "RANGE":
            yield chr(value[0])
        elif name == "CATEGORY":
            yield _OF_CATEGORY.get(str(value), "-")
        elif name == "IN":
            yield from _named(value)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            yield from _named(value[2])
        elif name == "SUBPATTERN":
            yield from _named(value[3])
        elif name in ("ASSERT", "ASSERT_NOT"):
            yield from _named(value[1])
        elif name == "ATOMIC_GROUP":
            yield from _named(value)
        elif name == "BRANCH":
            for branch in value[1]:
                yield from _named(branch)


def _seconds(search: Any, text: Any) -> float:
    begun = time.process_time()
    search(text)
    return time.process_time() - begun
