"""What a process has for each Redis that keeps streams of turns. They do not wait for each other."""

from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from typing import Any

import redis.asyncio

from footnote_resolver.streams.announcements import Announcements
from footnote_resolver.streams.hub import StreamHub
from footnote_resolver.streams.turn_streams import TurnStreams, new_token


@dataclass(frozen=True, slots=True)
class TurnServer:
    """One Redis: the streams of its turns, the one read that follows them, and what is announced there."""

    client: "redis.asyncio.Redis"
    streams: TurnStreams
    hub: StreamHub
    announcements: Announcements

    @classmethod
    def of(cls, client: "redis.asyncio.Redis", *, lease_s: float, retention_s: int) -> "TurnServer":
        """`lease_s` and `retention_s`: see TurnStreams."""
        streams = TurnStreams(client, lease_s=lease_s, retention_s=retention_s)
        return cls(client, streams, StreamHub(client), Announcements(client, new_token()))

    def loops(self) -> Iterator[Coroutine[Any, Any, None]]:
        """What must be running while it is used."""
        yield self.streams.run()
        yield self.hub.run()
