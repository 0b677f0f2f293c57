"""Serves the events of turns to any number of readers. A turn's events are kept once per process while somebody reads."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from footnote_resolver.store import turns
from footnote_resolver.store.turns import EndedTurn
from footnote_resolver.turns.hub import Entry, Follower, StreamHub
from footnote_resolver.turns.redis_streams import FIRST, TurnStreams
from footnote_shared.contracts.events import TERMINAL
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import FieldError, InvalidRequest, Unavailable
from footnote_shared.redis import keys
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger
from footnote_shared.web.sse import HEARTBEAT, encode_event

Place = tuple[int, int]
BEGINNING: Place = (0, 0)
_log = logger(__name__)


def place_of(entry_id: str) -> Place:
    """A stream id as a pair that sorts; raises ValueError for anything else."""
    left, dash, right = entry_id.partition("-")
    if not (
        left.isascii()
        and left.isdigit()
        and len(left) <= 20
        and (not dash or (right.isascii() and right.isdigit() and len(right) <= 20))
    ):
        raise ValueError(f"{entry_id!r} is not the id of an event")
    return int(left), int(right or 0)


def place_of_header(last_event_id: str | None) -> Place:
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


@dataclass(slots=True)
class _Kept:
    place: Place
    chunk: bytes


class TurnFeed:
    """The events of one turn as they go over the wire, shared by its readers in this process."""

    def __init__(self, turn_id: str) -> None:
        self.turn_id = turn_id
        self.readers = 0
        self.follower: Follower | None = None
        self.ended = False
        self._begun_again = False
        self._kept: list[_Kept] = []
        self._news = asyncio.Event()

    def take_in(self, entries: list[Entry]) -> None:
        """Events from the stream; nothing is taken in behind a terminal one.

        A stream that begins again, because Redis lost it and the agent opened it anew to say so, adds its end alone.
        """
        for entry_id, fields in entries:
            if self.ended:
                break
            self._begun_again |= fields["t"] == "turn.started" and bool(self._kept)
            if self._begun_again and fields["t"] not in TERMINAL:
                continue
            self._kept.append(
                _Kept(place_of(entry_id), encode_event(fields["e"], event_id=entry_id, event=fields["t"]))
            )
            self.ended = fields["t"] in TERMINAL
        self._tell()

    def end_with(self, ended: EndedTurn) -> None:
        """The terminal event from SQL, where the stream does not have it."""
        if not self.ended:
            left, right = self._kept[-1].place if self._kept else BEGINNING
            place = max((left, right + 1), (round(ended.ended_at.timestamp() * 1000), 0))
            self.take_in([(f"{place[0]}-{place[1]}", {"t": ended.terminal_type, "e": ended.terminal})])

    async def after(self, place: Place, heartbeat_s: float) -> AsyncIterator[bytes]:
        """Chunks for one reader from behind `place` to the terminal event. What has gathered is sent as one."""
        position = 0
        while True:
            news = self._news
            while position < len(self._kept) and self._kept[position].place <= place:
                position += 1
            if position < len(self._kept):
                ready, position = self._kept[position:], len(self._kept)
                yield b"".join(kept.chunk for kept in ready)
            elif self.ended:
                return
            else:
                try:
                    async with asyncio.timeout(heartbeat_s):
                        await news.wait()
                except TimeoutError:
                    yield HEARTBEAT

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


class TurnFeeds:
    """The feeds of one process. `watch` must be running: it ends feeds whose stream was lost after the turn had ended."""

    def __init__(
        self, hub: StreamHub, streams: TurnStreams, database: Database, *, heartbeat_s: float, watch_s: float
    ) -> None:
        self._hub = hub
        self._streams = streams
        self._database = database
        self._heartbeat_s = heartbeat_s
        self._watch_s = watch_s
        self._feeds: dict[str, TurnFeed] = {}

    async def read(self, turn_id: str, place: Place, ended: EndedTurn | None) -> AsyncIterator[bytes]:
        """The chunks of a turn for one reader. `ended`: how it ended, if it has. Raises Unavailable before the first chunk."""
        if ended is not None:
            last = await self._streams.last_written(turn_id)
            if last is None or last.type not in TERMINAL:
                return self._read(turn_id, place, ended)
        return self._read(turn_id, place, None)

    async def _read(self, turn_id: str, place: Place, lost: EndedTurn | None) -> AsyncIterator[bytes]:
        with self._reading(turn_id) as feed, metrics.STREAM_READERS.track_inprogress():
            if lost is not None:
                feed.end_with(lost)
            async for chunk in feed.after(place, self._heartbeat_s):
                yield chunk

    async def watch(self) -> None:
        """Look for turns that have ended in SQL though their stream does not say so, until cancelled."""
        suspects: set[str] = set()
        while True:
            await asyncio.sleep(self._watch_s)
            open_feeds = {turn_id: feed for turn_id, feed in self._feeds.items() if not feed.ended}
            if not open_feeds:
                continue
            try:
                ended = await self._database.read_async(partial(turns.ended_turns, turn_ids=list(open_feeds)))
            except Unavailable as error:
                _log.warning("feeds.watch_failed", part=error.part)
                continue
            # One round of grace: the terminal event goes to SQL first, and to the stream at once after it.
            for turn_id in suspects & ended.keys():
                open_feeds[turn_id].end_with(ended[turn_id])
            suspects = set(ended)

    @contextmanager
    def _reading(self, turn_id: str) -> Iterator[TurnFeed]:
        feed = self._feeds.get(turn_id)
        if feed is None:
            feed = self._feeds[turn_id] = TurnFeed(turn_id)
            feed.follower = self._hub.follow(keys.turn_events(turn_id), FIRST, feed.take_in)
        feed.readers += 1
        try:
            yield feed
        finally:
            feed.readers -= 1
            if not feed.readers and feed.follower is not None:
                self._hub.leave(feed.follower)
                del self._feeds[turn_id]
