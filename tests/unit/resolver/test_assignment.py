"""Which turns a process carries, and how soon: by a clock that jumps, without Redis and SQL."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import redis.asyncio

from footnote_resolver.relay.assignment import TurnAssignment
from footnote_resolver.relay.relay import Relay
from footnote_resolver.store.turns import AnnouncedTurn
from footnote_resolver.streams.announcements import Announcement, Announcements
from footnote_resolver.streams.turn_streams import TurnStreams
from footnote_shared.db.engine import Database
from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_shared.kernel.errors import Unavailable
from footnote_testing.own_clock import now_s, run_on_own_clock

LEASE_S = 6.0
TURN = AnnouncedTurn("t", "w", "c")


class NoAnnouncements(Announcements):
    """Nothing is announced. `asked_idle_ms` are the ages from which announcements were taken from others."""

    def __init__(self, first: Iterable[Announcement] = ()) -> None:
        self.first = list(first)
        self.asked_idle_ms: list[int] = []
        self.forgotten: list[str] = []

    async def wait(self) -> list[Announcement]:
        if self.first:
            first, self.first = self.first, []
            return first
        nothing_more: asyncio.Future[list[Announcement]] = asyncio.get_running_loop().create_future()
        return await nothing_more

    async def left_by_others(self, idle_ms: int) -> list[Announcement]:
        self.asked_idle_ms.append(idle_ms)
        return []

    async def forget(self, announcements: Iterable[Announcement]) -> None:
        self.forgotten += [one.entry_id for one in announcements]


class Holdings(TurnStreams):
    """Who holds the turn, and whether Redis knows it."""

    def __init__(self, *, held: bool, known: bool) -> None:
        super().__init__(redis.asyncio.Redis(), lease_s=LEASE_S, retention_s=60)
        self._state = (held, known)

    async def holdings(self, turn_ids: Sequence[str]) -> list[tuple[bool, bool]]:
        return [self._state for _ in turn_ids]


class RunningInSql(Database):
    """One turn runs. While `away`, it does not answer; `asked_at` says when it was asked."""

    def __init__(self, *, away: bool = False) -> None:
        self.away = away
        self.asked_at: list[float] = []

    async def read_async(self, work: Any) -> Any:
        self.asked_at.append(now_s())
        if self.away:
            raise Unavailable("database", "It is away.")
        return [TURN]

    async def write_together_async(self, work: Any) -> Any:
        if self.away:
            raise Unavailable("database", "It is away.")


class TimedRelay(Relay):
    """Says when it began, when its lease was renewed and when it was asked for the agent's silence."""

    def __init__(self, turn: AnnouncedTurn) -> None:
        self.turn = turn
        self.began_at: float | None = None
        self.renewed_at: list[float] = []
        self.looked = 0

    async def run(self, *, announced: bool) -> None:
        self.began_at = now_s()
        await asyncio.get_running_loop().create_future()

    async def renew(self) -> None:
        self.renewed_at.append(now_s())

    def look_at_clock(self) -> None:
        self.looked += 1

    async def release(self) -> None:
        return None


class Assigned:
    """An assignment at work over its stores."""

    def __init__(
        self, streams: TurnStreams, database: RunningInSql, announcements: NoAnnouncements | None = None
    ) -> None:
        self.announcements, self.database = announcements or NoAnnouncements(), database
        self.relay = TimedRelay(TURN)
        self.assignment = TurnAssignment(
            self.announcements, streams, database, lambda turn: self.relay, LEASE_S
        )


def after(seconds: float, make: Callable[[], Assigned]) -> Assigned:
    """What an assignment has done after so many seconds."""

    async def run() -> Assigned:
        made = make()
        running = asyncio.create_task(made.assignment.run())
        await asyncio.sleep(seconds)
        await end_tasks({running}, 5)
        await made.assignment.hand_back()
        return made

    return run_on_own_clock(run())


def unheld(*, known: bool) -> Callable[[], Assigned]:
    return lambda: Assigned(Holdings(held=False, known=known), RunningInSql())


def test_a_lease_is_renewed_before_half_of_it_is_over() -> None:
    relay = after(60, unheld(known=True)).relay
    times = [relay.began_at or 0.0, *relay.renewed_at]
    assert max(later - earlier for earlier, later in zip(times, times[1:], strict=False)) <= LEASE_S / 2
    assert len(relay.renewed_at) <= 60 / (LEASE_S / 4), "each costs a call"
    assert relay.looked >= len(relay.renewed_at)


def test_a_turn_that_nobody_holds_is_taken_within_the_lease_time() -> None:
    began = after(LEASE_S, unheld(known=True)).relay.began_at
    assert began is not None


def test_takeovers_are_looked_for_in_every_lease_time() -> None:
    asked = after(60, lambda: Assigned(Holdings(held=True, known=True), RunningInSql())).database.asked_at
    gaps = [later - earlier for earlier, later in zip(asked, asked[1:], strict=False)]
    assert min(gaps) >= LEASE_S / 4
    assert max(gaps) < LEASE_S


def test_a_turn_that_somebody_holds_is_left_alone() -> None:
    assert after(60, lambda: Assigned(Holdings(held=True, known=True), RunningInSql())).relay.began_at is None


def test_a_turn_that_redis_lost_waits_a_lease_time_for_its_own_process() -> None:
    began = after(60, unheld(known=False)).relay.began_at
    assert began is not None
    assert LEASE_S <= began <= 2 * LEASE_S


def test_announcements_are_taken_from_a_process_that_is_certainly_gone() -> None:
    made = after(60, lambda: Assigned(Holdings(held=True, known=True), RunningInSql()))
    assert set(made.announcements.asked_idle_ms) == {2 * LEASE_S * 1000}


def test_an_announcement_is_forgotten_once_sql_has_its_turn() -> None:
    announced = [Announcement("1-0", TURN), Announcement("2-0", None)]

    def made(*, away: bool) -> Callable[[], Assigned]:
        return lambda: Assigned(
            Holdings(held=True, known=True), RunningInSql(away=away), NoAnnouncements(announced)
        )

    assert after(1, made(away=False)).announcements.forgotten == ["1-0", "2-0"]
    assert after(1, made(away=True)).announcements.forgotten == []


def test_a_store_that_is_away_is_asked_again_soon() -> None:
    asked = after(
        1, lambda: Assigned(Holdings(held=False, known=True), RunningInSql(away=True))
    ).database.asked_at
    assert 3 <= len(asked) <= 6
