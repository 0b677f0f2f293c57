"""Leases and endings, on both databases; the raw stream, on Redis."""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from redis.asyncio import Redis
from sqlmodel import col, select

from footnote_agent.engines.choose import EngineChoice
from footnote_agent.store.answer_records import record_of
from footnote_agent.store.tables import TurnRow
from footnote_agent.store.threads import add_thread, find_thread
from footnote_agent.store.turns import (
    Ending,
    LeasedTurn,
    answer_of,
    end_turn,
    end_unreadable,
    expired,
    find_turn,
    leased_turn,
    release_leases,
    renew_leases,
    take_over,
)
from footnote_agent.turns.answer_record import answer_record
from footnote_agent.turns.journal import FencedOff, Journal, StreamEnded, StreamLost
from footnote_agent.turns.start import Accepted, accept_turn, withdraw_turn
from footnote_cli.migrations import downgrade, upgrade
from footnote_shared.contracts.events import Progress, RawCompleted, TextDelta
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import NewTurn
from footnote_shared.db.engine import Database
from footnote_shared.db.idempotency import KeyedRequest
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import NotFound, TooMany
from footnote_shared.kernel.problem_document import problem_of
from footnote_shared.kernel.stream_servers import StreamServers
from footnote_shared.redis import keys
from footnote_shared.redis.connection import connect_async
from footnote_shared.security.keyring import KeyDestroyed, Keyring, destroy
from footnote_shared.security.master_key import GivenMasterKey, make_key_text
from footnote_shared.settings.base import Settings
from footnote_testing.redis_process import RedisProcess
from footnote_testing.workspace import make_caller
from footnote_testing.wrong_clock import wrong_clock

MASTER = make_key_text()
MODEST = Settings(max_turns_in_flight=3)


def begin(
    database: Database, caller: Principal, settings: Settings = MODEST, key: str | None = None
) -> tuple[str, Accepted]:
    with database.write() as session:
        thread = add_thread(session, caller, None).id
        request = KeyedRequest.of(caller, key, "ask")
        accepted = accept_turn(
            session,
            settings,
            caller,
            thread,
            NewTurn(text="Hm?"),
            EngineChoice("extractive"),
            "me",
            request,
        )
        return thread, accepted


def leased(accepted: Accepted) -> LeasedTurn:
    assert accepted.leased is not None
    return accepted.leased


def let_run_out(database: Database, turn_id: str) -> None:
    with database.write() as session:
        renew_leases(session, "me", [turn_id], now() - timedelta(seconds=1))


