"""A reader's position in a stream: the id of an event as a number that sorts.

The upper bits are the time in ms, the lower ones the event's number.
"""

from footnote_shared.kernel.errors import FieldError, InvalidRequest

BEGINNING = 0
"""The position before all events."""

_NUMBER_BITS = 64
_NUMBER_MASK = (1 << _NUMBER_BITS) - 1
# Redis has 64 bits for each half of an id, so a longer one cannot have come from a stream.
_MOST_TIME_DIGITS = 20
_MOST_NUMBER_DIGITS = 19


def position_at(moment_ms: int, number: int) -> int:
    """The position behind the event that has this time and number in its id."""
    return moment_ms << _NUMBER_BITS | number


def moment_of(position: int) -> int:
    """The time of a position, in ms."""
    return position >> _NUMBER_BITS


def number_of(position: int) -> int:
    """The number of the event that a position is behind."""
    return position & _NUMBER_MASK


def position_of(event_id: str) -> int:
    """The position that an event's id names; raises ValueError for anything that is not one."""
    left, dash, right = event_id.partition("-")
    if not _is_number(left, _MOST_TIME_DIGITS) or (dash and not _is_number(right, _MOST_NUMBER_DIGITS)):
        raise ValueError(f"{event_id!r} is not the id of an event")
    return position_at(int(left), int(right or 0))


def position_of_header(last_event_id: str | None) -> int:
    """Where a reader stands by its `Last-Event-ID`; the beginning when it sends none."""
    if not last_event_id:
        return BEGINNING
    try:
        return position_of(last_event_id)
    except ValueError as error:
        raise InvalidRequest(
            "Last-Event-ID is not the id of an event.",
            errors=[FieldError("Last-Event-ID", "an id that a stream sent")],
        ) from error


def _is_number(text: str, most_digits: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= most_digits
