"""Asking a turn to stop, and noticing that somebody has asked, which may be in another process."""

import asyncio
from collections.abc import Mapping

from redis.asyncio import Redis

from footnote_shared.kernel.stream_servers import StreamServers
from footnote_shared.redis import keys
from footnote_shared.redis.connection import redis_errors

LOOK_EVERY_S = 0.2
_KEPT_S = 24 * 3600


async def request_cancel(servers: StreamServers[Redis], turn_id: str) -> None:
    """Leave the wish. Whoever runs the turn, now or after taking it over, honours it."""
    with redis_errors():
        await servers.of(turn_id).set(keys.turn_cancel(turn_id), "1", ex=_KEPT_S)


async def is_cancelled(servers: StreamServers[Redis], turn_id: str) -> bool:
    with redis_errors():
        return bool(await servers.of(turn_id).exists(keys.turn_cancel(turn_id)))


async def notice_cancels(redis: Redis, stops: Mapping[str, asyncio.Event]) -> None:
    """Look once for turns of one Redis, and set the event of each that somebody wants to stop."""
    waiting = [turn_id for turn_id, stop in stops.items() if not stop.is_set()]
    if not waiting:
        return
    with redis_errors():
        wishes = await redis.mget([keys.turn_cancel(turn_id) for turn_id in waiting])
    for turn_id, wish in zip(waiting, wishes, strict=True):
        if wish is not None and turn_id in stops:
            stops[turn_id].set()
