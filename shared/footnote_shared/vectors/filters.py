"""Typed filters over payloads: what a search may see, in a vocabulary of our own.

A filter is a value, and `matches` is its meaning: every `VectorIndex` must answer as `matches` does. A field
that holds a list matches if one of its elements does. A missing field matches nothing but `IsEmpty`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Match:
    """The field equals the value, type included: `True` is not `1`."""

    field: str
    value: str | int | bool


@dataclass(frozen=True, slots=True)
class MatchAny:
    """The field equals one of the values. Without values, nothing matches."""

    field: str
    values: tuple[str, ...] | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """The field lies within the bounds: numbers, or moments if the field is an RFC 3339 text.

    There can be one bound below and one above.
    """

    field: str
    gte: float | datetime | None = None
    gt: float | datetime | None = None
    lte: float | datetime | None = None
    lt: float | datetime | None = None

    def __post_init__(self) -> None:
        # Qdrant's indexes use only one bound of each pair.
        if (self.gte is not None and self.gt is not None) or (self.lte is not None and self.lt is not None):
            raise ValueError(f"the range of {self.field} has two bounds on one side")
        bounds = [bound for bound in (self.gte, self.gt, self.lte, self.lt) if bound is not None]
        moments = [bound for bound in bounds if isinstance(bound, datetime)]
        if not bounds:
            raise ValueError(f"the range of {self.field} has no bound")
        if moments and len(moments) != len(bounds):
            raise ValueError(f"the range of {self.field} mixes numbers and moments")
        if any(moment.tzinfo is None for moment in moments):
            raise ValueError(f"the range of {self.field} has a moment without a time zone")


@dataclass(frozen=True, slots=True)
class HasId:
    """The point has one of these ids."""

    ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class IsEmpty:
    """The field is missing, null or an empty list."""

    field: str


@dataclass(frozen=True, slots=True)
class All:
    """Every part matches. Without parts, everything does."""

    parts: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class Any:
    """Some part matches. Without parts, nothing does."""

    parts: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not match."""

    part: "Filter"


Filter: TypeAlias = Match | MatchAny | Range | HasId | IsEmpty | All | Any | Not

EVERYTHING: Filter = All(())


def matches(condition: Filter, payload: Mapping[str, object], point_id: str = "") -> bool:
    """Whether a point with this payload, as JSON values, passes the filter."""
    match condition:
        case Match(field, value):
            return any(_same(element, value) for element in _elements(payload, field))
        case MatchAny(field, values):
            return any(_same(element, value) for element in _elements(payload, field) for value in values)
        case Range():
            return any(_within(element, condition) for element in _elements(payload, condition.field))
        case HasId(ids):
            return point_id in ids
        case IsEmpty(field):
            found = payload.get(field)
            return found is None or (isinstance(found, list | tuple) and not found)
        case All(parts):
            return all(matches(part, payload, point_id) for part in parts)
        case Any(parts):
            return any(matches(part, payload, point_id) for part in parts)
        case Not(part):
            return not matches(part, payload, point_id)


def _elements(payload: Mapping[str, object], field: str) -> Iterable[object]:
    value = payload.get(field)
    return value if isinstance(value, list | tuple) else (value,)


def _same(found: object, wanted: str | int | bool) -> bool:
    return type(found) is type(wanted) and found == wanted


def _within(found: object, bounds: Range) -> bool:
    if any(isinstance(bound, datetime) for bound in (bounds.gte, bounds.gt, bounds.lte, bounds.lt)):
        moment = _moment(found)
        return moment is not None and _compare(moment.timestamp(), bounds)
    return isinstance(found, int | float) and not isinstance(found, bool) and _compare(found, bounds)


def _compare(found: float, bounds: Range) -> bool:
    return (
        (bounds.gte is None or found >= _number(bounds.gte))
        and (bounds.gt is None or found > _number(bounds.gt))
        and (bounds.lte is None or found <= _number(bounds.lte))
        and (bounds.lt is None or found < _number(bounds.lt))
    )


def _number(bound: float | datetime) -> float:
    return bound.timestamp() if isinstance(bound, datetime) else bound


def _moment(found: object) -> datetime | None:
    if not isinstance(found, str):
        return None
    try:
        moment = datetime.fromisoformat(found)
    except ValueError:
        return None
    return moment if moment.tzinfo else None
