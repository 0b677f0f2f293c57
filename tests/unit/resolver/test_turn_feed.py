"""What one reader of a turn is sent, and when: pieces, heartbeats, the end (spec 6)."""

import asyncio
import json
import signal
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest
import redis.asyncio

from footnote_resolver.readers.stream_position import BEGINNING, position_of
from footnote_resolver.readers.turn_feed import TurnFeed
from footnote_resolver.readers.turn_feeds import TurnFeeds
from footnote_resolver.store.turns import EndedTurn
from footnote_resolver.streams.announcements import Announcements
from footnote_resolver.streams.hub import Follower, StreamEntry, StreamHub
from footnote_resolver.streams.turn_servers import TurnServer
from footnote_resolver.streams.turn_streams import TurnStreams
from footnote_shared.db.engine import Database
from footnote_shared.kernel.stream_servers import StreamServers
from footnote_shared.web.sse import HEARTBEAT
from footnote_testing.own_clock import now_s, run_on_own_clock

HEARTBEAT_S, WATCH_S = 15.0, 5.0
FAILED = EndedTurn("turn.failed", '{"seq": 3}', datetime(2026, 3, 2, tzinfo=UTC))
ENTRY = {
    "n": 1,
    "source_type": "web_result",
    "provider": "web",
    "content_hash": "0",
    "locator": {"url": "https://example.org/launch"},
    "display": {"title": "Launch", "source": "web"},
    "quote": "All of it.",
}


class HeldHub(StreamHub):
    """Reads nothing: the test hands entries out."""

    def __init__(self) -> None:
        super().__init__(redis.asyncio.Redis())
        self.follower: Follower | None = None

    def follow(self, key: str, last_id: bytes, on_entries: Callable[[list[StreamEntry]], None]) -> Follower:
        self.follower = super().follow(key, last_id, on_entries)
        return self.follower

    def bring(self, *entries: StreamEntry) -> None:
        assert self.follower is not None
        self.follower.hand_out(list(entries), read_behind=self.follower.last_id)


class EndsInSql(Database):
    """Knows how turns have ended, and nothing else."""

    def __init__(self) -> None:
        self.ended: dict[str, EndedTurn] = {}

    async def read_async(self, work: Any) -> Any:
        return self.ended


def entry(number: int, kind: str = "text.delta", size: int = 10) -> StreamEntry:
    event = json.dumps({"seq": number, "data": "x" * size}).encode()
    return b"1000-%d" % number, [b"t", kind.encode(), b"e", event]


class Watched:
    """The feeds of one process, as they are watched; `arrived` says when the reader of the turn got what."""

    def __init__(self) -> None:
        self.hub, self.database = HeldHub(), EndsInSql()
        client = redis.asyncio.Redis()
        streams = TurnStreams(client, lease_s=5, retention_s=60)
        server = TurnServer(client, streams, self.hub, Announcements(client, "one"))
        self.feeds = TurnFeeds(
            StreamServers({"one": server}), self.database, heartbeat_s=HEARTBEAT_S, watch_s=WATCH_S
        )
        self.arrived: list[tuple[float, bytes]] = []

    async def read(self) -> None:
        async for chunk in await self.feeds.read("t", BEGINNING, None):
            self.arrived.append((now_s(), chunk))


def watched(story: Callable[[Watched], Awaitable[None]]) -> Watched:
    """What comes of a story that is told while one reader reads."""

    async def run() -> Watched:
        made = Watched()
        watching, reading = asyncio.create_task(made.feeds.watch()), asyncio.create_task(made.read())
        await asyncio.sleep(0)
        await story(made)
        for task in (reading, watching):
            task.cancel()
        await asyncio.wait({reading, watching})
        return made

    return run_on_own_clock(run())


def test_a_quiet_stream_beats_as_often_as_was_promised() -> None:
    async def quiet_but_for_three_events(made: Watched) -> None:
        for number in (1, 2, 3):
            await asyncio.sleep(50 + number)
            made.hub.bring(entry(number))
        await asyncio.sleep(300)

    made = watched(quiet_but_for_three_events)
    beats = [at for at, chunk in made.arrived if chunk == HEARTBEAT]
    times = [0.0, *(at for at, _ in made.arrived)]
    gaps = [later - earlier for earlier, later in zip(times, times[1:], strict=False)]
    assert max(gaps) <= HEARTBEAT_S
    assert len(beats) < 456 / (HEARTBEAT_S / 2), "a beat is only for a stream that is quiet"


def test_a_stream_that_is_not_quiet_does_not_beat() -> None:
    async def busy(made: Watched) -> None:
        for number in range(1, 100):
            await asyncio.sleep(2)
            made.hub.bring(entry(number))

    assert HEARTBEAT not in [chunk for _, chunk in watched(busy).arrived]


@pytest.fixture
def server_hears_sigterm() -> Iterator[None]:
    """The server's handler, which is there before ours. Without one the signal ends the process."""
    before = signal.signal(signal.SIGTERM, lambda number, frame: None)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("server_hears_sigterm")
def test_readers_may_stay_for_five_seconds_when_the_process_stops() -> None:
    ended: list[float] = []

    async def stop(made: Watched) -> None:
        await asyncio.sleep(10)
        reading = asyncio.create_task(made.read())
        signal.raise_signal(signal.SIGTERM)
        await reading
        ended.append(now_s())

    watched(stop)
    assert ended == [pytest.approx(15)]


