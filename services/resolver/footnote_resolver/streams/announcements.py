"""The turns that agents announce. All resolvers read them as one group, so each goes to one of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import redis.asyncio
from redis.exceptions import ResponseError

from footnote_resolver.store.turns import AnnouncedTurn
from footnote_shared.redis import keys
from footnote_shared.redis.connection import LONGEST_BLOCK_MS, redis_errors
from footnote_shared.telemetry.logs import logger

_MOST_AT_ONCE = 64
_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Announcement:
    """One entry of the stream; `turn` is None where it names none."""

    entry_id: str
    turn: AnnouncedTurn | None


class Announcements:
    """The announcements as one process reads them. Errors of Redis are `Unavailable("redis")`."""

    def __init__(self, client: "redis.asyncio.Redis", consumer: str) -> None:
        self._client = client
        self._consumer = consumer

    async def wait(self) -> list[Announcement]:
        """New announcements as soon as there are any; none after a while without."""
        with redis_errors():
            try:
                answer: Any = await self._client.xreadgroup(
                    keys.RESOLVERS_GROUP,
                    self._consumer,
                    {keys.TURNS_STREAM: ">"},
                    count=_MOST_AT_ONCE,
                    block=LONGEST_BLOCK_MS,
                )
            except ResponseError as error:
                if "NOGROUP" not in str(error):
                    raise
                await self._make_group()
                return []
        return [one for _, entries in answer or () for one in _announcements(entries)]

    async def left_by_others(self, idle_ms: int) -> list[Announcement]:
        """Take over announcements that a process has read, and not forgotten for `idle_ms`."""
        with redis_errors():
            try:
                answer: Any = await self._client.xautoclaim(
                    keys.TURNS_STREAM,
                    keys.RESOLVERS_GROUP,
                    self._consumer,
                    min_idle_time=idle_ms,
                    count=_MOST_AT_ONCE,
                )
            except ResponseError as error:
                if "NOGROUP" not in str(error):
                    raise
                return []
        return _announcements((entry_id, fields) for entry_id, fields in answer[1] if fields)

    async def forget(self, announcements: Iterable[Announcement]) -> None:
        """Take announcements out of the stream. SQL has their turns now."""
        ids = [one.entry_id for one in announcements]
        with redis_errors():
            pipeline = self._client.pipeline(transaction=False)
            pipeline.xack(keys.TURNS_STREAM, keys.RESOLVERS_GROUP, *ids)
            pipeline.xdel(keys.TURNS_STREAM, *ids)
            await pipeline.execute()

    async def _make_group(self) -> None:
        try:
            await self._client.xgroup_create(keys.TURNS_STREAM, keys.RESOLVERS_GROUP, id="0", mkstream=True)
        except ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise


def _announcements(entries: Iterable[tuple[str, dict[str, str]]]) -> list[Announcement]:
    return [Announcement(entry_id, _turn_of(entry_id, fields)) for entry_id, fields in entries]


def _turn_of(entry_id: str, fields: dict[str, str]) -> AnnouncedTurn | None:
    if not fields.get("turn_id") or not fields.get("workspace_id"):
        _log.error("announcements.bad_entry", entry=entry_id)
        return None
    return AnnouncedTurn(
        turn_id=fields["turn_id"],
        workspace_id=fields["workspace_id"],
        conversation_id=fields.get("thread_id", ""),
        traceparent=fields.get("traceparent", ""),
    )
