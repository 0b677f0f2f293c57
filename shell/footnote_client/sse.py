"""Server-sent events from bytes that come in any pieces (HTML standard, 9.2.6). No I/O."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from footnote_client.errors import WrongAnswer

_LONGEST_EVENT = 32 * 2**20


@dataclass(frozen=True, slots=True)
class TurnEvent:
    """One event of a turn: its number, its type, and what it says. `id`: where to resume, or empty."""

    id: str
    seq: int
    type: str
    data: dict[str, Any]


class EventReader:
    """Gives the events of a stream as they become whole. One that is cut off is never given."""

    def __init__(self) -> None:
        self._line_parts: list[bytes] = []
        self._id = ""
        self._data: list[bytes] = []
        self._held = 0

    def feed(self, piece: bytes) -> Iterator[TurnEvent]:
        """The events that end within this piece. Raises WrongAnswer for what is no event of a turn."""
        *ended, open_line = piece.split(b"\n")
        for part in ended:
            event = self._line(b"".join([*self._line_parts, part]).removesuffix(b"\r"))
            self._line_parts.clear()
            if event is not None:
                yield event
        self._line_parts.append(open_line)
        self._held += len(piece)
        if self._held > _LONGEST_EVENT:
            raise WrongAnswer("The stream holds an event that does not end.")

    def _line(self, line: bytes) -> TurnEvent | None:
        if not line:
            event = _event(self._id, b"\n".join(self._data)) if self._data else None
            self._id, self._data, self._held = "", [], 0
            return event
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"id":
            self._id = value.decode("utf-8", "replace")
        elif name == b"data":
            self._data.append(value)
        return None


def _event(event_id: str, data: bytes) -> TurnEvent:
    try:
        read = json.loads(data)
        return TurnEvent(event_id, int(read["seq"]), str(read["type"]), dict(read["data"]))
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise WrongAnswer("The stream holds what is no event of a turn.") from error
