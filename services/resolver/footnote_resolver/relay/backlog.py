"""The raw events that wait for their relay. Deltas that have piled up are taken as one. Pure."""

from collections import deque
from dataclasses import dataclass

import orjson

from footnote_shared.contracts.events import RawEvent

# An event per delta is the rule. When more events than this wait at once, the process has much to do or
# catches up after a takeover. Then deltas are joined: the more there is to catch up with, the less a delta
# costs, and text comes in larger pieces instead of late.
_PILED_UP = 3
_MOST_JOINED_CHARS = 1_024


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A raw event as JSON, and its text where it is known to be a delta."""

    event: bytes
    text: str | None


class RawBacklog:
    """Raw events of one turn, in order."""

    def __init__(self) -> None:
        self._waiting: deque[_Waiting] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, events: list[bytes]) -> None:
        """Raw events that have come, as JSON."""
        piled_up = len(self._waiting) + len(events) > _PILED_UP
        self._waiting.extend(_Waiting(event, _text_of(event) if piled_up else None) for event in events)

    def next_size(self) -> int:
        """How many events make the next step: one, or as many deltas as lie together; 0 when none waits."""
        chars = size = 0
        for waiting in self._waiting:
            chars += len(waiting.text or "")
            if size and (waiting.text is None or chars > _MOST_JOINED_CHARS):
                break
            size += 1
            if waiting.text is None:
                break
        return size

    def take(self, size: int) -> RawEvent:
        """The next `size` events as one; several are deltas.

        Raises ValidationError for a malformed event.
        """
        taken = [self._waiting.popleft() for _ in range(size)]
        raw = RawEvent.model_validate_json(taken[0].event)
        if size == 1:
            return raw
        texts = [one.text if one.text is not None else _text_of(one.event) for one in taken]
        return raw.model_copy(update={"data": {"text": "".join(text or "" for text in texts)}})


def _text_of(event: bytes) -> str | None:
    """The text of a raw delta; None for another event and for a malformed one."""
    try:
        raw = orjson.loads(event)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(raw, dict) or raw.get("type") != "text.delta" or not isinstance(raw.get("data"), dict):
        return None
    text = raw["data"].get("text")
    return text if isinstance(text, str) else None
