"""What of a stranger's answer is passed on to be parsed: whole messages of a bounded shape. Pure.

The library that parses does so at once, on the event loop. What it is given here costs it a few milliseconds.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import from_json

from footnote_agent.tool_servers.errors import ToolServerAway
from footnote_shared.web.json_shape import json_shape

MOST_DEEP, MOST_VALUES = 64, 8000
"""Of one message. One of the largest size that holds more takes tens of milliseconds."""

MOST_CHECKED = 2000
"""Values of one message outside of free JSON. Each of these is tried against every kind of part there is."""

MOST_EVENTS, MOST_LINES = 2000, 500
"""Events of one answer, and lines of one event. An answer of one call has a handful of both."""

_FREE = ("structuredContent", "inputSchema", "outputSchema", "_meta")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_EVENT_END = re.compile(rb"(?>\r\n|\r|\n){2,}+")
_LONGEST_END = 4
_PASSED_ON = re.compile(rb"data:|event:|id:[ -~]{0,500}\Z|retry: ?[0-9]{1,6}\Z")


def check_message(text: bytes) -> None:
    """Raises ToolServerAway for JSON that costs too much to parse and to check."""
    brackets, commas = text.count(b"[") + text.count(b"{"), text.count(b",")
    if brackets <= MOST_DEEP and brackets + commas < MOST_CHECKED:
        return
    shape = json_shape(text)
    if shape.depth > MOST_DEEP or shape.values > MOST_VALUES:
        raise _too_costly()
    try:
        message = from_json(text)
    except ValueError:
        # Whoever parses it says so.
        return
    if _more_than(message, MOST_CHECKED):
        raise _too_costly()


@dataclass(slots=True)
class EventPieces:
    """Puts the events of a stream together again. `add` gives those that are whole, each with its end.

    A line that is no part of a message is left out, and so is what the library would fail on.
    """

    _kept: bytearray = field(default_factory=bytearray)
    _events: int = 0

    def add(self, piece: bytes) -> Iterator[bytes]:
        """The events that end within this piece. Raises ToolServerAway."""
        looked_at = max(0, len(self._kept) - _LONGEST_END)
        self._kept += piece
        begin = 0
        for end in _EVENT_END.finditer(self._kept, looked_at):
            event = bytes(self._kept[begin : end.start()])
            begin = end.end()
            if event.strip(b"\r\n"):
                yield self._checked(event)
        del self._kept[:begin]

    def rest(self) -> bytes:
        """What came behind the last end of an event. Raises ToolServerAway."""
        return self._checked(bytes(self._kept)) if self._kept.strip(b"\r\n") else b""

    def _checked(self, event: bytes) -> bytes:
        self._events += 1
        if self._events > MOST_EVENTS or event.count(b"\n") + event.count(b"\r") > MOST_LINES:
            raise ToolServerAway(
                f"The server's answer has over {MOST_EVENTS} events, or one of over {MOST_LINES} lines."
            )
        lines = [line for line in _LINE_END.split(event) if _PASSED_ON.match(line)]
        check_message(b"\n".join(line[5:] for line in lines if line.startswith(b"data:")))
        return b"\n".join(lines) + b"\n\n" if lines else b""


def _more_than(message: Any, most: int) -> bool:
    """Whether a message holds more values than this, outside of what is free JSON and is not checked."""
    left, level = most, [message]
    while level:
        left -= len(level)
        if left < 0:
            return True
        level = [inner for one in level for inner in _inner(one)]
    return False


def _inner(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [inner for name, inner in value.items() if name not in _FREE]
    return value if isinstance(value, list) else []


def _too_costly() -> ToolServerAway:
    return ToolServerAway(
        f"The server's answer nests deeper than {MOST_DEEP} levels, holds over {MOST_VALUES} values, or over "
        f"{MOST_CHECKED} of its parts."
    )
