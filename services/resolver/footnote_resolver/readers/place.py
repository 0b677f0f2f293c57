"""A reader's place in a stream: the id of an event as a number that sorts, the time above, the event's number below."""

from footnote_shared.kernel.errors import FieldError, InvalidRequest

BEGINNING = 0
"""The place before all events."""

_NUMBER_BITS = 64
_NUMBER_MASK = (1 << _NUMBER_BITS) - 1
# Redis has 64 bits for each half. A longer id could not have come from a stream, and would cost more to read than it is worth.
_MOST_TIME_DIGITS = 20
_MOST_NUMBER_DIGITS = 19


def place_at(moment_ms: int, number: int) -> int:
    """The place behind the event of this number."""
    return moment_ms << _NUMBER_BITS | number


def moment_of(at: int) -> int:
    """The time of a place, in ms."""
    return at >> _NUMBER_BITS


def number_of(at: int) -> int:
    """The number of the event that a place is behind."""
    return at & _NUMBER_MASK


def place_of(entry_id: str) -> int:
    """The place that an id names; raises ValueError for anything that is not one."""
    left, dash, right = entry_id.partition("-")
    if not _is_number(left, _MOST_TIME_DIGITS) or (dash and not _is_number(right, _MOST_NUMBER_DIGITS)):
        raise ValueError(f"{entry_id!r} is not the id of an event")
    return place_at(int(left), int(right or 0))


def place_of_header(last_event_id: str | None) -> int:
    """Where a reader stands by its `Last-Event-ID`; the beginning when it sends none."""
    if not last_event_id:
        return BEGINNING
    try:
        return place_of(last_event_id)
    except ValueError as error:
        raise InvalidRequest(
            "Last-Event-ID is not the id of an event.",
            errors=[FieldError("Last-Event-ID", "an id that a stream sent")],
        ) from error


def _is_number(text: str, most_digits: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= most_digits
