"""Automations in SQL: who takes a due moment, what a kill leaves, in whose name a run asks (spec 5.10)."""

from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import col, select

from footnote_agent.automations.begin import PATIENCE, Alongside
from footnote_agent.automations.edit import (
    AutomationChanged,
    RunGoesOn,
    TooManyAutomations,
    ask_for_run,
    asked_turn,
    change_automation,
    make_automation,
)
from footnote_agent.automations.scheduler import Scheduler
from footnote_agent.automations.take import LEASE, MOST_LOST
from footnote_agent.contracts.automations import AutomationChanges, NewAutomation
from footnote_agent.engines.choose import EngineChoice
from footnote_agent.store.automation_tables import AutomationRunRow
from footnote_agent.store.automations import find_automation, list_runs
from footnote_agent.store.tables import ThreadRow, TurnRow
from footnote_agent.store.threads import add_thread
from footnote_agent.turns.start import accept_turn, withdraw_turn
from footnote_shared.contracts.identity import Principal, Scope
from footnote_shared.contracts.turns import NewTurn
from footnote_shared.db.engine import Database, ReadSession, WriteSession
from footnote_shared.kernel.clock import UTC
from footnote_shared.kernel.errors import InvalidRequest, NotFound, Unavailable
from footnote_shared.security.api_keys import list_keys, make_avatar, make_key, revoke_key
from footnote_shared.settings.base import Settings
from footnote_testing.workspace import make_caller, make_database

START = datetime(2026, 3, 2, 8, 30, tzinfo=UTC)
DUE = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
LIMITS = Settings(automations_per_avatar=3)
TROUBLE = Unavailable("redis", "Redis does not answer.")


class Killed(BaseException):
    """The process dies here. What its transactions have committed stays, and nothing else."""


