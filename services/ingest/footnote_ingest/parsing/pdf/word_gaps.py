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

_WORD = re.compile(r"\S+")
_MOST_LOOKED_AT = 5
"""This many of such places are looked at. If there is no space in them, the page has all its spaces."""

_LEAST_GAP = 0.15
"""Words lie apart by more than this, in heights of their font; letters of a word do not."""

_NARROW_GAP, _TOUCHING = 0.08, 0.04
"""A narrow space before a capital, where the letters on both sides touch each other."""

_MOST_CAPITALS = 200
"""This many capitals within words are looked at: more are names of code."""

_LONG_WORD = re.compile(r"[a-z]{10,}")
"""Two words that are joined are one long word. Such words are looked at where a page draws its spaces."""

_MOST_LONG = 40
"""This many long words of a page are looked at."""

_SPREAD, _LEAST_SPREAD = 0.5, 3
"""A run of so many letters or more is spread, as in a title, if more than this share of them lie apart."""

PlaceOf = Callable[[int], tuple[float, float, float]]
"""For the place of a character in the text: where it begins and ends along its line, and its size."""


def word_gaps(text: str, place_of: PlaceOf, *, draws_spaces: bool = False) -> list[int]:
    """The places of the characters that begin a word right behind another one, if there are any.

    `draws_spaces` says that the page has spaces of its own. Then room without one parts words, too: a program
    left it out before a change of font, as groff does.
    """
    told = [found.start() + 3 for found in islice(_JOINED.finditer(text), _MOST_LOOKED_AT)]
    joined = any(_is_gap(place_of(at - 1), place_of(at)) for at in told)
    if not (joined or (draws_spaces and _has_joined(text, place_of))):
        return sorted({*_before_capitals(text, place_of), *_behind_numbers(text, place_of)})
    return [
        at for word in _WORD.finditer(text) for at in _gaps_within(text, word.start(), word.end(), place_of)
    ]


def _has_joined(text: str, place_of: PlaceOf) -> bool:
    """Whether one of the first long words of a page is two."""
    long = islice(_LONG_WORD.finditer(text), _MOST_LONG)
    return any(_gaps_within(text, word.start(), word.end(), place_of) for word in long)


def _gaps_within(text: str, begin: int, end: int, place_of: PlaceOf) -> list[int]:
    """The places in a run of characters that lie apart from those before; none if its letters are spread."""
    places = [place_of(at) for at in range(begin, end)]
    gaps = [begin + at for at, (one, other) in enumerate(pairwise(places), 1) if _is_gap(one, other)]
    letters = sum(text[at - 1].isalpha() and text[at].isalpha() for at in range(begin + 1, end))
    spread = sum(text[at - 1].isalpha() and text[at].isalpha() for at in gaps)
    return [] if letters + 1 >= _LEAST_SPREAD and spread > _SPREAD * letters else gaps


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
