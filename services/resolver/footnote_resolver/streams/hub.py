"""One blocking read for all streams that a process follows, however many there are."""

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from typing import Any

import redis.asyncio
from redis.client import NEVER_DECODE
from redis.exceptions import RedisError

from footnote_shared.kernel.asyncio_tasks import run_together
from footnote_shared.kernel.polling import GrowingPause
from footnote_shared.redis import keys
from footnote_shared.redis.connection import LONGEST_BLOCK_MS
from footnote_shared.telemetry.logs import logger

StreamEntry = tuple[bytes, list[bytes]]
"""An entry of a stream as Redis gives it: its id, then names and values in turn."""

FIRST = b"0-0"
"""The position before the first entry of any stream."""

_MOST_PER_STREAM = 200
_WAKE_TTL_MS = 60_000
_END_WITHIN_S = 5.0
# A read names every stream and wakes everybody for whom it brings something. One that follows at once would
# cost more than it brings. So entries are left to gather for about as long as a read takes to be worked off.
_PAUSE_PER_STREAM_S = 10e-6
_PAUSE_PER_ACTIVE_S = 500e-6
_MAX_PAUSE_S = 0.1
_FIRST_PAUSE_S = 0.05
_log = logger(__name__)


class Follower:
    """A position in one stream.

    `on_entries` gets what comes behind it, in order, each entry once; nothing while the follower rests.
    """

    __slots__ = ("_on_entries", "key", "last_id", "resting")

    def __init__(self, key: str, last_id: bytes, on_entries: Callable[[list[StreamEntry]], None]) -> None:
        self.key = key.encode()
        self.last_id = last_id
        self.resting = False
        self._on_entries = on_entries

    def hand_out(self, entries: list[StreamEntry], *, read_behind: bytes) -> None:
        """Take entries that were read behind a position, unless the follower has gone on from there since."""
        if self.last_id == read_behind:
            self.last_id = entries[-1][0]
            self._on_entries(entries)

    def rest_behind(self, entry_id: bytes) -> None:
        """Stop reading: the entries up to this one have come by another way."""
        self.last_id = entry_id
        self.resting = True

    def wake(self) -> bool:
        """Go on from here; whether it rested."""
        rested, self.resting = self.resting, False
        return rested


class StreamHub:
    """Follows any number of streams over one connection. One per process; `run` must be running.

    After an error each follower goes on where it stands, after growing pauses.
    """

    def __init__(self, client: "redis.asyncio.Redis") -> None:
        # This client shares the connections, but leaves what it reads as the parser gives it.
        self._client = redis.asyncio.Redis(connection_pool=client.connection_pool)
        self._client.set_response_callback("XREAD", _as_it_is)
        self._followers: dict[bytes, Follower] = {}
        self._wake_key = keys.hub_wake(secrets.token_hex(8)).encode()
        self._wake_id = FIRST
        self._changed = asyncio.Event()

    def follow(self, key: str, last_id: bytes, on_entries: Callable[[list[StreamEntry]], None]) -> Follower:
        """Follow a stream, which need not exist yet, from behind `last_id`.

        Raises ValueError for a stream that is followed already.
        """
        follower = Follower(key, last_id, on_entries)
        if follower.key in self._followers:
            raise ValueError(f"{key} is followed already")
        self._followers[follower.key] = follower
        self._changed.set()
        return follower

    def leave(self, follower: Follower) -> None:
        """Stop following; safe to call twice."""
        if self._followers.get(follower.key) is follower:
            del self._followers[follower.key]

    def resume(self, follower: Follower) -> None:
        """Read again for a follower that rested, from where it stands now."""
        if follower.wake():
            self._changed.set()

    async def run(self) -> None:
        """Read until cancelled."""
        await run_together(self._read(), self._wake_reader(), within_s=_END_WITHIN_S)

    async def _read(self) -> None:
        pause = GrowingPause(_FIRST_PAUSE_S)
        while True:
            try:
                active = await self._read_once()
            except RedisError as error:
                pause_s = pause.next_s()
                _log.warning("hub.redis_failed", error=str(error), pause_s=pause_s)
                await asyncio.sleep(pause_s)
                continue
            pause.reset()
            if active:
                await asyncio.sleep(gathering_s(len(self._followers), active))

    async def _read_once(self) -> int:
        """Read and hand out; returns how many streams brought something."""
        self._changed.clear()
        positions = {key: one.last_id for key, one in self._followers.items() if not one.resting}
        answer: Any = await self._client.execute_command(  # type: ignore[no-untyped-call]
            "XREAD", "COUNT", _MOST_PER_STREAM, "BLOCK", LONGEST_BLOCK_MS, "STREAMS",
            self._wake_key, *positions, self._wake_id, *positions.values(), **{NEVER_DECODE: True},
        )  # fmt: skip
        got: dict[bytes, list[StreamEntry]] = dict(answer) if answer else {}
        for key, entries in got.items():
            if key == self._wake_key:
                self._wake_id = entries[-1][0]
                continue
            follower = self._followers.get(key)
            if follower is not None:
                follower.hand_out(entries, read_behind=positions[key])
        return len(got)

    async def _wake_reader(self) -> None:
        """End the blocking read whenever the streams that it should name have changed."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            with contextlib.suppress(RedisError):
                pipeline = self._client.pipeline(transaction=False)
                pipeline.xadd(self._wake_key, {"w": "1"}, maxlen=1)
                pipeline.pexpire(self._wake_key, _WAKE_TTL_MS)
                await pipeline.execute()


def gathering_s(followed: int, active: int) -> float:
    """Seconds to let entries gather after a read of `followed` streams, `active` of which had entries."""
    return min(_MAX_PAUSE_S, _PAUSE_PER_STREAM_S * followed + _PAUSE_PER_ACTIVE_S * active)


def field_of(entry: StreamEntry, name: bytes) -> bytes:
    """The value of a field of an entry; empty where it has none of that name."""
    fields = entry[1]
    for at in range(0, len(fields) - 1, 2):
        if fields[at] == name:
            return fields[at + 1]
    return b""


def _as_it_is(response: Any, **_: Any) -> Any:
    return response
