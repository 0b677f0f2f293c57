"""Dates, times of day, weekdays and quarters of a text (spec 2.6). Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from footnote_resolver.verification.words import word_list

_MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug", "september sep sept",
         "october oct", "november nov", "december dec"), start=1,
    )
    for name in names.split()
}  # fmt: skip
MONTH_NAMES = frozenset(_MONTHS)
WEEKDAYS = {
    name: number
    for number, name in enumerate(word_list("monday tuesday wednesday thursday friday saturday sunday"))
}
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:1[5-9]|20|21)\d{2}"
_TH = r"(?:st|nd|rd|th)?"
_MEASURED = r"(?:%|percent\b|[µμmk]?[gl]\b|[cmk]?m\b|ml\b|euros?\b|dollars?\b|[€$£]|(?:day|hour|week|month|year|patient|case|death|unit|item|copie)s?\b|people\b|persons?\b)"
_PATTERNS = (
    re.compile(rf"\b(?P<y>{_YEAR})[-/.](?P<m>\d{{1,2}})[-/.](?P<d>{_DAY})(?!\d)"),
    re.compile(rf"(?<![\d.])(?P<a>\d{{1,2}})(?P<mark>[-/.])(?P<b>\d{{1,2}})(?P=mark)(?P<y>{_YEAR})(?!\d)"),
    re.compile(
        rf"\b(?P<month>{_MONTH})\b\.?\s+(?:the\s+)?(?P<d>{_DAY}){_TH}(?!\d)(?:\s?[-–]\s?(?P<to>{_DAY}){_TH}(?!\d))?(?:,?\s+(?P<y>{_YEAR})\b)?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?<![\d.,])(?:(?P<d>{_DAY}){_TH}\s?(?:[-–]|to|and)\s?)?(?P<to>{_DAY}){_TH}[\s-](?:of\s+)?(?P<month>{_MONTH})\b\.?(?:[,-]?\s*(?P<y>{_YEAR})\b)?",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?P<month>{_MONTH})\b\.?,?\s+(?:of\s+)?(?P<y>{_YEAR})\b", re.IGNORECASE),
    # Alone a month must be written as a name, and `May` and `March` must stand where no verb stands.
    re.compile(
        rf"(?<=\b(?:in|of|by|to|on)\s)(?P<month>May|March|Mar)\b|\b(?P<other>(?:{'|'.join(name.title() for name in _MONTHS if name not in ('may', 'march', 'mar'))}))\b\.?"
    ),
    re.compile(
        rf"(?<![\w.,/$€£])(?:\b(?:mid|pre|post|early|late|circa|ca)[-. ])?(?P<y>{_YEAR})(?:s|'s|’s)?(?![\w%]|[.,]\d{{3}}|[.]\d|\s?{_MEASURED})",
        re.IGNORECASE,
    ),
)
_TIME = re.compile(
    r"\b(?P<h>[01]?\d|2[0-3])[:.](?P<min>[0-5]\d)(?:\s?(?P<half>[ap])\.?m\b\.?)?(?!\d)|\b(?P<hour>1[0-2]|0?[1-9])\s?(?P<halfday>[ap])\.?m\b\.?|\b(?P<noon>noon|midnight)\b",
    re.IGNORECASE,
)
_QUARTER = re.compile(r"\bQ([1-4])\b|\b(first|second|third|fourth|last)[\s-]quarter\b", re.IGNORECASE)
_WEEKDAY = re.compile(rf"\b({'|'.join(WEEKDAYS)})s?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Day:
    """A date as far as it is written: any of its parts may be unknown. `or_swapped`: 3/10 may be either month."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    or_swapped: bool = False

    @property
    def parts(self) -> int:
        return sum(part is not None for part in (self.year, self.month, self.day))

    def readings(self) -> "tuple[Day, ...]":
        if not self.or_swapped:
            return (self,)
        return (Day(self.year, self.month, self.day), Day(self.year, self.day, self.month))


@dataclass(frozen=True, slots=True)
class Moments:
    """All of a text's moments; `rest` is the text without them."""

    days: frozenset[Day]
    times: frozenset[int]
    """Minutes of the day."""
    weekdays: frozenset[int]
    quarters: frozenset[int]
    rest: str


