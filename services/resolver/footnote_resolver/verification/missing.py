"""Which figures of a claim a passage lacks, or has otherwise (spec 2.6). Pure."""

from dataclasses import dataclass

from footnote_resolver.verification.dates import Day, missing_days
from footnote_resolver.verification.figures import COUNT, Figure, FigureSet

_MOST_COMPARED = 64
"""A sentence of more figures is a table or an attack; the others are not looked for."""
_KINDRED = ({"percent", "points"}, {"degrees", "celsius"}, {"degrees", "fahrenheit"})
"""Dimensions that a writer may mean by the same word or sign."""
_SIGNED = frozenset(["celsius", "fahrenheit", "degrees"])
"""Dimensions in which a number and its negative are two things."""
_MONEY = frozenset(["EUR", "USD", "GBP", "CHF", "JPY", "INR"])
_EXACT = 1e-6
"""Shares of a number that rounding within the computer may make."""
_CALENDAR = 0.004
"""Shares of a time by which calendars differ from mean lengths: 52 weeks, 365 days and a year agree."""


@dataclass(frozen=True, slots=True)
class MissingFigure:
    """A figure that a passage lacks.

    `replaced`: it has a different one in its place. `mixed`: it has the number, of something else.
    """

    written: str
    replaced: bool = False
    mixed: bool = False


def missing(wanted: FigureSet, given: FigureSet) -> list[MissingFigure]:
    """Each figure that is not given as it is wanted."""
    found = [
        lack
        for number in wanted.numbers[:_MOST_COMPARED]
        if (lack := _lack(number, wanted, given)) is not None
    ]
    counts = {value for number in given.numbers for value in number.raw}
    found += [
        MissingFigure(_written(day), replaced)
        for day, replaced in missing_days(wanted.moments, given.moments)
        if not (day.parts == 1 and day.year in counts)
    ]
    for kind, asked, there in (
        ("time", wanted.moments.times, given.moments.times),
        ("weekday", wanted.moments.weekdays, given.moments.weekdays),
        ("quarter", wanted.moments.quarters, given.moments.quarters),
    ):
        found += [MissingFigure(f"{kind} {one}", bool(there - asked)) for one in sorted(asked - there)]
    return found


def _lack(wanted: Figure, asked: FigureSet, given: FigureSet) -> MissingFigure | None:
    alike = [one for one in given.numbers if _comparable(wanted, one)]
    same = [one for one in alike if _equal(wanted, one)]
    if wanted.bound and same and all(one.bound == -wanted.bound for one in same):
        return MissingFigure(wanted.written, mixed=True)
    if same or (not wanted.measured and _is_named(wanted, given)):
        return _mixed(wanted, asked, alike, same)
    if wanted.measured and any(one.measured and set(one.raw) & set(wanted.raw) for one in given.numbers):
        return MissingFigure(wanted.written, replaced=True)
    instead = [one for one in alike if one.kind == wanted.kind and not _asked(one, asked)]
    if wanted.spelled:
        instead = [
            one for one in instead if one.noun == wanted.noun and (wanted.noun or wanted.kind != COUNT)
        ]
    elif wanted.kind == COUNT:
        instead = [one for one in instead if not one.spelled or one.noun == wanted.noun]
    return MissingFigure(wanted.written, replaced=bool(instead))


def _is_named(wanted: Figure, given: FigureSet) -> bool:
    """Whether the number stands in a date or within a word."""
    named = any(value in (day.day, day.year) for value in wanted.raw for day in given.moments.days)
    return named or not given.within_words.isdisjoint(wanted.raw)


def _mixed(wanted: Figure, asked: FigureSet, alike: list[Figure], same: list[Figure]) -> MissingFigure | None:
    """Whether the passage counts other things with this number, and these things with another one."""
    if not (wanted.noun and same and all(one.noun not in ("", wanted.noun) for one in same)):
        return None
    others = [one for one in alike if one.noun == wanted.noun and not _counted(one, asked)]
    return MissingFigure(wanted.written, mixed=True) if others else None


def _counted(one: Figure, asked: FigureSet) -> bool:
    return any(number.noun == one.noun and _equal(number, one) for number in asked.numbers)


def _asked(one: Figure, asked: FigureSet) -> bool:
    return any(_comparable(number, one) and _equal(number, one) for number in asked.numbers)


def _comparable(wanted: Figure, given: Figure) -> bool:
    """Whether the two can be the same number: of one dimension, or one of them without a unit."""
    if wanted.kind == given.kind or {wanted.kind, given.kind} in _KINDRED:
        return True
    if wanted.kind.partition("/")[0] == given.kind.partition("/")[0]:
        # One of them leaves out what it is measured per.
        return "/" not in wanted.kind or "/" not in given.kind
    if wanted.labels or given.labels:
        return COUNT in (wanted.kind, given.kind)
    if COUNT not in (wanted.kind, given.kind):
        return False
    count, other = (wanted, given) if wanted.kind == COUNT else (given, wanted)
    return not count.noun or (other.kind not in _MONEY and other.kind != "percent")


def _equal(wanted: Figure, given: Figure) -> bool:
    """Equal as far as it is written: `12` may stand for 12.3, `about 100` for 97, `over 100` for 103."""
    if wanted.kind == given.kind:
        ones, others, factor = wanted.values, given.values, wanted.factor
    else:
        ones, others, factor = wanted.raw, given.raw, 1.0
    slack = _CALENDAR if wanted.kind == "time" else _EXACT
    rounded = given.precision * given.factor < wanted.precision * wanted.factor and not given.spelled
    rounding = wanted.precision * factor if rounded else 0.0
    for one in ones:
        least = max(abs(one) * max(slack, wanted.below), rounding)
        most = max(abs(one) * max(slack, wanted.above), rounding)
        for other in others:
            apart = other - one if wanted.kind in _SIGNED else abs(other) - abs(one)
            if -least <= apart <= most:
                return True
    return False


def _written(day: Day) -> str:
    return "-".join(f"{part:02}" if part is not None else "?" for part in (day.year, day.month, day.day))
