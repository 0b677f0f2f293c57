"""Where a relay stands in the events stream of its turn."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import orjson

from footnote_resolver.relay.requests import OutgoingEvent
from footnote_resolver.streams.turn_streams import UNKNOWN, WrittenEvent
from footnote_shared.contracts.events import TERMINAL
from footnote_shared.kernel.clock import rfc3339
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class NumberedEvent:
    """An event as it goes into the stream: its type, itself as JSON, and when the agent made it."""

    type: str
    line: bytes
    at: datetime


class RelayPosition:
    """One per attempt at a turn.

    It passes over the events that predecessors have written, and numbers those behind them.
    """

    def __init__(self, turn_id: str, written: Sequence[WrittenEvent] = ()) -> None:
        """`written`: every event that stands in the stream."""
        self._turn_id = turn_id
        self._to_pass_over = deque(written)
        self._passed = 0
        self._present = len(written)
        self._moment_ms = written[-1].moment_ms if written else 0
        self._lost: int | None = 0
        self._ended = bool(written) and written[-1].type in TERMINAL

    @property
    def ended(self) -> bool:
        """Whether the stream had its terminal event already."""
        return self._ended

    @property
    def passes_over(self) -> bool:
        """Whether the next event stands in the stream already."""
        return bool(self._to_pass_over)

    @property
    def present(self) -> int:
        """How many events stand in the stream."""
        return self._present

    @property
    def moment_ms(self) -> int:
        """The time of Redis under which the last of them stands; 0 where there is none."""
        return self._moment_ms

    @property
    def next_seq(self) -> int:
        """The number of the event behind those that stand in the stream."""
        return self._present + 1

    @property
    def end_seq(self) -> int:
        """The number of the terminal event, which counts the events that Redis has lost.

        It is `UNKNOWN` where nobody knows how many these were.
        """
        return UNKNOWN if self._lost is None else self._lost + self._present + 1

    def number(self, events: Sequence[OutgoingEvent]) -> list[NumberedEvent]:
        """Those of the events that are not written yet. What is written stays as it is."""
        fresh: list[NumberedEvent] = []
        for event in events:
            self._passed += 1
            line = self.encode(self._passed, event)
            if not self._to_pass_over:
                fresh.append(NumberedEvent(event.type, line, event.at))
                continue
            written = self._to_pass_over.popleft()
            if written.type == "text.delta" and written.event.encode() != line:
                _log.error("relay.diverged", turn=self._turn_id, entry=written.id)
        return fresh

    def encode(self, seq: int, event: OutgoingEvent) -> bytes:
        """An event as it goes over the wire."""
        envelope = {
            "v": 1,
            "turn_id": self._turn_id,
            "seq": seq,
            "type": event.type,
            "at": rfc3339(event.at),
            "data": event.data,
        }
        return orjson.dumps(envelope)

    def appended(self, count: int, moment_ms: int) -> None:
        """This many events more stand in the stream, under this time."""
        self._present += count
        self._moment_ms = moment_ms

    def lose_stream(self, *, known: bool) -> None:
        """Redis has lost the stream. `known`: readers have seen what this relay wrote, and nothing else."""
        self._lost = self._present if known else None
        self._present = self._moment_ms = 0
