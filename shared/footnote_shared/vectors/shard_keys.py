"""How a lane is divided in a cluster of Qdrant: its workspaces over shard keys, by a hash (ADR 0085).

A request for one workspace then goes to the shards of one key, where else it would go to all of them.
"""

import time
import zlib
from collections.abc import Awaitable, Callable, Iterable

from footnote_shared.kernel.errors import OurFault
from footnote_shared.vectors.filters import All, Filter, Match
from footnote_shared.vectors.protocol import VectorPoint

UNDIVIDED = 0
"""The number of shard keys of a lane that Qdrant divides by the ids of points."""

_KNOWN_S = 60.0
"""For how long a lane is taken for divided as it was. Another version may be live since."""


class UnknownShardKey(OurFault):
    """The store does not know the shard key of a request, or wants one: the lane is not divided so."""


def shard_key(workspace_id: str, keys: int) -> str:
    """The key under which all points of a workspace lie.

    Its number of keys is part of it: who takes a lane for divided otherwise than it is finds no such key,
    and not other points.
    """
    return f"{zlib.crc32(workspace_id.encode()) % keys} of {keys}"


def shard_keys(keys: int) -> list[str | int]:
    """All keys of a lane, in the type that Qdrant's client has for a list of them."""
    return [f"{number} of {keys}" for number in range(keys)]


def workspace_of(conditions: Iterable[Filter | None]) -> str | None:
    """The workspace without which nothing passes one of the filters; None where they name none."""
    for condition in conditions:
        match condition:
            case Match("workspace_id", str(workspace)):
                return workspace
            case All(parts) if (found := workspace_of(parts)) is not None:
                return found
    return None


def key_to_read(keys: int, *conditions: Filter | None) -> str | None:
    """Where what passes all of the filters lies. None: anywhere, and the store asks all of its shards."""
    workspace = workspace_of(conditions)
    return None if keys == UNDIVIDED or workspace is None else shard_key(workspace, keys)


def keys_to_write(keys: int, *conditions: Filter | None) -> str | list[str | int] | None:
    """The same for changes, which have to name their keys where there are some."""
    return key_to_read(keys, *conditions) or shard_keys(keys) or None


def divided(points: Iterable[VectorPoint], keys: int) -> dict[str | None, list[VectorPoint]]:
    """The points by the key under which they belong."""
    parts: dict[str | None, list[VectorPoint]] = {}
    for point in points:
        key = None if keys == UNDIVIDED else shard_key(point.payload.workspace_id, keys)
        parts.setdefault(key, []).append(point)
    return parts


class ShardKeys:
    """Knows of each lane among how many keys it is divided. One per index.

    `look` asks the store. Where new lanes are `wanted` undivided, only a lane that turned out to be divided
    is asked for.
    """

    def __init__(
        self, wanted: int, look: Callable[[str], Awaitable[int]], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._wanted = wanted
        self._look = look
        self._clock = clock
        self._known: dict[str, tuple[float, int]] = {}

    async def of_lane(self, lane: str) -> int:
        """The number of its keys, or `UNDIVIDED`."""
        known = self._known.get(lane)
        if known is None and self._wanted == UNDIVIDED:
            return UNDIVIDED
        if known is None or self._clock() >= known[0] + _KNOWN_S:
            return await self.look_again(lane)
        return known[1]

    async def look_again(self, lane: str) -> int:
        keys = await self._look(lane)
        self._known[lane] = (self._clock(), keys)
        return keys
