"""A resolver that stops hands its turns back, even where the work on one of them does not end."""

import asyncio
from contextlib import suppress
from pathlib import Path

from footnote_resolver.relay.assignment import TurnAssignment
from footnote_resolver.relay.relay import Relay
from footnote_resolver.store.turns import AnnouncedTurn
from footnote_resolver.streams.announcements import Announcements
from footnote_resolver.streams.turn_streams import TurnStreams
from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_shared.redis import keys
from footnote_shared.redis.connection import connect_async
from footnote_testing.eventually import LIMIT_S
from footnote_testing.redis_process import start_redis
from footnote_testing.workspace import make_database


class DeafRelay(Relay):
    """Drops the first cancel that it gets."""

    def __init__(self, turn: AnnouncedTurn) -> None:
        self.turn = turn
        self.began = asyncio.Event()
        self.ended = False
        self.released = False

    async def run(self, *, announced: bool) -> None:
        self.began.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended = True

    def look_at_clock(self) -> None:
        pass

    async def renew(self) -> None:
        pass

    async def release(self) -> None:
        """It takes some turns of the loop, as Redis does."""
        for _ in range(10):
            await asyncio.sleep(0)
        self.released = True


async def test_a_relay_that_drops_a_cancel_is_ended_and_its_lease_freed(tmp_path: Path) -> None:
    server = start_redis(tmp_path / "redis")
    database = make_database(f"sqlite:///{tmp_path / 'test.db'}")
    redis = connect_async(server.url)
    relay = DeafRelay(AnnouncedTurn("t", "w", "c"))
    streams = TurnStreams(redis, lease_s=30, retention_s=60)
    assignment = TurnAssignment(Announcements(redis, "me"), streams, database, lambda turn: relay, lease_s=30)
    running = asyncio.create_task(assignment.run())
    await redis.xadd(keys.TURNS_STREAM, {"turn_id": "t", "workspace_id": "w", "thread_id": "c"})
    async with asyncio.timeout(LIMIT_S):
        await relay.began.wait()
        await end_tasks({running}, within_s=LIMIT_S)
        await assignment.hand_back()
    assert relay.ended
    assert relay.released
    await redis.aclose()
    database.close()
    server.stop()