def moments(text: str) -> Moments:
    """Read them out of a text."""
    days: set[Day] = set()

    def day(match: re.Match[str]) -> str:
        found = _days(match)
        if not found:
            return match.group()
        days.update(found)
        return " " * len(match.group())

    for pattern in _PATTERNS[:2]:
        text = pattern.sub(day, text)
    times: set[int] = set()

    def time(match: re.Match[str]) -> str:
        minutes = _minutes(match)
        if minutes is None:
            return match.group()
        times.add(minutes)
        return " " * len(match.group())

    text = _TIME.sub(time, text)
    for pattern in _PATTERNS[2:]:
        text = pattern.sub(day, text)
    quarters = {int(q) if q else _QUARTERS[word.lower()] for q, word in _QUARTER.findall(text)}
    text = _QUARTER.sub(" ", text)
    weekdays = {WEEKDAYS[name.lower()] for name in _WEEKDAY.findall(text)}
    return Moments(frozenset(days), frozenset(times), frozenset(weekdays), frozenset(quarters), text)


def together(many: Iterable[Moments]) -> Moments:
    """Those of several texts."""
    parts = list(many)
    return Moments(
        frozenset(day for part in parts for day in part.days),
        frozenset(time for part in parts for time in part.times),
        frozenset(weekday for part in parts for weekday in part.weekdays),
        frozenset(quarter for part in parts for quarter in part.quarters),
        "",
    )


def missing_days(wanted: Moments, given: Moments) -> list[tuple[Day, bool]]:
    """The dates that are not given, each with whether another one stands in its stead.

    Year and day may be given apart: `March 10` here and `2026` there are `March 10, 2026`.
    """
    if not wanted.days:
        return []
    held = [reading for day in given.days for reading in day.readings()]
    return [(day, _contradicted(day, held)) for day in wanted.days if not _held(day, held)]


def _held(wanted: Day, held: list[Day]) -> bool:
    for reading in wanted.readings():
        for day in held:
            parts = [(w, g) for w, g in _pairs(reading, day) if w is not None]
            if all(w == g for w, g in parts):
                return True
            if all(g is None or w == g for w, g in parts) and (day.month or reading.month is None):
                year, month, number = (w if g is None else None for w, g in _pairs(reading, day))
                left = Day(year, month, number)
                if left.parts == 1 and left.year and any(other.year == left.year for other in held):
                    return True
    return False


def _contradicted(wanted: Day, held: list[Day]) -> bool:
    """Whether a date of as much is given that differs."""
    return any(
        any(w is not None and g is not None for w, g in _pairs(reading, day))
        and any(w is not None and g is not None and w != g for w, g in _pairs(reading, day))
        for reading in wanted.readings()
        for day in held
    )


def _pairs(one: Day, other: Day) -> tuple[tuple[int | None, int | None], ...]:
    return (one.year, other.year), (one.month, other.month), (one.day, other.day)


def _days(match: re.Match[str]) -> list[Day]:
    parts = match.groupdict()
    year = int(parts["y"]) if parts.get("y") else None
    if parts.get("a"):
        first, second = int(parts["a"]), int(parts["b"])
        if second > 12 >= first and second <= 31:
            return [Day(year, first, second)]
        if not (1 <= second <= 12 and 1 <= first <= 31):
            return []
        return [Day(year, second, first, or_swapped=first <= 12 and first != second and parts["mark"] == "/")]
    name = parts.get("month") or parts.get("other")
    month = _MONTHS[name.lower()] if name else int(parts["m"]) if parts.get("m") else None
    if month is not None and not 1 <= month <= 12:
        return []
    found = [int(parts[key]) for key in ("d", "to") if parts.get(key)]
    return [Day(year, month, day) for day in found] or [Day(year, month)]


def _minutes(match: re.Match[str]) -> int | None:
    parts = match.groupdict()
    if parts["noon"]:
        return 720 if parts["noon"].lower() == "noon" else 0
    if parts["hour"]:
        return (int(parts["hour"]) % 12 + (12 if parts["halfday"].lower() == "p" else 0)) * 60
    # Without a colon or am and pm it is a decimal number.
    if "." in match.group() and not parts["half"] and ":" not in match.group():
        return None
    hour = int(parts["h"])
    if parts["half"]:
        hour = hour % 12 + (12 if parts["half"].lower() == "p" else 0)
    return hour * 60 + int(parts["min"])
