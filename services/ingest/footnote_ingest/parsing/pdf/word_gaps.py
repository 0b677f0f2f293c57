"""Spaces between words that PDFium does not see: groff and some printer drivers draw none and move on."""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import islice, pairwise

_JOINED = re.compile(r"[a-z]{2}[.,][A-Z][a-z]")
"""Two words that may be joined, as in "awk.It"; in "java.Util" nothing lies between them."""

_CAPITAL = re.compile(r"(?<=[a-z]{2})[A-Z](?=[a-z]{2})")
"""A word may begin at such a letter, as in "QuickReference"; in "JavaScript" nothing lies before it."""

_NUMBERED_NAME = re.compile(r"^\d{1,2}(?:\.\d{1,2}){1,4}(?=[A-Z][A-Za-z]{2})", re.M)
"""The number of a section may stand right before its name, as in "5.13Basic"."""

_MOST_LOOKED_AT = 5
"""This many of such places are looked at. If there is no space in them, the page has all its spaces."""

_LEAST_GAP = 0.15
"""Words lie apart by more than this, in heights of their font; letters of a word do not."""

_NARROW_GAP, _TOUCHING = 0.08, 0.04
"""A narrow space before a capital, where the letters on both sides touch each other."""

_MOST_CAPITALS = 200
"""This many capitals within words are looked at: more are names of code."""

PlaceOf = Callable[[int], tuple[float, float, float]]
"""For the place of a character in the text: where it begins and ends along its line, and its size."""


def word_gaps(text: str, place_of: PlaceOf) -> list[int]:
    """The places of the characters that begin a word right behind another one, if there are any."""
    told = [found.start() + 3 for found in islice(_JOINED.finditer(text), _MOST_LOOKED_AT)]
    if not any(_is_gap(place_of(at - 1), place_of(at)) for at in told):
        return sorted({*_before_capitals(text, place_of), *_behind_numbers(text, place_of)})
    gaps: list[int] = []
    before: tuple[float, float, float] | None = None
    for at, char in enumerate(text):
        if char.isspace():
            before = None
            continue
        place = place_of(at)
        if before is not None and _is_gap(before, place):
            gaps.append(at)
        before = place
    return gaps


def _before_capitals(text: str, place_of: PlaceOf) -> list[int]:
    """The places of the capitals that begin a word, if one of the first ones on the page does."""
    gaps: list[int] = []
    for number, found in enumerate(islice(_CAPITAL.finditer(text), _MOST_CAPITALS)):
        if number >= _MOST_LOOKED_AT and not gaps:
            break
        before, after, last = map(place_of, (found.start() - 1, found.start(), found.end()))
        size = after[2]
        if _NARROW_GAP * size < after[0] - before[1] <= size and abs(last[0] - after[1]) < _TOUCHING * size:
            gaps.append(found.start())
    return gaps


def _behind_numbers(text: str, place_of: PlaceOf) -> list[int]:
    """The places of the names of sections that a narrow space parts from their numbers."""
    gaps: list[int] = []
    for found in islice(_NUMBERED_NAME.finditer(text), _MOST_CAPITALS):
        before, after = place_of(found.end() - 1), place_of(found.end())
        if _NARROW_GAP * after[2] < after[0] - before[1] <= after[2]:
            gaps.append(found.end())
    return gaps


def _is_gap(before: tuple[float, float, float], place: tuple[float, float, float]) -> bool:
    return place[0] - before[1] > _LEAST_GAP * before[2]


def with_spaces(text: str, first: int, gaps: Sequence[int]) -> str:
    """A piece of the text that begins at `first`, with a space in each gap."""
    begin = bisect_left(gaps, first + 1)
    end = bisect_left(gaps, first + len(text))
    if begin == end:
        return text
    cuts = [0, *(at - first for at in gaps[begin:end]), len(text)]
    return " ".join(text[one:other] for one, other in pairwise(cuts))