class World:
    """A database, the owner of automations, and a clock that the test moves."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.owner, _ = make_caller(database)
        self.moment = START
        self.asked: list[tuple[Principal, str, NewTurn]] = []
        self.before: Callable[[], None] = lambda: None
        self.after: Callable[[], None] = lambda: None

    def clock(self, session: ReadSession | WriteSession) -> datetime:
        return self.moment

    def scheduler(self) -> Scheduler:
        """One process of the agent."""
        return Scheduler(self.database, self.begin_turn, 5.0, self.clock)

    async def begin_turn(
        self, caller: Principal, thread_id: str, body: NewTurn, alongside: Alongside
    ) -> object:
        self.before()
        with self.database.write() as session:
            choice = EngineChoice("extractive")
            accepted = accept_turn(session, LIMITS, caller, thread_id, body, choice, "me", None)
            alongside(session, accepted.turn_id)
        self.asked.append((caller, thread_id, body))
        try:
            self.after()
        except Unavailable:
            with self.database.write() as session:
                withdraw_turn(session, caller, accepted.turn_id, None)
            self.asked.pop()
            raise
        return accepted

    async def look_at(self, moment: datetime, scheduler: Scheduler | None = None) -> None:
        self.moment = moment
        await (scheduler or self.scheduler()).look()

    def automation(self, caller: Principal | None = None, **more: object) -> str:
        body = NewAutomation.model_validate(
            {"name": "News", "text": "What is new?", "schedule": "0 * * * *", **more}
        )
        with self.database.write() as session:
            owner = caller or self.owner
            return make_automation(session, LIMITS, owner, body, asked_turn(body), self.moment).id

    def runs(self, automation_id: str, caller: Principal | None = None) -> list[AutomationRunRow]:
        with self.database.read() as session:
            return list_runs(session, caller or self.owner, automation_id, 100, None)[::-1]

    def end_turns(self, status: str = "completed", reason: str = "") -> None:
        with self.database.write() as session:
            for turn in session.exec(select(TurnRow).where(col(TurnRow.status) == "running")).all():
                turn.status, turn.ended_at = status, self.moment
                turn.error = {"detail": reason} if reason else None
                session.add(turn)

    def change(self, automation_id: str, caller: Principal | None = None, **changes: object) -> None:
        body = AutomationChanges.model_validate(changes)
        with self.database.write() as session:
            owner = caller or self.owner
            change_automation(session, LIMITS, owner, automation_id, body, None, self.moment)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    database = make_database(f"sqlite:///{tmp_path / 'test.db'}")
    yield World(database)
    database.close()


def told(runs: list[AutomationRunRow]) -> list[tuple[str, str, str]]:
    return [(run.due_at.strftime("%d %H:%M"), run.trigger, run.status) for run in runs]


async def dies(look: Awaitable[None]) -> None:
    with pytest.raises(Killed):
        await look


def kill() -> None:
    raise Killed


class TestADueMoment:
    async def test_is_asked_once_by_one_of_two_processes(self, world: World) -> None:
        automation = world.automation()
        one, other = world.scheduler(), world.scheduler()
        await world.look_at(DUE - timedelta(seconds=1), one)
        assert world.asked == []
        for scheduler in (one, other, one):
            await world.look_at(DUE, scheduler)
        assert told(world.runs(automation)) == [("02 09:00", "schedule", "running")]
        ((caller, thread_id, turn),) = world.asked
        assert caller.avatar_id == world.owner.avatar_id
        assert (turn.text, turn.when_asked) == ("What is new?", "refuse")
        world.end_turns()
        await world.look_at(DUE + HOUR)
        assert told(world.runs(automation)) == [
            ("02 09:00", "schedule", "completed"),
            ("02 10:00", "schedule", "running"),
        ]
        assert {thread for _, thread, _ in world.asked} == {thread_id}

    async def test_is_left_out_while_the_run_before_goes_on(self, world: World) -> None:
        automation = world.automation()
        await world.look_at(DUE)
        await world.look_at(DUE + HOUR)
        runs = world.runs(automation)
        assert told(runs)[1] == ("02 10:00", "schedule", "skipped")
        assert runs[1].reason == "The run before it had not ended."
        assert len(world.asked) == 1

    async def test_comes_once_although_the_clock_is_set_back(self, world: World) -> None:
        automation = world.automation()
        await world.look_at(DUE)
        world.end_turns()
        await world.look_at(DUE + timedelta(seconds=1))
        world.moment = DUE - timedelta(minutes=10)
        world.change(automation, schedule="0 * * * 1")
        await world.look_at(DUE + timedelta(minutes=1))
        assert told(world.runs(automation)) == [("02 09:00", "schedule", "completed")]

    @pytest.mark.parametrize(
        ("missed", "asked", "status"), [("run_once", 1, "running"), ("skip", 0, "skipped")]
    )
    async def test_that_was_missed_is_caught_up_once_or_not(
        self, world: World, missed: str, asked: int, status: str
    ) -> None:
        automation = world.automation(missed=missed)
        back = DUE + 30 * HOUR + timedelta(minutes=20)
        await world.look_at(back)
        await world.look_at(back + timedelta(minutes=1))
        (run,) = world.runs(automation)
        assert told([run]) == [("03 15:00", "missed", status)]
        assert (run.missed_since, len(world.asked)) == (DUE, asked)

    async def test_that_passes_while_it_is_paused_was_not_missed(self, world: World) -> None:
        automation = world.automation()
        world.change(automation, paused=True)
        await world.look_at(DUE + 3 * HOUR)
        world.change(automation, paused=False)
        await world.look_at(DUE + 3 * HOUR + timedelta(minutes=20))
        assert world.runs(automation) == []
        await world.look_at(DUE + 4 * HOUR)
        assert told(world.runs(automation)) == [("02 13:00", "schedule", "running")]


class TestAKill:
    async def test_before_the_turn_leaves_a_run_that_another_process_begins(self, world: World) -> None:
        automation = world.automation()
        world.before = kill
        await dies(world.look_at(DUE))
        world.before = lambda: None
        await world.look_at(DUE + LEASE - timedelta(seconds=1))
        assert world.asked == []
        await world.look_at(DUE + LEASE)
        await world.look_at(DUE + 2 * LEASE)
        assert told(world.runs(automation)) == [("02 09:00", "schedule", "running")]
        assert len(world.asked) == 1

    async def test_of_a_process_whose_clock_is_a_day_ahead_leaves_the_run_to_the_others(
        self, world: World
    ) -> None:
        automation = world.automation(schedule="0 9 * * *")
        world.before = kill
        await dies(world.look_at(DUE + timedelta(days=1)))
        world.before = lambda: None
        await world.look_at(DUE)
        assert told(world.runs(automation)) == [("03 09:00", "schedule", "running")]

    async def test_behind_the_turn_leaves_it_to_the_crew(self, world: World) -> None:
        automation = world.automation()
        world.after = kill
        await dies(world.look_at(DUE))
        world.after = lambda: None
        await world.look_at(DUE + LEASE)
        assert told(world.runs(automation)) == [("02 09:00", "schedule", "running")]
        world.end_turns("failed", "The model is away.")
        await world.look_at(DUE + 2 * LEASE)
        (run,) = world.runs(automation)
        assert (run.status, run.reason) == ("failed", "The model is away.")
        assert len(world.asked) == 1

    async def test_that_comes_each_time_ends_the_run(self, world: World) -> None:
        automation = world.automation(schedule="0 9 * * *")
        world.before = kill
        await dies(world.look_at(DUE))
        for time in range(1, MOST_LOST):
            await dies(world.look_at(DUE + time * LEASE))
        await world.look_at(DUE + MOST_LOST * LEASE)
        (run,) = world.runs(automation)
        assert (run.status, run.reason) == ("failed", "5 processes have died over its beginning.")

    async def test_is_not_needed_for_a_slow_process_to_lose_its_run(self, world: World) -> None:
        automation = world.automation()
        begin = world.begin_turn

        async def overtaken(caller: Principal, thread_id: str, body: NewTurn, alongside: Alongside) -> object:
            await world.look_at(DUE + LEASE)
            return await begin(caller, thread_id, body, alongside)

        first = Scheduler(world.database, overtaken, 5.0, world.clock)
        await world.look_at(DUE, first)
        assert told(world.runs(automation)) == [("02 09:00", "schedule", "running")]
        assert len(world.asked) == 1
        with world.database.read() as session:
            assert len(session.exec(select(TurnRow)).all()) == 1


class TestTrouble:
    async def test_that_passes_is_waited_for(self, world: World) -> None:
        automation = world.automation(schedule="0 9 * * *")

        def away() -> None:
            raise TROUBLE

        world.after = away
        await world.look_at(DUE)
        assert told(world.runs(automation)) == [("02 09:00", "schedule", "queued")]
        world.after = lambda: None
        await world.look_at(DUE + timedelta(seconds=5))
        assert world.asked == []
        await world.look_at(DUE + timedelta(seconds=10))
        assert told(world.runs(automation)) == [("02 09:00", "schedule", "running")]

    @pytest.mark.parametrize("asked_s", [2.0, 86_400.0])
    async def test_that_does_not_pass_fails_the_run(self, world: World, asked_s: float) -> None:
        """It may ask for a day and gets no longer either."""
        automation = world.automation(schedule="0 9 * * *")

        def away() -> None:
            raise Unavailable("redis", "Redis does not answer.", retry_after=asked_s)

        world.before = away
        await world.look_at(DUE)
        await world.look_at(DUE + PATIENCE)
        (run,) = world.runs(automation)
        assert (run.status, run.reason) == ("failed", "Redis does not answer.")


class TestTheOwner:
    def avatar(self, world: World, *scopes: Scope, groups: tuple[str, ...] = ()) -> tuple[Principal, str]:
        with world.database.write() as session:
            avatar = make_avatar(session, world.owner.workspace_id, "bo")
            make_key(session, avatar, "bo", scopes, groups)
        with world.database.read() as session:
            key_id = next(key.id for key in list_keys(session) if key.avatar_id == avatar.avatar_id)
        return avatar.model_copy(update={"scopes": frozenset(scopes)}), key_id

    async def test_without_a_key_has_no_run_and_is_told_so(self, world: World) -> None:
        owner, key_id = self.avatar(world, "write")
        automation = world.automation(owner)
        with world.database.write() as session:
            revoke_key(session, key_id)
        await world.look_at(DUE)
        (run,) = world.runs(automation, owner)
        assert run.status == "failed"
        assert "no key any more that may `write`" in str(run.reason)
        assert world.asked == []

    async def test_gets_no_more_than_the_key_that_wrote_the_automation(self, world: World) -> None:
        owner, _ = self.avatar(world, "admin")
        world.automation(owner.model_copy(update={"scopes": frozenset({"write"})}))
        await world.look_at(DUE)
        ((caller, _, _),) = world.asked
        assert caller.may("write")
        assert not caller.may("admin")

    async def test_is_in_the_groups_of_that_key_as_long_as_a_key_has_them(self, world: World) -> None:
        owner, _ = self.avatar(world, "write", groups=("legal", "ops"))
        world.automation(owner.model_copy(update={"groups": ("board", "ops")}))
        await world.look_at(DUE)
        ((caller, _, _),) = world.asked
        assert caller.groups == ("ops",)

    async def test_alone_sees_it(self, world: World) -> None:
        automation = world.automation()
        other, _ = self.avatar(world, "admin")
        with pytest.raises(NotFound), world.database.read() as session:
            find_automation(session, other, automation)


class TestTheThread:
    async def test_can_be_a_given_one_and_its_end_is_told(self, world: World) -> None:
        with world.database.write() as session:
            thread = add_thread(session, world.owner, "Mine").id
        automation = world.automation(thread_id=thread)
        await world.look_at(DUE)
        assert [asked[1] for asked in world.asked] == [thread]
        with world.database.write() as session:
            session.delete(session.get(ThreadRow, thread))
        await world.look_at(DUE + timedelta(minutes=1))
        await world.look_at(DUE + HOUR)
        assert [run.reason for run in world.runs(automation)] == [
            "Its thread was deleted.",
            "Its thread was deleted. Give it another one, or one of its own.",
        ]

    def test_of_another_avatar_is_refused(self, world: World) -> None:
        stranger, _ = make_caller(world.database, "stranger")
        with world.database.write() as session:
            thread = add_thread(session, stranger, "Theirs").id
        with pytest.raises(InvalidRequest):
            world.automation(thread_id=thread)


class TestItsOwnerCan:
    async def test_run_it_now_although_it_is_paused(self, world: World) -> None:
        automation = world.automation(paused=True)
        with world.database.write() as session:
            ask_for_run(session, world.owner, automation, world.moment)
        with pytest.raises(RunGoesOn), world.database.write() as session:
            ask_for_run(session, world.owner, automation, world.moment)
        await world.look_at(START)
        assert told(world.runs(automation)) == [("02 08:30", "call", "running")]

    async def test_change_it_and_each_run_names_its_version(self, world: World) -> None:
        automation = world.automation()
        world.change(automation, name="Other news", if_version=1)
        with pytest.raises(AutomationChanged):
            world.change(automation, name="Late", if_version=1)
        await world.look_at(DUE)
        (run,) = world.runs(automation)
        assert run.version == 2

    async def test_delete_it_with_its_runs_and_keep_the_answers(self, world: World) -> None:
        automation = world.automation()
        await world.look_at(DUE)
        with world.database.write() as session:
            session.delete(find_automation(session, world.owner, automation))
        await world.look_at(DUE + HOUR)
        with world.database.read() as session:
            assert session.exec(select(AutomationRunRow)).all() == []
            assert len(session.exec(select(TurnRow)).all()) == 1

    def test_have_so_many_and_no_more(self, world: World) -> None:
        for _ in range(LIMITS.automations_per_avatar):
            world.automation()
        with pytest.raises(TooManyAutomations):
            world.automation()