class TestLeases:
    def test_one_that_ran_out_is_taken_by_exactly_one(self, database: Database) -> None:
        caller, _ = make_caller(database)
        turn_id = begin(database, caller)[1].turn_id
        let_run_out(database, turn_id)
        with database.read() as session:
            assert expired(session, now(), 10) == [(turn_id, 1)]

        def take(who: int) -> LeasedTurn | None:
            with database.write() as session:
                return take_over(session, f"replica {who}", turn_id, 1, now() + timedelta(seconds=30))

        with ThreadPoolExecutor(8) as pool:
            taken = [found for found in pool.map(take, range(8)) if found is not None]
        assert [found.fence for found in taken] == [2]

    def test_one_that_is_held_is_not_taken(self, database: Database) -> None:
        caller, _ = make_caller(database)
        turn_id = begin(database, caller)[1].turn_id
        with database.read() as reading:
            assert expired(reading, now(), 10) == []
        with database.write() as session:
            assert take_over(session, "other", turn_id, 1, now() + timedelta(seconds=30)) is None

    def test_those_that_nobody_can_carry_keep_no_others_waiting(self, database: Database) -> None:
        callers = [make_caller(database, f"caller {number}")[0] for number in range(5)]
        turns = [begin(database, caller)[1].turn_id for caller in callers]
        for turn_id in turns:
            let_run_out(database, turn_id)
        with database.read() as session:
            found = expired(session, now(), 2, lambda turn_id: turn_id not in turns[:3])
            assert found == [(turn_id, 1) for turn_id in turns[3:]]
            assert expired(session, now(), 1, lambda turn_id: turn_id in turns[2:]) == [(turns[2], 1)]

    def test_one_of_a_clock_that_is_a_day_ahead_is_nobodys(self, database: Database) -> None:
        caller, _ = make_caller(database)
        turn_id = begin(database, caller)[1].turn_id
        with database.write() as session:
            renew_leases(session, "me", [turn_id], now() + timedelta(days=1))
        with database.read() as reading:
            assert expired(reading, now(), 10) == [(turn_id, 1)]
        with database.write() as session:
            taken = take_over(session, "other", turn_id, 1, now() + timedelta(seconds=30))
        assert taken is not None
        assert taken.fence == 2

    @pytest.mark.parametrize("ahead", [timedelta(days=1), timedelta(minutes=30), timedelta(days=-1)])
    def test_none_is_over_for_a_process_whose_clock_is_wrong(
        self, database: Database, ahead: timedelta
    ) -> None:
        caller, _ = make_caller(database)
        turn_id = begin(database, caller)[1].turn_id
        with wrong_clock(ahead):
            with database.read() as reading:
                assert expired(reading, now(), 10) == []
            with database.write() as session:
                assert take_over(session, "other", turn_id, 1, now() + timedelta(seconds=30)) is None
            theirs = begin(database, caller)[1].turn_id
        with database.write() as session:
            assert take_over(session, "other", theirs, 1, now() + timedelta(seconds=30)) is None

    @pytest.mark.parametrize("ahead", [timedelta(days=1), timedelta(minutes=-1)])
    def test_who_takes_it_over_gives_it_no_more_time_than_a_turn_has(
        self, database: Database, ahead: timedelta
    ) -> None:
        caller, _ = make_caller(database)
        turn_id = begin(database, caller)[1].turn_id
        created = now() + ahead
        with database.write() as session:
            turn = session.get(TurnRow, turn_id)
            assert turn is not None
            session.add(turn.sqlmodel_update({"created_at": created}))
        let_run_out(database, turn_id)
        with database.write() as session:
            taken = take_over(session, "other", turn_id, 1, now() + timedelta(seconds=30))
        assert taken is not None
        began = taken.time_began_at
        assert began == created if ahead < timedelta() else began <= now()

    def test_one_that_was_lost_is_not_renewed(self, database: Database) -> None:
        caller, _ = make_caller(database)
        turn_id = begin(database, caller)[1].turn_id
        let_run_out(database, turn_id)
        with database.write() as session:
            assert take_over(session, "other", turn_id, 1, now() + timedelta(seconds=30)) is not None
        with database.write() as session:
            assert renew_leases(session, "me", [turn_id], now()) == set()
            assert renew_leases(session, "other", [turn_id], now()) == {turn_id}

    def test_those_of_a_process_that_stops_are_free_at_once(self, database: Database) -> None:
        caller, _ = make_caller(database)
        turn_id = begin(database, caller)[1].turn_id
        with database.write() as session:
            release_leases(session, "me")
        with database.read() as session:
            assert [found for found, _ in expired(session, now(), 10)] == [turn_id]


