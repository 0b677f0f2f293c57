"""The events of one turn for its readers in this process: kept once, as they go over the wire."""

import asyncio
from bisect import bisect_right
from collections.abc import AsyncIterator
from dataclasses import dataclass

import orjson

from footnote_resolver.readers.stream_position import moment_of, number_of, position_at, position_of
from footnote_resolver.store.turns import EndedTurn
from footnote_resolver.streams.hub import FIRST, StreamEntry, StreamHub, field_of
from footnote_shared.contracts.events import TERMINAL, Event, whole_text_before
from footnote_shared.redis import keys
from footnote_shared.web.sse import HEARTBEAT, encode_event

_ENDS = frozenset(kind.encode() for kind in TERMINAL)
_MOST_BYTES_AT_ONCE = 64 * 1024


class TurnFeed:
    """The events of one turn, shared by its readers in this process.

    They come from Redis, or straight from where this process writes them, while it carries the turn itself.
    """

    def __init__(self, turn_id: str, hub: StreamHub) -> None:
        self._readers = 0
        self._closing = False
        self._hub = hub
        self._follower = hub.follow(keys.turn_events(turn_id), FIRST, self.take_in)
        self._taken = 0
        self._begun_again = False
        self._positions: list[int] = []
        self._chunks: list[bytes] = []
        self._end: _End | None = None
        self._beats = 0
        self._loop = asyncio.get_running_loop()
        self._told_at = self._loop.time()
        self._news = asyncio.Event()

    @property
    def ended(self) -> bool:
        """Whether the terminal event is here."""
        return self._end is not None

    @property
    def taken(self) -> int:
        """How many events have come from the stream."""
        return self._taken

    def enter(self) -> None:
        """One reader more."""
        self._readers += 1

    def leave(self) -> bool:
        """One reader less. True when it was the last one: the feed follows its stream no more."""
        self._readers -= 1
        if not self._readers:
            self._hub.leave(self._follower)
        return not self._readers

    def take_in(self, entries: list[StreamEntry]) -> None:
        """Take in events from the stream. Behind a terminal one nothing is taken in.

        When Redis has lost the stream and the agent has begun it again to say so, only the terminal event is
        taken in from the new one.
        """
        self._taken += len(entries)
        for entry in entries:
            if self.ended:
                break
            entry_id, kind, event = entry[0], field_of(entry, b"t"), field_of(entry, b"e")
            self._begun_again |= kind == b"turn.started" and bool(self._chunks)
            position = position_of(entry_id.decode())
            if kind in _ENDS:
                self._end = _End(moment_of(position), number_of(position), kind, event)
            elif not self._begun_again:
                self._positions.append(position)
                self._chunks.append(encode_event(event, event_id=entry_id, event=kind))
        self._tell()

    def written_here(self, present: int, entries: list[StreamEntry]) -> None:
        """This process has written entries behind the `present` ones."""
        if present == self._taken and not self.ended:
            self._follower.rest_behind(entries[-1][0])
            self.take_in(entries)
        else:
            self._hub.resume(self._follower)

    def let_go(self) -> None:
        """From now on another process may be the one that writes."""
        if not self.ended:
            self._hub.resume(self._follower)

    def end_with(self, ended: EndedTurn) -> None:
        """The terminal event from SQL, where the stream does not have it."""
        if not self.ended:
            last_ms = moment_of(self._positions[-1]) if self._positions else 0
            moment_ms = max(round(ended.ended_at.timestamp() * 1000), last_ms)
            self._end = _End(moment_ms, None, ended.terminal_type.encode(), ended.terminal.encode())
            self._tell()

    def close(self) -> None:
        """Let every reader go once it has what is here."""
        self._closing = True
        self._tell()

    def beat(self, quiet_s: float) -> None:
        """Give the readers a heartbeat if nothing has come for this many seconds."""
        if not self.ended and self._loop.time() - self._told_at > quiet_s:
            self._beats += 1
            self._tell()

    async def after(self, start: int) -> AsyncIterator[bytes]:
        """Chunks for one reader, from behind `start` to the terminal event.

        What has gathered is sent as one chunk, within limits.
        """
        sent = 0
        beats = self._beats
        while True:
            news = self._news
            if sent < len(self._chunks) and self._positions[sent] <= start:
                sent = bisect_right(self._positions, start)
            if self._is_of_lost_stream(start):
                sent = len(self._chunks)
            if sent < len(self._chunks):
                sent, chunk = self._gathered(sent)
                beats = self._beats
                yield chunk
            elif self._end is not None:
                if start < self._end.position:
                    yield self._end.after(self._seen(start), gap=self._has_gap(start))
                return
            elif self._closing:
                return
            elif beats != self._beats:
                beats = self._beats
                yield HEARTBEAT
            else:
                await news.wait()

    def _gathered(self, first: int) -> tuple[int, bytes]:
        sent, size = first, 0
        while sent < len(self._chunks) and size < _MOST_BYTES_AT_ONCE:
            size += len(self._chunks[sent])
            sent += 1
        return sent, b"".join(self._chunks[first:sent])

    def _is_of_lost_stream(self, start: int) -> bool:
        """Whether a reader has seen events from before this stream began. Only its end is news then."""
        return bool(self._positions and start < self._positions[0] and number_of(start))

    def _seen(self, start: int) -> int:
        """How many events a reader that began at `start` has by now."""
        here = 0 if self._is_of_lost_stream(start) else len(self._chunks)
        return max(here, number_of(start))

    def _has_gap(self, start: int) -> bool:
        """Whether the reader and the end belong to two streams, between which text may have been lost."""
        return self._begun_again or self._is_of_lost_stream(start)

    def _tell(self) -> None:
        self._told_at = self._loop.time()
        self._news.set()
        self._news = asyncio.Event()


@dataclass(frozen=True, slots=True)
class _End:
    """A terminal event as JSON, its type, and the time and number in its id.

    `number` is None where only the event itself says its number.
    """

    moment_ms: int
    number: int | None
    kind: bytes
    event: bytes

    @property
    def position(self) -> int:
        return position_at(self.moment_ms, self.number if self.number is not None else max(1, self._seq))

    @property
    def _seq(self) -> int:
        return int(orjson.loads(self.event)["seq"])

    def after(self, seen: int, *, gap: bool) -> bytes:
        """The event for a reader that has seen this many others, some of which are perhaps missing (`gap`).

        Where Redis lost the turn, the event's own number may be too low or not known. This reader never gets
        a number that it has had before. Where it may lack some of the text, it gets the whole of it first.
        """
        whole = self._whole_text(seen + 1) if seen and (gap or self._seq != seen + 1) else b""
        event, number, least = self.event, number_of(self.position), seen + (2 if whole else 1)
        if self._seq < least:
            event, number = orjson.dumps({**orjson.loads(event), "seq": least}), max(number, least)
        return whole + encode_event(event, event_id=b"%d-%d" % (self.moment_ms, number), event=self.kind)

    def _whole_text(self, seq: int) -> bytes:
        replaced = whole_text_before(Event.model_validate_json(self.event), seq)
        return (
            b""
            if replaced is None
            else encode_event(replaced.model_dump_json(), event_id=None, event=replaced.type)
        )
