"""One blocking read for all streams that a process follows, however many there are."""

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from typing import Any

import redis.asyncio
from redis.client import NEVER_DECODE
from redis.exceptions import RedisError

from footnote_shared.redis import keys
from footnote_shared.telemetry.logs import logger

Entry = tuple[bytes, list[bytes]]
"""An entry of a stream as Redis gives it: its id, and names and values in turn."""

FIRST = b"0-0"
_BLOCK_MS = 5_000
_COUNT = 200
_WAKE_TTL_MS = 60_000
# A read names every stream and wakes everybody for whom it brings something. Reads that follow at once would cost more than
# what they bring, so entries are left to gather for about as long as a read takes to be worked off.
_PAUSE_PER_STREAM_S = 10e-6
_PAUSE_PER_ACTIVE_S = 500e-6
_MAX_PAUSE_S = 0.1
_log = logger(__name__)


class Follower:
    """A place in one stream. What comes in is handed to `on_entries`, in order, each entry once; nothing while it rests."""

    __slots__ = ("key", "last_id", "on_entries", "resting")

    def __init__(self, key: str, last_id: bytes, on_entries: Callable[[list[Entry]], None]) -> None:
        self.key = key.encode()
        self.last_id = last_id
        self.on_entries = on_entries
        self.resting = False


class StreamHub:
    """Follows any number of streams over one connection. One per process; `run` must be running.

    After an error it goes on where each follower stands, with growing pauses of 2 s at most.
    """

    def __init__(self, client: "redis.asyncio.Redis") -> None:
        # A client of its own over the same connections: what it reads is left as the parser gives it.
        self._client = redis.asyncio.Redis(connection_pool=client.connection_pool)
        self._client.set_response_callback("XREAD", _as_it_is)
        self._followers: dict[bytes, Follower] = {}
        self._wake_key = keys.hub_wake(secrets.token_hex(8)).encode()
        self._wake_id = FIRST
        self._changed = asyncio.Event()

    def follow(self, key: str, last_id: bytes, on_entries: Callable[[list[Entry]], None]) -> Follower:
        """Follow a stream, which may not exist yet, from behind `last_id`. One follower per key."""
        follower = Follower(key, last_id, on_entries)
        if follower.key in self._followers:
            raise ValueError(f"{key} is followed already")
        self._followers[follower.key] = follower
        self._changed.set()
        return follower

    def leave(self, follower: Follower) -> None:
        if self._followers.get(follower.key) is follower:
            del self._followers[follower.key]

    def resume(self, follower: Follower) -> None:
        """Go on reading for a follower that rested, from where it stands now."""
        if follower.resting:
            follower.resting = False
            self._changed.set()

    async def run(self) -> None:
        """Read until cancelled."""
        waker = asyncio.create_task(self._wake_reader())
        pause = 0.05
        try:
            while True:
                try:
                    active = await self._read_once()
                    pause = 0.05
                except RedisError as error:
                    _log.warning("hub.redis_failed", error=str(error), pause_s=pause)
                    await asyncio.sleep(pause)
                    pause = min(2.0, pause * 2)
                    continue
                if active:
                    gather = _PAUSE_PER_STREAM_S * len(self._followers) + _PAUSE_PER_ACTIVE_S * active
                    await asyncio.sleep(min(_MAX_PAUSE_S, gather))
        finally:
            waker.cancel()

    async def _read_once(self) -> int:
        """Read and hand out; returns how many streams brought something."""
        self._changed.clear()
        places = {key: one.last_id for key, one in self._followers.items() if not one.resting}
        answer: Any = await self._client.execute_command(  # type: ignore[no-untyped-call]
            "XREAD", "COUNT", _COUNT, "BLOCK", _BLOCK_MS, "STREAMS",
            self._wake_key, *places, self._wake_id, *places.values(), **{NEVER_DECODE: True},
        )  # fmt: skip
        got: dict[bytes, list[Entry]] = dict(answer) if answer else {}
        for key, entries in got.items():
            if key == self._wake_key:
                self._wake_id = entries[-1][0]
                continue
            follower = self._followers.get(key)
            if follower is not None and follower.last_id == places[key]:
                follower.last_id = entries[-1][0]
                follower.on_entries(entries)
        return len(got)

    async def _wake_reader(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            with contextlib.suppress(RedisError):
                pipeline = self._client.pipeline(transaction=False)
                pipeline.xadd(self._wake_key, {"w": "1"}, maxlen=1)
                pipeline.pexpire(self._wake_key, _WAKE_TTL_MS)
                await pipeline.execute()


def field_of(entry: Entry, name: bytes) -> bytes:
    """The value of a field of an entry; empty where it has none of that name."""
    fields = entry[1]
    for at in range(0, len(fields) - 1, 2):
        if fields[at] == name:
            return fields[at + 1]
    return b""


def _as_it_is(response: Any, **_: Any) -> Any:
    return response
