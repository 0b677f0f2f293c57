"""What a reader of a turn is sent while its stream or the database comes and goes (spec 6)."""

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from footnote_agent.turns.crew import Crew
from footnote_agent.turns.follow import StoredEnd, follow
from footnote_shared.clients.resolver import ResolverClient
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.events import Event
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import NotFound, Unavailable
from footnote_shared.web.sse import encode_event
from footnote_testing.own_clock import run_on_own_clock

TEXT = "The launch moved [citation:1]."
ENTRY = {
    "n": 1,
    "source_type": "web_result",
    "provider": "web",
    "content_hash": "0",
    "locator": {"url": "https://example.org/launch"},
    "display": {"title": "Launch", "source": "web"},
    "quote": "The launch moved.",
}
SQL_AWAY = Unavailable("sql", "The database does not answer.")


def event(seq: int, kind: Any, **data: Any) -> Event:
    return Event(turn_id="t", seq=seq, type=kind, at=now(), data=data)


def frame(one: Event) -> bytes:
    return encode_event(one.model_dump_json(), event_id=f"1000-{one.seq}", event=one.type)


STARTED, DELTA = frame(event(1, "turn.started")), frame(event(2, "text.delta", text="The "))
COMPLETED = frame(event(3, "message.completed", message_id="m", text=TEXT, citations=[ENTRY]))
STORED = StoredEnd("thread", event(3, "message.completed", message_id="m", text=TEXT, citations=[ENTRY]))


class ScriptedResolver(ResolverClient):
    """Each stream is the next of `streams`: what comes, before the connection is lost."""

    def __init__(self, *streams: bytes) -> None:
        self.streams = list(streams)
        self.asked_behind: list[str | None] = []

    async def stream(
        self, principal: Principal, turn_id: str, last_event_id: str | None = None
    ) -> AsyncGenerator[bytes, None]:
        self.asked_behind.append(last_event_id)
        if not self.streams:
            raise NotFound
        yield self.streams.pop(0)
        raise Unavailable("resolver", "gone")

    async def citations(
        self,
        principal: Principal,
        conversation_id: str,
        numbers: list[int],
        *,
        shown_last: bool = False,
        owner: str | None = None,
    ) -> list[CitationEntry]:
        return []


class ScriptedDatabase(Database):
    """Each read is the next of `answers`; the last one stays."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)

    async def read_async(self, work: Any) -> Any:
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class ScriptedCrew(Crew):
    """The turn runs in another process, or has `ended_here`."""

    def __init__(self, *, ended_here: bool) -> None:
        self._ended_here = ended_here

    async def wait(self, turn_id: str, patience_s: float) -> bool:
        return self._ended_here

    def end_seen(self, turn_id: str) -> None:
        return


def heard(resolver: ResolverClient, database: Database, *, ended_here: bool = False) -> list[Event]:
    caller = Principal(workspace_id="w", avatar_id="a", scopes=frozenset({"read"}))

    async def read() -> bytes:
        crew = ScriptedCrew(ended_here=ended_here)
        return b"".join([chunk async for chunk in follow(resolver, crew, database, caller, "t")])

    lines = run_on_own_clock(read()).decode().split("\n")
    return [Event.model_validate(json.loads(line[6:])) for line in lines if line.startswith("data: ")]


def test_of_a_turn_that_has_ended_here_the_database_is_not_asked_whether_it_has() -> None:
    silent = ScriptedDatabase(AssertionError("the database is asked"))
    got = heard(ScriptedResolver(STARTED + DELTA + COMPLETED), silent, ended_here=True)
    assert [e.type for e in got] == ["turn.started", "text.delta", "message.completed"]


class TestAStreamThatIsGone:
    def test_ends_with_the_whole_text_for_a_reader_in_the_middle(self) -> None:
        got = heard(ScriptedResolver(STARTED + DELTA), ScriptedDatabase(STORED))
        assert [(e.type, e.seq) for e in got[2:]] == [("text.replaced", 3), ("message.completed", 4)]
        assert got[2].data["text"] == TEXT
        assert [entry["n"] for entry in got[2].data["citations"]] == [1]

    def test_ends_with_its_end_alone_for_a_reader_who_saw_nothing(self) -> None:
        assert [e.type for e in heard(ScriptedResolver(), ScriptedDatabase(STORED))] == ["message.completed"]


class TestATurnThatIsGone:
    """Its stream could not be opened, while a repetition of its request waited; or its thread was deleted."""

    @pytest.mark.parametrize("seen", [[], [STARTED + DELTA]])
    def test_has_an_end_that_says_so(self, seen: list[bytes]) -> None:
        got = heard(ScriptedResolver(*seen), ScriptedDatabase(NotFound()))
        assert [e.seq for e in got] == list(range(1, len(got) + 1))
        assert (got[-1].type, got[-1].data["problem"]["code"]) == ("turn.failed", "turn_gone")


class TestWhileSqlIsAway:
    @pytest.mark.parametrize("away", [SQL_AWAY, None])
    def test_the_stream_goes_on(self, away: object) -> None:
        resolver = ScriptedResolver(STARTED, DELTA, COMPLETED)
        got = heard(resolver, ScriptedDatabase(away, away, True))
        assert [(e.type, e.seq) for e in got] == [
            ("turn.started", 1),
            ("text.delta", 2),
            ("message.completed", 3),
        ]
        assert resolver.asked_behind == [None, "1000-1", "1000-2"]

    def test_the_end_is_not_held_back(self) -> None:
        got = heard(ScriptedResolver(STARTED + DELTA + COMPLETED), ScriptedDatabase(SQL_AWAY))
        assert [e.type for e in got] == ["turn.started", "text.delta", "message.completed"]

    def test_a_stored_end_is_given_as_soon_as_sql_is_back(self) -> None:
        got = heard(ScriptedResolver(STARTED), ScriptedDatabase(SQL_AWAY, SQL_AWAY, STORED))
        assert [e.type for e in got] == ["turn.started", "text.replaced", "message.completed"]
