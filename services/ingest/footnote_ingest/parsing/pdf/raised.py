"""Raised and lowered numbers of a PDF page, which PDFium joins with what stands beside them."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from footnote_ingest.parsing.raised_text import lowered, raised

_RUN = re.compile(r"[+\-\u2212]?\d{1,40}|(?:(?<=\d)|(?<=\d\r\n))[a-z](?![^\W_])")
"""A number with its sign; or a letter right behind a number, as in 2ⁿ."""

_BETWEEN = re.compile(r"\s{0,2}[,;/\u2044\u2013]\s{0,2}")
"""What stands between the marks of two notes."""

_FLAT = 0.6
"""Places that differ by at most this many points are at one height, whatever the font."""

_RAISED, _RAISED_SMALL = 0.2, 0.12
"""A raised number stands more than this above its line, in heights of the font; the second, a small one."""

_LOWERED = 0.06
"""A smaller number that stands more than this many heights below its line is an index."""

_MOST_RAISED, _MOST_LOWERED = 0.85, 0.5
"""What stands further off belongs to another line."""

_SMALL, _LEAST, _AS_LARGE = 0.87, 0.3, 1.05
"""A smaller number has at most the first share of the size of its line's font, and at least the second.

A raised number is no larger than its line, to the third.
"""

_BESIDE, _OVERLAP = 0.3, 0.25
"""It begins this many heights of the font behind what stands before it at most, or above its end."""

_BETWEEN_MARKS = 4
"""A comma or a stroke between two raised numbers may make the way this many times as long."""

_LOOKED_AT = 48
"""This many characters before a raised number tell how it is written."""


@dataclass(frozen=True, slots=True)
class CharPlace:
    """Where a character is: its ends along the line, its base line, and the lower edge of what is drawn.

    All are in points, on the page turned upright. `size` is that of its font. `level` says that its line is
    neither turned nor slanted: on such a line each character stands higher than the one before.
    """

    left: float
    right: float
    base: float
    bottom: float
    size: float
    level: bool = True


@dataclass(frozen=True, slots=True)
class RaisedRun:
    """A part of the page's text, what is written for it, and whether it stands right behind other text."""

    start: int
    end: int
    written: str
    joins: bool


HeightOf = Callable[[int], tuple[float, float]]
"""The base line of a character, and the lower edge of what is drawn of it."""

CharPlaceOf = Callable[[int], CharPlace]


@dataclass(frozen=True, slots=True)
class _Raised:
    """A raised run (`up` = 1) or a lowered one (-1), and the character of the line that it stands beside."""

    start: int
    end: int
    up: int
    beside: int


def raised_runs(text: str, height_of: HeightOf, place_of: CharPlaceOf) -> list[RaisedRun]:
    """The raised and lowered numbers of a page's text, in order.

    `height_of` is asked three or four times for each number, and `place_of` only where something is not at
    one height.
    """
    found: list[_Raised] = []
    for run in _RUN.finditer(text):
        start, end = run.span()
        last = found[-1] if found else None
        if last is not None and not _BETWEEN.fullmatch(text, last.end, start):
            last = None
        if last is None and _is_flat(text, start, end, height_of):
            continue
        one = _looked_at(text, start, end, last, place_of)
        if one is None:
            continue
        if last is not None and one.start == start and one.up == last.up > 0:
            found[-1] = _Raised(last.start, one.end, 1, last.beside)
        else:
            found.append(one)
    return [_run(text, one) for one in found]


def _is_flat(text: str, start: int, end: int, height_of: HeightOf) -> bool:
    """Whether a number and what stands right beside it are at one height."""
    at = {start, end - 1}
    before = _before(text, start)
    if before is not None:
        at.add(before)
    elif end < len(text) and not text[end].isspace():
        at.add(end)
    base = None
    for place in at:
        told, bottom = height_of(place)
        base = told if base is None else base
        if abs(told - base) > _FLAT or (text[place].isdecimal() and bottom - told > _FLAT):
            return False
    return True


