"""Dates, times of day, weekdays and quarters of a text (spec 2.6). Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from footnote_resolver.verification.languages import MONTHS as FOREIGN_MONTHS

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep sept",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
_NAMES = {number: name for name, number in reversed(_MONTHS.items())}
"""The longest name of each month."""
MONTH_NAMES = frozenset(_MONTHS)
WEEKDAYS = {
    "monday": 0,
    "tuesday": 1,
    "wednesday": 2,
    "thursday": 3,
    "friday": 4,
    "saturday": 5,
    "sunday": 6,
}
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}
_VERBS = ("may", "march", "mar")
"""Months whose names are other words as well."""
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_LONE_MONTH = "|".join(name.title() for name in _MONTHS if name not in _VERBS)
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:1[5-9]|20|21)\d{2}"
_TH = r"(?:st|nd|rd|th)?"
_MEASURES = (
    "%",
    r"percent\b",
    r"[µμmk]?[gl]\b",
    r"[cmk]?m\b",
    r"ml\b",
    r"euros?\b",
    r"dollars?\b",
    "[€$£]",
    r"(?:day|hour|week|month|year|patient|case|death|unit|item|copie)s?\b",
    r"people\b",
    r"persons?\b",
)
"""What stands behind a number that is no year."""
_NO_YEAR = rf"(?![\w%]|[.,]\d{{3}}|[.]\d|\s?(?:{'|'.join(_MEASURES)}))"
_FOREIGN = re.compile(
    rf"\b(?P<d>{_DAY})(?:\.|er|º)?\s+(?:de\s+)?(?P<month>{'|'.join(FOREIGN_MONTHS)})\b\.?"
    r"(?:\s+(?:del?\s+)?(?=\d{4}\b))?"
    rf"|\b(?P<lone>{'|'.join(FOREIGN_MONTHS)})\s+(?:del?\s+)?(?={_YEAR}\b)",
    re.IGNORECASE,
)
"""A month of another language beside a day or a year; alone, many are other words as well."""
_NUMERIC = (
    re.compile(rf"\b(?P<y>{_YEAR})[-/.](?P<m>\d{{1,2}})[-/.](?P<d>{_DAY})(?!\d)"),
    re.compile(rf"(?<![\d.])(?P<a>\d{{1,2}})(?P<mark>[-/.])(?P<b>\d{{1,2}})(?P=mark)(?P<y>{_YEAR})(?!\d)"),
)
_WRITTEN = (
    # March 10-12, 2026
    re.compile(
        rf"\b(?P<month>{_MONTH})\b\.?\s+(?:the\s+)?(?P<d>{_DAY}){_TH}(?!\d)"
        rf"(?:\s?[-–]\s?(?P<to>{_DAY}){_TH}(?!\d))?(?:,?\s+(?P<y>{_YEAR})\b)?",
        re.IGNORECASE,
    ),
    # 10 to 12 March 2026
    re.compile(
        rf"(?<![\d.,])(?:(?P<d>{_DAY}){_TH}\s?(?:[-–]|to|and)\s?)?(?P<to>{_DAY}){_TH}[\s-](?:of\s+)?"
        rf"(?P<month>{_MONTH})\b\.?(?:[,-]?\s*(?P<y>{_YEAR})\b)?",
        re.IGNORECASE,
    ),
    # March 2026
    re.compile(rf"\b(?P<month>{_MONTH})\b\.?,?\s+(?:of\s+)?(?P<y>{_YEAR})\b", re.IGNORECASE),
    # A lone month must have its capital, and one that is also a verb must stand where no verb can.
    re.compile(rf"(?<=\b(?:in|of|by|to|on)\s)(?P<month>May|March|Mar)\b|\b(?P<other>(?:{_LONE_MONTH}))\b\.?"),
    re.compile(
        r"(?<![\w.,/$€£])(?:\b(?:mid|pre|post|early|late|circa|ca)[-. ])?"
        rf"(?P<y>{_YEAR})(?:s|'s|’s)?{_NO_YEAR}",
        re.IGNORECASE,
    ),
)
_TIME = re.compile(
    r"\b(?P<h>[01]?\d|2[0-3])[:.](?P<min>[0-5]\d)(?:\s?(?P<half>[ap])\.?m\b\.?)?(?!\d)"
    r"|\b(?P<hour>1[0-2]|0?[1-9])\s?(?P<halfday>[ap])\.?m\b\.?"
    r"|\b(?P<noon>noon|midnight)\b",
    re.IGNORECASE,
)
_QUARTER = re.compile(r"\bQ([1-4])\b|\b(first|second|third|fourth|last)[\s-]quarter\b", re.IGNORECASE)
_WEEKDAY = re.compile(rf"\b({'|'.join(WEEKDAYS)})s?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Day:
    """A date as far as it is written, unknown parts as None. `or_swapped`: 3/10 is in March or October."""

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
    """When things happen in a text; `rest` is the text without the dates and times."""

    days: frozenset[Day]
    times: frozenset[int]
    """Minutes of the day."""
    weekdays: frozenset[int]
    quarters: frozenset[int]
    rest: str


def moments(text: str) -> Moments:
    """Read the dates, times, weekdays and quarters of a text."""
    days: set[Day] = set()

    def day(match: re.Match[str]) -> str:
        found = _days(match)
        if not found:
            return match.group()
        days.update(found)
        return " " * len(match.group())

    text = _FOREIGN.sub(_in_english, text)
    for pattern in _NUMERIC:
        text = pattern.sub(day, text)
    times: set[int] = set()

    def time(match: re.Match[str]) -> str:
        minutes = _minutes(match)
        if minutes is None:
            return match.group()
        times.add(minutes)
        return " " * len(match.group())

    text = _TIME.sub(time, text)
    for pattern in _WRITTEN:
        text = pattern.sub(day, text)
    quarters = {int(q) if q else _QUARTERS[word.lower()] for q, word in _QUARTER.findall(text)}
    text = _QUARTER.sub(" ", text)
    weekdays = {WEEKDAYS[name.lower()] for name in _WEEKDAY.findall(text)}
    return Moments(frozenset(days), frozenset(times), frozenset(weekdays), frozenset(quarters), text)


def _in_english(match: re.Match[str]) -> str:
    name = _NAMES[FOREIGN_MONTHS[(match["month"] or match["lone"]).lower()]]
    return f"{match['d'] or ''} {name} "


def together(many: Iterable[Moments]) -> Moments:
    """The moments of several texts."""
    parts = list(many)
    return Moments(
        frozenset(day for part in parts for day in part.days),
        frozenset(time for part in parts for time in part.times),
        frozenset(weekday for part in parts for weekday in part.weekdays),
        frozenset(quarter for part in parts for quarter in part.quarters),
        "",
    )


def missing_days(wanted: Moments, given: Moments) -> list[tuple[Day, bool]]:
    """The dates that are not given, each with whether a different one is given instead.

    The year may stand apart from the day: `March 10` and, somewhere else, `2026` give `March 10, 2026`.
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
    """Whether a date is given that differs in a part that both have."""
    return any(
        w is not None and g is not None and w != g
        for reading in wanted.readings()
        for day in held
        for w, g in _pairs(reading, day)
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
    if match.group().endswith("pM"):
        # Picomolar.
        return None
    if parts["noon"]:
        return 720 if parts["noon"].lower() == "noon" else 0
    if parts["hour"]:
        return (int(parts["hour"]) % 12 + (12 if parts["halfday"].lower() == "p" else 0)) * 60
    # With a point, and without am or pm, it is a decimal number.
    if "." in match.group() and not parts["half"] and ":" not in match.group():
        return None
    hour = int(parts["h"])
    if parts["half"]:
        hour = hour % 12 + (12 if parts["half"].lower() == "p" else 0)
    return hour * 60 + int(parts["min"])