class TestDestroyedWorkspaces:
    """The key of one workspace is gone while its turns run beside those of others."""

    @pytest.fixture
    def turns(self, database: Database) -> tuple[str, str]:
        """A turn of a workspace that is destroyed, and one of another."""
        database.sealer = Keyring(GivenMasterKey(MASTER), seals=True)
        gone, other = make_caller(database, "gone")[0], make_caller(database, "other")[0]
        mine, theirs = (begin(database, caller)[1].turn_id for caller in (gone, other))
        with database.write() as session:
            destroy(session.connection(), gone.workspace_id)
        database.sealer = Keyring(GivenMasterKey(MASTER), seals=True)
        return mine, theirs

    def test_costs_the_others_no_lease(self, database: Database, turns: tuple[str, str]) -> None:
        with database.write() as session:
            assert renew_leases(session, "me", turns, now()) == set(turns)
        for turn_id in turns:
            with database.write() as session:
                assert renew_leases(session, "other", [turn_id], now()) == set()

    def test_its_turn_ends_without_being_read(self, database: Database, turns: tuple[str, str]) -> None:
        mine, theirs = turns
        for turn_id in turns:
            let_run_out(database, turn_id)
        until = now() + timedelta(seconds=30)
        with pytest.raises(KeyDestroyed), database.write() as session:
            take_over(session, "me", mine, 1, until)
        with database.write() as session:
            end_unreadable(session, mine, 1, problem_of(KeyDestroyed()))
        with database.read() as session:
            assert expired(session, now(), 10) == [(theirs, 1)]
            status = session.exec(select(TurnRow.status).where(col(TurnRow.id) == mine)).one()
        assert status == "failed"
        with database.write() as session:
            assert take_over(session, "me", theirs, 1, until) is not None
            end_unreadable(session, theirs, 1, problem_of(KeyDestroyed()))
        with database.read() as session:
            assert session.exec(select(TurnRow.status).where(col(TurnRow.id) == theirs)).one() == "running"


class TestEndings:
    def test_are_stored_once(self, database: Database) -> None:
        caller, _ = make_caller(database)
        turn_id = begin(database, caller)[1].turn_id
        outcomes = []
        for status in ("completed", "failed"):
            with database.write() as session:
                ending = Ending(status, status, [])
                leased = leased_turn(find_turn(session, caller, turn_id))
                record = answer_record(leased, {"intent": "knowledge"}, ending, now(), content=False)
                outcomes.append(end_turn(session, turn_id, ending, record))
        with database.read() as session:
            answer = answer_of(session, caller, turn_id)
            turn = find_turn(session, caller, turn_id)
            kept = record_of(session, caller, turn_id)
        assert outcomes == [True, False]
        assert answer is not None
        assert (turn.status, answer.text, answer.id) == ("completed", "completed", turn.message_id)
        assert kept is not None
        assert (kept.status, kept.intent, kept.message_id) == ("completed", "knowledge", turn.message_id)


class TestAcceptance:
    def test_has_a_limit_per_workspace(self, database: Database) -> None:
        caller, _ = make_caller(database)
        other, _ = make_caller(database)
        for _ in range(3):
            begin(database, caller)
        with pytest.raises(TooMany):
            begin(database, caller)
        begin(database, other)

    def test_keeps_to_the_limit_when_many_ask_at_once(self, database: Database) -> None:
        caller, _ = make_caller(database)

        def ask(_: int) -> bool:
            try:
                begin(database, caller)
            except TooMany:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(ask, range(12))) == 3

    def test_taken_back_leaves_nothing(self, database: Database) -> None:
        caller, _ = make_caller(database)
        thread, accepted = begin(database, caller, key="k")
        with database.write() as session:
            withdraw_turn(session, caller, accepted.turn_id, KeyedRequest.of(caller, "k", "ask"))
        with database.write() as session, pytest.raises(NotFound):
            find_turn(session, caller, accepted.turn_id)
        with database.write() as session:
            again = accept_turn(
                session,
                MODEST,
                caller,
                thread,
                NewTurn(text="Hm?"),
                EngineChoice("extractive"),
                "me",
                KeyedRequest.of(caller, "k", "ask"),
            )
        assert again.leased is not None

    def test_repeated_is_the_same_turn(self, database: Database) -> None:
        caller, _ = make_caller(database)
        with database.write() as session:
            thread = add_thread(session, caller, None).id

        def ask(_: int) -> str:
            with database.write() as session:
                return accept_turn(
                    session,
                    MODEST,
                    caller,
                    thread,
                    NewTurn(text="Hm?"),
                    EngineChoice("extractive"),
                    "me",
                    KeyedRequest.of(caller, "k", "ask"),
                ).turn_id

        with ThreadPoolExecutor(6) as pool:
            assert len(set(pool.map(ask, range(6)))) == 1