def _before(text: str, start: int) -> int | None:
    """The last character before a place, if it stands there or at the end of the line before."""
    at = start - 1
    while at >= max(0, start - 2) and text[at].isspace():
        at -= 1
    return at if at >= 0 and not text[at].isspace() else None


def _looked_at(
    text: str, start: int, end: int, last: _Raised | None, place_of: CharPlaceOf
) -> _Raised | None:
    """The part of a number that is raised or lowered against what stands beside it."""
    places = [place_of(at) for at in range(start, end)]
    if not all(place.level for place in places):
        return None
    beside = None
    if last is not None and _is_beside(place_of(last.end - 1), places[0], gap=_BETWEEN_MARKS):
        beside = last.beside
    else:
        before = _before(text, start)
        if before is not None and _is_beside(place_of(before), places[0]):
            beside = before
    if beside is None:
        # The first of its characters that another one is raised or lowered against, or the next letter.
        beside = next((at for at in (start, end - 1) if _turns(places, place_of(at))), None)
        if beside is None and end < len(text) and not text[end].isspace():
            beside = end if _is_beside(places[-1], place_of(end)) else None
    if beside is None:
        return None
    base = place_of(beside)
    if not base.level:
        return None
    ups = [_up(place, base, is_digit=text[start + at].isdecimal()) for at, place in enumerate(places)]
    first = next((at for at, up in enumerate(ups) if up), None)
    if first is None:
        return None
    stop = next((at for at in range(first, len(ups)) if ups[at] != ups[first]), len(ups))
    return _Raised(start + first, start + stop, ups[first], beside)


def _turns(places: Sequence[CharPlace], base: CharPlace) -> bool:
    return any(_up(place, base, is_digit=True) for place in places)


def _is_beside(one: CharPlace, other: CharPlace, gap: float = 1) -> bool:
    size = max(one.size, other.size)
    return -_OVERLAP * size <= other.left - one.right <= gap * _BESIDE * size


def _up(place: CharPlace, base: CharPlace, *, is_digit: bool) -> int:
    """1 for a raised character, -1 for a lowered one."""
    size = base.size
    small = _LEAST * size <= place.size <= _SMALL * size
    # A font may draw its raised digits on the line. Digits of old style reach below it, and none above.
    rise = (max(place.base, place.bottom) if is_digit else place.base) - base.base
    if (_RAISED_SMALL if small else _RAISED) * size < rise <= _MOST_RAISED * size:
        return int(place.size <= _AS_LARGE * size)
    return -1 if small and _LOWERED * size < base.base - place.base <= _MOST_LOWERED * size else 0


def _run(text: str, one: _Raised) -> RaisedRun:
    stands_behind = one.beside < one.start or not text[one.start - 1 : one.start].isspace()
    before = text[max(0, one.start - _LOOKED_AT) : one.start] if stands_behind else ""
    # It may stand behind the end of the line before, but not behind a line further up.
    before = before.rstrip().rpartition("\n")[2]
    after = text[one.end : one.end + 3]
    written = (raised if one.up > 0 else lowered)(
        text[one.start : one.end], before, "" if after[:1].isspace() else after
    )
    return RaisedRun(one.start, one.end, written, bool(before))


class RaisedRuns:
    """The raised and lowered numbers of a page, by their places in its text."""

    def __init__(self, runs: Sequence[RaisedRun]) -> None:
        self._runs = runs
        self._starts = [run.start for run in runs]

    def within(self, start: int, end: int) -> Iterator[RaisedRun]:
        """Those of a part of the text."""
        for run in self._runs[bisect_left(self._starts, start) :]:
            if run.end > end:
                return
            yield run

    def at(self, place: int) -> RaisedRun | None:
        """The one that begins here; None if none does."""
        found = bisect_left(self._starts, place)
        return self._runs[found] if found < len(self._runs) and self._starts[found] == place else None