def test_a_turn_that_ended_in_sql_alone_ends_for_its_reader() -> None:
    async def lost(made: Watched) -> None:
        made.database.ended["t"] = FAILED
        await asyncio.sleep(60)

    made = watched(lost)
    ((at, chunk),) = [one for one in made.arrived if one[1] != HEARTBEAT]
    assert b"event: turn.failed" in chunk
    assert WATCH_S < at <= 2 * WATCH_S, "the stream gets one round to say it itself"


def test_a_stream_that_is_still_being_read_is_not_lost() -> None:
    """A long answer that has ended is read in portions, on a busy machine for longer than two looks."""

    async def slow(made: Watched) -> None:
        made.database.ended["t"] = FAILED
        for number in range(1, 20):
            await asyncio.sleep(0.9 * WATCH_S)
            made.hub.bring(entry(number))
        made.hub.bring(entry(20, "turn.failed"))
        await asyncio.sleep(1)

    got = b"".join(chunk for _, chunk in watched(slow).arrived)
    assert [line for line in got.split(b"\n") if line.startswith(b"id: ")] == [
        b"id: 1000-%d" % number for number in range(1, 21)
    ]


def test_a_reader_that_takes_nothing_has_five_minutes() -> None:
    async def patience(made: Watched) -> None:
        assert made.feeds.patience_s == 300

    watched(patience)


def test_what_has_gathered_goes_out_in_pieces_of_about_64_kib() -> None:
    async def chunks() -> list[bytes]:
        hub = HeldHub()
        feed = TurnFeed("t", hub)
        hub.bring(*(entry(number, size=1000) for number in range(1, 300)), entry(300, "turn.cancelled"))
        return [chunk async for chunk in feed.after(BEGINNING)]

    *pieces, rest, end = run_on_own_clock(chunks())
    assert len(pieces) > 3
    assert all(64 * 1024 <= len(piece) < 64 * 1024 + 1200 for piece in pieces)
    assert b"".join([*pieces, rest]).count(b"event: text.delta") == 299
    assert end.startswith(b"id: 1000-300\nevent: turn.cancelled\n")


class Told(NamedTuple):
    """One frame as its reader parses it: the id on the wire, its number, its type, and its data."""

    event_id: str
    seq: int
    type: str
    data: dict[str, Any]


def told(chunk: bytes) -> list[Told]:
    frames = []
    for frame in chunk.decode().split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in frame.split("\n"))
        event = json.loads(fields["data"])
        frames.append(Told(fields.get("id", ""), event["seq"], fields["event"], event["data"]))
    return frames


def end_of_turn(seq: int, *, text: str = "All of it [citation:1].", at: int = 2000) -> StreamEntry:
    event = {
        "v": 1,
        "turn_id": "t",
        "seq": seq,
        "type": "turn.failed",
        "at": "2026-03-02T00:00:00Z",
        "data": {"message_id": "m", "problem": {}, "text": text, "citations": [ENTRY]},
    }
    return b"%d-%d" % (at, seq), [b"t", b"turn.failed", b"e", json.dumps(event).encode()]


def ends(start: int, *entries: StreamEntry) -> list[Told]:
    """The last chunk that a reader behind `start` gets of these entries."""

    async def chunks() -> list[bytes]:
        hub = HeldHub()
        feed = TurnFeed("t", hub)
        for one in entries:
            hub.bring(one)
        return [chunk async for chunk in feed.after(start)]

    return told(run_on_own_clock(chunks())[-1])


class TestTheEndOfAReaderWhoMayLackText:
    def test_has_the_whole_text_and_its_citations_before_it(self) -> None:
        whole, end = ends(position_of("900-3"), end_of_turn(6))
        assert (whole.type, whole.seq, whole.event_id) == ("text.replaced", 4, "")
        assert whole.data["text"] == end.data["text"] == "All of it [citation:1]."
        assert [entry["n"] for entry in whole.data["citations"]] == [1]
        assert (end.type, end.seq, end.event_id) == ("turn.failed", 6, "2000-6")

    def test_also_where_the_end_has_a_number_that_the_reader_had(self) -> None:
        whole, end = ends(position_of("900-5"), end_of_turn(2))
        assert (whole.type, whole.seq) == ("text.replaced", 6)
        assert (end.type, end.seq, end.event_id) == ("turn.failed", 7, "2000-7")

    def test_also_where_another_stream_has_the_next_number_by_chance(self) -> None:
        begun_again = (b"1999-1", entry(1, "turn.started")[1])
        whole, end = ends(BEGINNING, entry(1), begun_again, end_of_turn(2))
        assert (whole.type, whole.seq) == ("text.replaced", 2)
        assert end.seq == 3

    def test_stands_alone_where_it_follows_what_was_seen(self) -> None:
        assert [e.type for e in ends(position_of("900-5"), end_of_turn(6))] == ["turn.failed"]
        assert [e.type for e in ends(BEGINNING, entry(1), entry(2), end_of_turn(3))] == ["turn.failed"]

    def test_stands_alone_for_a_reader_who_saw_nothing(self) -> None:
        assert [(e.type, e.seq) for e in ends(BEGINNING, end_of_turn(6))] == [("turn.failed", 6)]

    def test_stands_alone_where_nobody_knows_the_text(self) -> None:
        assert [(e.type, e.seq) for e in ends(position_of("900-5"), end_of_turn(0, text=""))] == [
            ("turn.failed", 6)
        ]

    def test_comes_again_to_who_was_cut_off_behind_the_text(self) -> None:
        # The text has no id, so the reader resumes from the last event of the stream that it has.
        first = ends(position_of("900-5"), end_of_turn(2))
        assert ends(position_of("900-5"), end_of_turn(2)) == first
