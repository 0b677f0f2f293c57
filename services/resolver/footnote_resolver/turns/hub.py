"""One blocking read for all streams that a process follows, however many there are."""

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from typing import Any

import redis.asyncio
from redis.exceptions import RedisError

from footnote_shared.redis import keys
from footnote_shared.telemetry.logs import logger

Entry = tuple[str, dict[str, str]]
_BLOCK_MS = 5_000
_COUNT = 500
_PACE_PER_KEY_S = 10e-6
_MAX_PACE_S = 0.02
_WAKE_TTL_MS = 60_000
_log = logger(__name__)


class Follower:
    """A place in one stream. What comes in is handed to `on_entries`, in order, each entry once."""

    __slots__ = ("key", "last_id", "on_entries")

    def __init__(self, key: str, last_id: str, on_entries: Callable[[list[Entry]], None]) -> None:
        self.key = key
        self.last_id = last_id
        self.on_entries = on_entries


class StreamHub:
    """Follows any number of streams over one connection. One per process; `run` must be running.

    After an error it goes on where each follower stands, with growing pauses of 2 s at most.
    """

    def __init__(self, client: "redis.asyncio.Redis") -> None:
        self._client = client
        self._followers: dict[str, Follower] = {}
        self._wake_key = keys.hub_wake(secrets.token_hex(8))
        self._wake_id = "0-0"
        self._changed = asyncio.Event()

    def follow(self, key: str, last_id: str, on_entries: Callable[[list[Entry]], None]) -> Follower:
        """Follow a stream, which may not exist yet, from behind `last_id`. One follower per key."""
        if key in self._followers:
            raise ValueError(f"{key} is followed already")
        follower = self._followers[key] = Follower(key, last_id, on_entries)
        self._changed.set()
        return follower

    def leave(self, follower: Follower) -> None:
        if self._followers.get(follower.key) is follower:
            del self._followers[follower.key]

    async def run(self) -> None:
        """Read until cancelled."""
        waker = asyncio.create_task(self._wake_reader())
        pause = 0.05
        try:
            while True:
                try:
                    got = await self._read_once()
                    pause = 0.05
                except RedisError as error:
                    _log.warning("hub.redis_failed", error=str(error), pause_s=pause)
                    await asyncio.sleep(pause)
                    pause = min(2.0, pause * 2)
                    continue
                if got:
                    # Each read names every stream: with many of them, reads that follow at once would cost more than
                    # what they bring. A pause that grows with their number lets entries gather.
                    await asyncio.sleep(min(_MAX_PACE_S, _PACE_PER_KEY_S * len(self._followers)))
        finally:
            waker.cancel()

    async def _read_once(self) -> bool:
        self._changed.clear()
        places = {key: follower.last_id for key, follower in self._followers.items()}
        streams: dict[Any, Any] = {self._wake_key: self._wake_id, **places}
        answer: Any = await self._client.xread(streams, count=_COUNT, block=_BLOCK_MS)
        for key, entries in answer or ():
            if key == self._wake_key:
                self._wake_id = entries[-1][0]
                continue
            follower = self._followers.get(key)
            if follower is not None and follower.last_id == places[key]:
                follower.last_id = entries[-1][0]
                follower.on_entries(entries)
        return bool(answer)

    async def _wake_reader(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            with contextlib.suppress(RedisError):
                pipeline = self._client.pipeline(transaction=False)
                pipeline.xadd(self._wake_key, {"w": "1"}, maxlen=1)
                pipeline.pexpire(self._wake_key, _WAKE_TTL_MS)
                await pipeline.execute()
