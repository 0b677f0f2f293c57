"""Which expressions take time that grows with the square of a text that they meet."""

import math
import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import chain
from typing import Any

from tests.architecture.expressions import parser
from tests.architecture.worst_texts import WorstText, worst_texts

_LENGTHS = (250, 1_000, 4_000)
"""What grows faster than the square shows in a short text, and takes hours for a long one."""
_QUADRATIC = re.compile(r"\s+x")
_CLEARLY_MORE = 0.1
"""Of the time of a quadratic search of the longest text. Some take 0.25 of it."""
_MORE_S = 0.05
"""Of a text shorter than the longest, whose growth is looked at then: the longest may take seconds."""
_FAR_MORE_S = 0.5
_GROWTH = 9
"""A text four times as long costs four times as much, or sixteen times."""
_TRIES = 5
_MOST_CHARACTERS = 40
_OFTEN = "a1A. \n"
_OF_CATEGORY = {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}


@cache
def grows(pattern: "re.Pattern[Any]", how: str) -> bool:
    """Whether the method `how` of this pattern takes time that grows with the square of some text.

    The texts are made for the pattern. Some repeat one character that it names: from each place a search runs
    on to the end.
    """
    return grows_now(pattern, how)


def grows_now(pattern: "re.Pattern[Any]", how: str) -> bool:
    """The same, measured anew."""
    repeated = {WorstText("", character) for character in (*_OFTEN, *named_characters(pattern))}
    return any(_is_slow(pattern, how, text) for text in repeated | worst_texts(pattern))


def _is_slow(pattern: "re.Pattern[Any]", how: str, text: WorstText) -> bool:
    for length in _LENGTHS:
        suspect_s = _clearly_more_s() if length == _LENGTHS[-1] else _MORE_S
        first_s = _seconds(pattern, how, text.of(length))
        if first_s > suspect_s:
            of_quarter_s = _least_seconds(pattern, how, text.of(length // 4), 0)
            enough_s = max(suspect_s, _GROWTH * of_quarter_s)
            if _least_seconds(pattern, how, text.of(length), enough_s, [first_s]) > enough_s:
                return True
    return False


@cache
def _clearly_more_s() -> float:
    """Processors differ, so the limit is measured on this one."""
    return _CLEARLY_MORE * _least_seconds(_QUADRATIC, "search", " " * _LENGTHS[-1], 0)


def _least_seconds(
    pattern: "re.Pattern[Any]", how: str, text: str, enough_s: float, known_s: Iterable[float] = ()
) -> float:
    """`known_s`: what the first tries took, where they have been made."""
    anew = iter(partial(_seconds, pattern, how, text), math.inf)
    return least_of(chain(known_s, anew).__next__, enough_s)


def least_of(seconds: Callable[[], float], enough_s: float) -> float:
    """A busy machine makes some tries too long, and never all of them. One within `enough_s` is the last,
    and the second of two that are far beyond it: one alone may have met a machine that stood still.
    """
    least = math.inf
    for tried in range(_TRIES):
        least = min(least, seconds())
        if least <= enough_s or (tried and least > _FAR_MORE_S):
            break
    return least


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


def _seconds(pattern: "re.Pattern[Any]", how: str, text: Any) -> float:
    if isinstance(pattern.pattern, bytes):
        text = text.encode("utf-8", "ignore")
    call = getattr(pattern, how)
    begun = time.thread_time()
    call(*([text[:0]] if how in ("sub", "subn") else []), text)
    return time.thread_time() - begun
