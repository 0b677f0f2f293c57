"""How long a relay waits: for a store that is away, and for an agent that says nothing."""

import asyncio
from typing import Any

import pytest
import redis.asyncio
import redis.exceptions

from footnote_resolver.relay.inbox import RelayInbox, TurnLeaseLost
from footnote_resolver.relay.relay import Relay
from footnote_resolver.relay.script import TurnScript
from footnote_resolver.relay.script_answers import ScriptAnswers
from footnote_resolver.store.turns import AnnouncedTurn
from footnote_resolver.streams.hub import StreamEntry, StreamHub
from footnote_resolver.streams.turn_streams import TakenLease, TurnStreams
from footnote_shared.db.engine import Database
from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_shared.kernel.errors import Unavailable
from footnote_testing.own_clock import now_s, run_on_own_clock

PATIENCE_S = 120.0
ENTRY: StreamEntry = (b"1-0", [b"e", b"{}"])


class AwayForAWhile(TurnStreams):
    """Redis comes back after so many seconds; then another process holds the turn."""

    def __init__(self, back_at_s: float) -> None:
        super().__init__(redis.asyncio.Redis(), lease_s=5, retention_s=60)
        self._back_at_s = back_at_s

    async def take(self, turn_id: str, token: str, *, announced: bool) -> TakenLease:
        if now_s() < self._back_at_s:
            raise Unavailable("redis", "It is away.")
        return TakenLease("held")

    async def renew(self, turn_id: str, token: str) -> bool:
        return False


class AwayPool(redis.asyncio.ConnectionPool):
    """Connects to nothing, and says when it was asked to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked_at: list[float] = []

    async def get_connection(self, command_name: str | None = None, *keys: Any, **options: Any) -> Any:
        self.asked_at.append(now_s())
        raise redis.exceptions.ConnectionError("It is away.")


class NoAnswers(ScriptAnswers):
    def __init__(self) -> None:
        return


class NoDatabase(Database):
    def __init__(self) -> None:
        return


@pytest.mark.parametrize(("back_at_s", "late_by_s"), [(0.1, 0.1), (1.0, 1.0), (60.0, 2.0)])
def test_a_store_that_is_back_is_noticed_soon(back_at_s: float, late_by_s: float) -> None:
    async def run() -> float:
        relay = Relay(
            AnnouncedTurn("t", "w", "c"),
            streams=AwayForAWhile(back_at_s),
            hub=StreamHub(redis.asyncio.Redis()),
            database=NoDatabase(),
            answers=NoAnswers(),
            script=lambda: TurnScript("off"),
            idle_s=PATIENCE_S,
        )
        await relay.run(announced=True)
        return now_s()

    assert back_at_s <= run_on_own_clock(run()) <= back_at_s + late_by_s


def test_streams_are_followed_again_soon_after_redis_is_back() -> None:
    async def run() -> list[float]:
        pool = AwayPool()
        hub = StreamHub(redis.asyncio.Redis(connection_pool=pool))
        running = asyncio.create_task(hub.run())
        await asyncio.sleep(60)
        await end_tasks({running}, 5)
        return pool.asked_at

    asked_at = run_on_own_clock(run())
    assert 4 <= sum(at <= 1 for at in asked_at) <= 8
    assert max(later - at for at, later in zip(asked_at, asked_at[1:], strict=False)) == 2


def test_an_agent_may_be_silent_for_as_long_as_its_patience() -> None:
    async def run() -> list[bool]:
        inbox = RelayInbox(PATIENCE_S)
        heard = []
        for silent_s in (PATIENCE_S, PATIENCE_S + 1):
            inbox.take_in([ENTRY])
            await inbox.entries()
            waiting = asyncio.create_task(inbox.entries())
            await asyncio.sleep(silent_s)
            inbox.look_at_clock()
            await asyncio.sleep(0)
            heard.append(waiting.done() and waiting.result() == [])
            waiting.cancel()
        return heard

    assert run_on_own_clock(run()) == [False, True]


def test_what_comes_in_time_starts_the_patience_anew() -> None:
    async def run() -> list[StreamEntry]:
        inbox = RelayInbox(PATIENCE_S)
        await asyncio.sleep(PATIENCE_S + 1)
        inbox.take_in([ENTRY])
        inbox.look_at_clock()
        return await inbox.entries()

    assert run_on_own_clock(run()) == [ENTRY]


def test_a_lost_lease_is_heard_of_before_anything_else() -> None:
    async def run() -> None:
        inbox = RelayInbox(PATIENCE_S)
        inbox.take_in([ENTRY])
        inbox.lose_lease()
        with pytest.raises(TurnLeaseLost):
            await inbox.entries()
        inbox.hold_lease()
        assert await inbox.entries() == [ENTRY]

    run_on_own_clock(run())
