"""How far a relay is with a turn: what it has taken, what it has written, and what a predecessor left to pass over again."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from footnote_resolver.relay.replay import TurnScript
from footnote_resolver.streams.hub import Entry, field_of
from footnote_resolver.streams.turn_streams import WrittenEvent
from footnote_shared.kernel.clock import now

# Deltas that have piled up, because this process has much to do, are taken as one, up to so many characters: the more there
# is to catch up with, the less it costs. Which were joined is journalled, so that a takeover joins the same ones.
_PILED_UP = 3
_MOST_JOINED = 1_024


@dataclass(frozen=True, slots=True)
class Raw:
    """A raw event, and its text where it is known to be a delta."""

    event: bytes
    text: str | None


@dataclass(slots=True)
class Journal:
    """What is to be written beside the next event: answers of the moment, and the deltas that were taken as one."""

    answers: list[Any] = field(default_factory=list)
    joins: list[tuple[int, int]] = field(default_factory=list)

    def encode(self, taken: int) -> bytes:
        """As JSON, with the number of raw events that are done with; nothing for an empty journal."""
        if not (self.answers or self.joins):
            return b""
        return orjson.dumps({"taken": taken, "answers": self.answers, "joins": self.joins})


@dataclass(slots=True)
class Progress:
    """How far a turn is, as this relay knows it.

    `present` events stand in the stream, the last at `moment_ms`; `lost` ones stood in one that Redis lost, None when nobody
    is left who knows. Of the raw events `taken` are done with and `waiting` have come. What a predecessor left is passed over
    again: the `written` events, the `answers` that it got, its `joins` (the place of a raw event, and how many deltas were
    taken as one from there), up to `recorded` raw events.
    """

    script: TurnScript
    present: int = 0
    moment_ms: int = 0
    lost: int | None = 0
    passed: int = 0
    raw_at: datetime = field(default_factory=now)
    taken: int = 0
    written: deque[WrittenEvent] = field(default_factory=deque)
    answers: deque[Any] = field(default_factory=deque)
    joins: dict[int, int] = field(default_factory=dict)
    recorded: int = 0
    waiting: deque[Raw] = field(default_factory=deque)
    journal: Journal = field(default_factory=Journal)

    @property
    def replaying(self) -> bool:
        """Whether the next step is one that a predecessor has made."""
        return bool(self.written) or self.taken < self.recorded

    @classmethod
    def behind(cls, script: TurnScript, written: list[WrittenEvent]) -> "Progress":
        """Where a turn stands whose stream holds these events."""
        progress = cls(script, present=len(written), written=deque(written))
        progress.moment_ms = written[-1].moment_ms if written else 0
        for event in written:
            if event.journal:
                journal = orjson.loads(event.journal)
                progress.answers.extend(journal["answers"])
                progress.joins.update(journal["joins"])
                progress.recorded = journal["taken"]
        return progress

    def take_in(self, entries: list[Entry]) -> None:
        """Raw events that have come, in order."""
        piled_up = len(self.waiting) + len(entries) > _PILED_UP
        for entry in entries:
            event = field_of(entry, b"e")
            self.waiting.append(Raw(event, text_of(event) if piled_up else None))

    def next_raws(self) -> list[Raw]:
        """The raw events of the next step: one, or several deltas; none while some that belong to it have not come yet."""
        if self.replaying:
            size = self.joins.get(self.taken, 1)
            size = size if size <= len(self.waiting) else 0
        else:
            size = _run_of_deltas(self.waiting)
            if size > 1:
                self.journal.joins.append((self.taken, size))
        self.taken += size
        return [self.waiting.popleft() for _ in range(size)]


def _run_of_deltas(raws: Iterable[Raw]) -> int:
    """How many raw events make the next step: as many deltas as lie together, up to a number of characters; 0 where none is."""
    size = count = 0
    for raw in raws:
        size += len(raw.text or "")
        if count and (raw.text is None or size > _MOST_JOINED):
            break
        count += 1
        if raw.text is None:
            break
    return count


def text_of(event: bytes) -> str | None:
    """The text of a raw delta; None for another event and for a malformed one."""
    try:
        raw = orjson.loads(event)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(raw, dict) or raw.get("type") != "text.delta" or not isinstance(raw.get("data"), dict):
        return None
    text = raw["data"].get("text")
    return text if isinstance(text, str) else None
