"""The events of one turn for its readers in this process: kept once, as they go over the wire."""

import asyncio
import time
from bisect import bisect_right
from collections.abc import AsyncIterator
from dataclasses import dataclass

import orjson

from footnote_resolver.store.turns import EndedTurn
from footnote_resolver.streams.hub import FIRST, Entry, StreamHub, field_of
from footnote_shared.contracts.events import TERMINAL
from footnote_shared.kernel.errors import FieldError, InvalidRequest
from footnote_shared.redis import keys
from footnote_shared.web.sse import HEARTBEAT, encode_event

BEGINNING = 0
"""The place before all events."""

_ENDS = frozenset(kind.encode() for kind in TERMINAL)
_SEQ_BITS = 64
_SEQ_MASK = (1 << _SEQ_BITS) - 1
_MOST_AT_ONCE = 64 * 1024


def place_of(entry_id: str) -> int:
    """A stream id as a number that sorts: the time above, the event's number below; raises ValueError for anything else."""
    left, dash, right = entry_id.partition("-")
    if not (
        left.isascii()
        and left.isdigit()
        and len(left) <= 20
        and (not dash or (right.isascii() and right.isdigit() and len(right) <= 19))
    ):
        raise ValueError(f"{entry_id!r} is not the id of an event")
    return int(left) << _SEQ_BITS | int(right or 0)


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


class TurnFeed:
    """The events of one turn as they go over the wire, shared by its readers in this process.

    They come from Redis; while this process itself carries the turn, straight from where it writes them.
    """

    def __init__(self, turn_id: str, hub: StreamHub) -> None:
        self.turn_id = turn_id
        self.readers = 0
        self.ended = False
        self.closing = False
        self._hub = hub
        self._follower = hub.follow(keys.turn_events(turn_id), FIRST, self.take_in)
        self._taken = 0
        self._begun_again = False
        self._places: list[int] = []
        self._chunks: list[bytes] = []
        self._end: _End | None = None
        self._beats = 0
        self._told_at = time.monotonic()
        self._news = asyncio.Event()

    def take_in(self, entries: list[Entry]) -> None:
        """Events from the stream; nothing is taken in behind a terminal one.

        A stream that begins again, because Redis lost it and the agent opened it anew to say so, adds its end alone.
        """
        self._taken += len(entries)
        for entry in entries:
            if self.ended:
                break
            entry_id, kind, event = entry[0], field_of(entry, b"t"), field_of(entry, b"e")
            self._begun_again |= kind == b"turn.started" and bool(self._chunks)
            if kind in _ENDS:
                place = place_of(entry_id.decode())
                self._take_end(_End(place >> _SEQ_BITS, place & _SEQ_MASK, kind, event))
            elif not self._begun_again:
                self._places.append(place_of(entry_id.decode()))
                self._chunks.append(encode_event(event, event_id=entry_id, event=kind))
        self._tell()

    def written_here(self, present: int, entries: list[Entry]) -> None:
        if present == self._taken and not self.ended:
            self._follower.last_id = entries[-1][0]
            self._follower.resting = True
            self.take_in(entries)
        else:
            self._hub.resume(self._follower)

    def let_go(self) -> None:
        if not self.ended:
            self._hub.resume(self._follower)

    def end_with(self, ended: EndedTurn) -> None:
        """The terminal event from SQL, where the stream does not have it."""
        if not self.ended:
            moment = max(round(ended.ended_at.timestamp() * 1000), (self._places or [0])[-1] >> _SEQ_BITS)
            self._take_end(_End(moment, None, ended.terminal_type.encode(), ended.terminal.encode()))
            self._tell()

    def close(self) -> None:
        """Let every reader go once it has what is here."""
        self.closing = True
        self._tell()

    def leave(self) -> None:
        self._hub.leave(self._follower)

    def beat(self, quiet_s: float) -> None:
        """Let the readers have a heartbeat if nothing has come for so long."""
        if not self.ended and time.monotonic() - self._told_at > quiet_s:
            self._beats += 1
            self._tell()

    async def after(self, place: int) -> AsyncIterator[bytes]:
        """Chunks for one reader from behind `place` to the terminal event. What has gathered is sent as one, within limits."""
        position = 0
        beats = self._beats
        while True:
            news = self._news
            if position < len(self._chunks) and self._places[position] <= place:
                position = bisect_right(self._places, place)
            if self._is_of_lost_stream(place):
                position = len(self._chunks)
            if position < len(self._chunks):
                position, chunk = self._gathered(position)
                beats = self._beats
                yield chunk
            elif self._end is not None:
                if place < self._end.place:
                    yield self._end.after(self._seen(place))
                return
            elif self.closing:
                return
            elif beats != self._beats:
                beats = self._beats
                yield HEARTBEAT
            else:
                await news.wait()

    def _gathered(self, position: int) -> tuple[int, bytes]:
        start, size = position, 0
        while position < len(self._chunks) and size < _MOST_AT_ONCE:
            size += len(self._chunks[position])
            position += 1
        return position, b"".join(self._chunks[start:position])

    def _is_of_lost_stream(self, place: int) -> bool:
        """Whether a reader has seen events from before this stream began: only its end is news to it."""
        return bool(self._places and place < self._places[0] and place & _SEQ_MASK)

    def _seen(self, place: int) -> int:
        """How many events a reader that began at `place` has by now."""
        here = 0 if self._is_of_lost_stream(place) else len(self._chunks)
        return max(here, place & _SEQ_MASK)

    def _take_end(self, end: "_End") -> None:
        self._end = end
        self.ended = True

    def _tell(self) -> None:
        self._told_at = time.monotonic()
        self._news.set()
        self._news = asyncio.Event()


@dataclass(frozen=True, slots=True)
class _End:
    """A terminal event: the time in its id, the number there (None: its own `seq`), its type, itself as JSON."""

    moment_ms: int
    number: int | None
    kind: bytes
    event: bytes

    @property
    def place(self) -> int:
        number = self.number if self.number is not None else max(1, self._seq)
        return self.moment_ms << _SEQ_BITS | number

    @property
    def _seq(self) -> int:
        return int(orjson.loads(self.event)["seq"])

    def after(self, seen: int) -> bytes:
        """The event for a reader of so many others. Where Redis lost the turn it may count less, or not know at all; it never
        has a number that its reader has had before.
        """
        event, number = self.event, self.place & _SEQ_MASK
        if self._seq <= seen:
            event, number = orjson.dumps({**orjson.loads(event), "seq": seen + 1}), max(number, seen + 1)
        return encode_event(event, event_id=b"%d-%d" % (self.moment_ms, number), event=self.kind)
