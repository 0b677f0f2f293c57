"""Who may read a turn: also a reader who is as quick as its announcement (spec 1.4, 6)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis.asyncio

from footnote_resolver.readers.access import readable_turn
from footnote_resolver.store.turns import KnownTurn
from footnote_resolver.streams.turn_streams import TurnStreams
from footnote_shared.contracts.events import RawEvent
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import NotFound
from footnote_shared.kernel.ids import new_id
from footnote_testing.own_clock import now_s, run_on_own_clock
from footnote_testing.workspace import make_caller, make_database


class LateStream(TurnStreams):
    """The agent opens the stream of a turn of this workspace `late_s` seconds after the clock has begun."""

    def __init__(self, workspace_id: str, late_s: float) -> None:
        super().__init__(redis.asyncio.Redis(), lease_s=5, retention_s=60)
        self._workspace_id = workspace_id
        self._late_s = late_s
        self.looks = 0

    async def first_raw(self, turn_id: str) -> str | None:
        self.looks += 1
        if now_s() < self._late_s:
            return None
        event = RawEvent(
            turn_id=turn_id,
            workspace_id=self._workspace_id,
            thread_id=new_id(),
            type="turn.started",
            at=now(),
            data={},
        )
        return event.model_dump_json()


@pytest.fixture(scope="module")
def sql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder: Path = tmp_path_factory.mktemp("access")
    made = make_database(f"sqlite:///{folder / 'access.db'}")
    yield made
    made.close()


@pytest.fixture(scope="module")
def reader(sql: Database) -> Principal:
    return make_caller(sql)[0]


def asked(sql: Database, reader: Principal, turn: str, streams: LateStream) -> tuple[KnownTurn | None, float]:
    """What a reader finds, and after how many seconds."""

    async def ask() -> tuple[KnownTurn | None, float]:
        try:
            return await readable_turn(reader, turn, database=sql, streams=streams), now_s()
        except NotFound:
            return None, now_s()

    return run_on_own_clock(ask(), threads=True)


def test_a_turn_that_begins_a_moment_later_is_found(sql: Database, reader: Principal) -> None:
    turn = new_id()
    found, _ = asked(sql, reader, turn, LateStream(reader.workspace_id, late_s=0.3))
    assert found is not None
    assert (found.turn_id, found.ended) == (turn, None)


@pytest.mark.parametrize("theirs", [True, False])
def test_what_is_not_the_readers_takes_as_long_as_what_is_not_there(
    sql: Database, reader: Principal, *, theirs: bool
) -> None:
    streams = LateStream(new_id(), late_s=0 if theirs else 3600)
    found, took_s = asked(sql, reader, new_id(), streams)
    assert found is None
    assert took_s == pytest.approx(0.5)
    assert streams.looks == 8, "the first pauses are short: a turn is mostly there soon"
