"""How an agent waits for the end of a turn, which a resolver writes."""

import asyncio
import contextlib

import redis.asyncio
from structlog.testing import capture_logs

from footnote_agent.turns.finish import closing_event
from footnote_agent.turns.journal import Journal
from footnote_shared.contracts.events import Event
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.stream_servers import StreamServers
from footnote_testing.own_clock import run_on_own_clock


class NobodyReads(Journal):
    """The stream of the turn is there, and no resolver ends it."""

    def __init__(self) -> None:
        super().__init__(StreamServers({"two:6379/0": redis.asyncio.Redis()}))

    async def closing_or_open(self, turn_id: str) -> tuple[Event | None, bool]:
        return None, True


class Ended(Journal):
    """A resolver has ended the turn."""

    def __init__(self) -> None:
        super().__init__(StreamServers({"one:6379/0": redis.asyncio.Redis()}))

    async def closing_or_open(self, turn_id: str) -> tuple[Event | None, bool]:
        return Event(turn_id=turn_id, seq=2, type="turn.cancelled", at=now(), data={}), False


def waited_s(*, seen: bool) -> float:
    """Seconds until the end of a turn is found that has ended already, `seen` by a reader here or not."""

    async def wait() -> float:
        event, clock = asyncio.Event(), asyncio.get_running_loop().time
        if seen:
            event.set()
        began = clock()
        assert await closing_event(Ended(), "t", event) is not None
        return clock() - began

    return run_on_own_clock(wait())


def test_an_end_that_a_reader_has_seen_is_fetched_at_once_and_any_other_after_a_blink() -> None:
    assert waited_s(seen=True) == 0
    assert 0 < waited_s(seen=False) <= 0.02


def told_after(seconds: float) -> list[str]:
    """The servers that the log has named after so many seconds."""

    async def wait() -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await closing_event(NobodyReads(), "t", asyncio.Event())

    with capture_logs() as logs:
        run_on_own_clock(wait())
    return [one["server"] for one in logs if one["event"] == "turn.no_resolver_has_ended_it"]


def test_a_wait_that_is_long_names_its_redis_in_the_log_once_a_minute() -> None:
    assert told_after(45) == []
    assert told_after(90) == ["two:6379/0"]
    assert told_after(150) == ["two:6379/0"] * 2
