"""Relays that die anywhere, with batches of any size: the stream stays the truth for the next one."""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, Literal

import orjson
import pytest
import redis.asyncio
import structlog
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footnote_resolver.relay.relay import Relay
from footnote_resolver.relay.requests import AskEntries, AskIssued, AskShown, AskVerdicts, Verdicts
from footnote_resolver.relay.script import TurnScript
from footnote_resolver.relay.script_answers import ScriptAnswers
from footnote_resolver.store.turns import AnnouncedTurn
from footnote_resolver.streams.hub import Follower, StreamEntry, StreamHub
from footnote_resolver.streams.turn_streams import TakenLease, TurnStreams, WrittenEvent
from footnote_shared.db.engine import Database
from footnote_shared.kernel.ids import new_id
from footnote_testing.eventually import LIMIT_S
from footnote_testing.workspace import make_database
from tests.properties.effort import examples
from tests.unit.resolver.entries import entry

DELTAS = [
    "The launch ", "moved ", "[1]", "[", "1", "2", "]", "[2]", "[3, 4]", "[5]", ". ", ".\n\n",
    "\n- Item is here", "`[1]`", "[2024]", "Costs 5 euros. ", "x" * 600,
]  # fmt: skip
ALL = 9
"""So many numbers are issued at the first look that no citation is unknown."""

START = {"thread_id": "c", "message_id": "m", "engine": "e", "settings_hash": "0"}


class Died(Exception):
    """The process is gone."""


class MemoryStreams(TurnStreams):
    """The events of one turn in memory.

    The relay dies at an append when `deaths` says so: before it is done, or behind it.
    """

    def __init__(self, deaths: Iterator[str]) -> None:
        super().__init__(redis.asyncio.Redis(), lease_s=1, retention_s=1)
        self.events: list[WrittenEvent] = []
        self._deaths = deaths

    async def take(self, turn_id: str, token: str, *, announced: bool) -> TakenLease:
        return TakenLease("new" if announced else "known")

    async def release(self, turn_id: str, token: str) -> None:
        return None

    async def written(self, turn_id: str) -> list[WrittenEvent]:
        return list(self.events)

    async def append(
        self,
        turn_id: str,
        token: str,
        present: int,
        events: Sequence[tuple[str, bytes]],
        *,
        first_seq: int,
        not_before_ms: int = 0,
        answer_log: bytes = b"",
        last: bool = False,
    ) -> int | None:
        assert present == len(self.events)
        death = next(self._deaths)
        if death == "before":
            raise Died
        for position, (kind, event) in enumerate(events):
            self.events.append(
                WrittenEvent(
                    f"1-{first_seq + position}",
                    kind,
                    event.decode(),
                    answer_log.decode() if not position else "",
                )
            )
        if death == "behind":
            raise Died
        return 1


class BatchedHub(StreamHub):
    """Hands a raw stream out from its start, in batches of given sizes."""

    def __init__(self, raws: list[bytes], sizes: Iterator[int]) -> None:
        super().__init__(redis.asyncio.Redis())
        self._raws = raws
        self._sizes = sizes

    def follow(self, key: str, last_id: bytes, on_entries: Callable[[list[StreamEntry]], None]) -> Follower:
        follower = super().follow(key, last_id, on_entries)
        self._hand_out(follower, 0)
        return follower

    def _hand_out(self, follower: Follower, start: int) -> None:
        end = start + next(self._sizes)
        if start < len(self._raws):
            follower.hand_out(
                [(b"%d-0" % n, [b"e", raw]) for n, raw in enumerate(self._raws[start:end], start + 1)],
                read_behind=follower.last_id,
            )
            asyncio.get_running_loop().call_later(0.0005, self._hand_out, follower, end)


class GrowingRegistry(ScriptAnswers):
    """A registry in which more numbers are issued with every look."""

    def __init__(self, growth: Iterator[int]) -> None:
        self.issued = 0
        self._growth = growth

    async def answer(self, request: Any) -> Any:
        match request:
            case AskIssued():
                self.issued += next(self._growth)
                return self.issued
            case AskEntries(numbers):
                return {n: entry(n) for n in numbers}
            case AskShown(numbers):
                return set(numbers)
            case AskVerdicts():
                return Verdicts([])
            case _:
                return None


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder: Path = tmp_path_factory.mktemp("relay")
    made = make_database(f"sqlite:///{folder / 'relay.db'}")
    yield made
    made.close()


def raw_events(turn_id: str, deltas: list[str], end: str) -> list[bytes]:
    events: list[tuple[str, dict[str, Any]]] = [("turn.started", START)]
    events += [("text.delta", {"text": delta}) for delta in deltas]
    events.append((end, {"message_id": "m", "problem": {}}))
    head = {"turn_id": turn_id, "workspace_id": "w", "thread_id": "c"}
    return [
        orjson.dumps({**head, "type": kind, "at": f"2026-03-02T10:00:{n:02}.000Z", "data": data})
        for n, (kind, data) in enumerate(events)
    ]


async def carried(
    database: Database,
    raws: list[bytes],
    turn_id: str,
    deaths: list[str],
    sizes: list[int],
    growth: list[int],
) -> list[WrittenEvent]:
    """The events of a turn that one relay after the other carries, until one lives to its end."""
    streams = MemoryStreams(iter([*deaths, *["never"] * 1000]))
    registry, batches = GrowingRegistry(cycle(growth)), cycle(sizes)
    announced = True
    while True:
        relay = Relay(
            AnnouncedTurn(turn_id, "w", "c"),
            streams=streams,
            hub=BatchedHub(raws, batches),
            database=database,
            answers=registry,
            script=lambda: TurnScript("off", "off"),
            idle_s=60,
        )
        try:
            async with asyncio.timeout(LIMIT_S):
                await relay.run(announced=announced)
            return streams.events
        except Died:
            announced = False


@given(
    deltas=st.lists(st.sampled_from(DELTAS), max_size=50),
    end=st.sampled_from(["message.completed", "turn.failed", "turn.cancelled"]),
    deaths=st.lists(st.sampled_from(["never", "before", "behind"]), max_size=12),
    sizes=st.lists(st.integers(1, 20), min_size=1, max_size=6),
    growth=st.just([ALL]) | st.lists(st.integers(0, 2), min_size=1, max_size=5),
)
@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_relays_that_die_anywhere_write_one_stream(
    database: Database,
    deltas: list[str],
    end: Literal["message.completed", "turn.failed", "turn.cancelled"],
    deaths: list[str],
    sizes: list[int],
    growth: list[int],
) -> None:
    turn_id = new_id()
    with structlog.testing.capture_logs() as logs:
        written = asyncio.run(
            carried(database, raw_events(turn_id, deltas, end), turn_id, deaths, sizes, growth)
        )
    assert not [log for log in logs if log["event"] == "relay.diverged"]
    events = [json.loads(one.event) for one in written]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert [event["type"] for event in events if event["type"] in (end, "turn.started")] == [
        "turn.started",
        end,
    ]
    final = events[-1]["data"]
    if growth[0] == ALL:
        assert "".join(e["data"]["text"] for e in events if e["type"] == "text.delta") == final["text"]
    announced = [event["data"]["entry"]["n"] for event in events if event["type"] == "citation"]
    assert len(announced) == len(set(announced))
    assert {citation["n"] for citation in final["citations"]} <= set(announced)