class TestHostileInput:
    @pytest.mark.parametrize("odd", ["\0", "x" * 5000, "' OR 1=1 --", ""])
    def test_is_no_id(self, database: Database, odd: str) -> None:
        caller, _ = make_caller(database)
        with database.read() as session:
            with pytest.raises(NotFound):
                find_thread(session, caller, odd)
            with pytest.raises(NotFound):
                find_turn(session, caller, odd)

    def test_with_nul_characters_is_stored_without_them(self, database: Database) -> None:
        caller, _ = make_caller(database)
        with database.write() as session:
            assert add_thread(session, caller, "a\0b").title == "ab"


class TestMigrations:
    def test_go_back_and_forth(self, own_database: Database) -> None:
        downgrade(own_database, "agent@base")
        upgrade(own_database)
        caller, _ = make_caller(own_database)
        assert begin(own_database, caller)[1].leased is not None


@pytest.fixture
async def redis(redis_server: RedisProcess) -> AsyncIterator[Redis]:
    client = connect_async(redis_server.url)
    yield client
    await client.aclose()


class TestTheRawStream:
    async def test_is_opened_once_and_announced(self, database: Database, redis: Redis) -> None:
        caller, _ = make_caller(database)
        turn = leased(begin(database, caller)[1])
        journal = Journal(StreamServers({"one": redis}))
        await journal.open(turn)
        await journal.open(turn)
        assert await redis.xlen(keys.turn_raw(turn.id)) == 1
        assert await redis.ttl(keys.turn_raw(turn.id)) > 0
        told: Any = await redis.xrange(keys.TURNS_STREAM)
        mine = [fields for _, fields in told if fields["turn_id"] == turn.id]
        assert [(one["workspace_id"], one["thread_id"]) for one in mine] == [
            (caller.workspace_id, turn.thread_id)
        ] * 2

    async def test_takes_nothing_behind_its_end(self, database: Database, redis: Redis) -> None:
        caller, _ = make_caller(database)
        turn = leased(begin(database, caller)[1])
        journal = Journal(StreamServers({"one": redis}))
        await journal.open(turn)
        await journal.append(turn, "text.delta", TextDelta(text="all"))
        await journal.append(turn, "message.completed", RawCompleted(message_id=turn.message_id))
        with pytest.raises(StreamEnded):
            await journal.append(turn, "turn.cancelled", RawCompleted(message_id=turn.message_id))
        state = await journal.state(turn.id)
        assert (state.exists, state.ended, state.text) == (True, True, "all")

    async def test_refuses_a_run_that_was_overtaken(self, database: Database, redis: Redis) -> None:
        caller, _ = make_caller(database)
        old = leased(begin(database, caller)[1])
        journal = Journal(StreamServers({"one": redis}))
        await journal.open(old)
        let_run_out(database, old.id)
        with database.write() as session:
            new = take_over(session, "other", old.id, 1, now() + timedelta(seconds=30))
        assert new is not None
        await journal.append(new, "progress", Progress(stage="thinking", label="Picking the work up again"))
        with pytest.raises(FencedOff):
            await journal.append(old, "text.delta", TextDelta(text="late"))
        await journal.append(new, "text.delta", TextDelta(text="mine"))
        assert (await journal.state(old.id)).text == "mine"

    async def test_that_was_lost_is_not_begun_in_the_middle(self, database: Database, redis: Redis) -> None:
        caller, _ = make_caller(database)
        turn = leased(begin(database, caller)[1])
        journal = Journal(StreamServers({"one": redis}))
        await journal.open(turn)
        await redis.delete(keys.turn_raw(turn.id))
        with pytest.raises(StreamLost):
            await journal.append(turn, "text.delta", TextDelta(text="late"))
        assert await journal.closing_or_open(turn.id) == (None, False)
