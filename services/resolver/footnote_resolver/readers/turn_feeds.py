"""Serves the events of turns to any number of readers.

A turn's events are kept once per process, while somebody reads them.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import partial

from footnote_resolver.readers.stopping import told_to_stop
from footnote_resolver.readers.turn_feed import TurnFeed
from footnote_resolver.store import turns
from footnote_resolver.store.turns import EndedTurn
from footnote_resolver.streams.turn_servers import TurnServer
from footnote_shared.db.engine import Database
from footnote_shared.kernel.asyncio_tasks import run_together
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.kernel.stream_servers import StreamServers
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_READER_PATIENCE_BEATS = 20
"""One write to a reader may take this many heartbeats. Then the reader is cut, and may resume."""

_GRACE_S = 5.0
# Beats are looked for so often that one comes after 0.7 to 0.9 of the interval that was promised.
_LOOKS_PER_BEAT = 5
_QUIET_SHARE = 0.7
_END_WITHIN_S = 5.0
_log = logger(__name__)


class TurnFeeds:
    """The feeds of one process. `watch` must be running.

    It gives heartbeats, ends feeds whose stream was lost after the turn had ended, and lets readers go when
    the process is told to stop.
    """

    def __init__(
        self,
        servers: StreamServers[TurnServer],
        database: Database,
        *,
        heartbeat_s: float,
        watch_s: float,
    ) -> None:
        self._servers = servers
        self._database = database
        self._heartbeat_s = heartbeat_s
        self._watch_s = watch_s
        self._feeds: dict[str, TurnFeed] = {}
        self._closing = False

    @property
    def patience_s(self) -> float:
        """Seconds that one write to a reader may take."""
        return self._heartbeat_s * _READER_PATIENCE_BEATS

    async def read(self, turn_id: str, start: int, ended: EndedTurn | None) -> AsyncIterator[bytes]:
        """The chunks of a turn for one reader, from behind `start`.

        `ended` says how the turn ended, if it has. Raises Unavailable before the first chunk.

        A stream that is there is read, even if it does not say yet that the turn has ended: the terminal
        event goes to SQL first. If it never says so, `watch` ends the feed.
        """
        lost = ended is not None and await self._servers.of(turn_id).streams.last_written(turn_id) is None
        return self._read(turn_id, start, ended if lost else None)

    async def _read(self, turn_id: str, start: int, lost: EndedTurn | None) -> AsyncIterator[bytes]:
        with self._reading(turn_id) as feed, metrics.STREAM_READERS.track_inprogress():
            if lost is not None:
                feed.end_with(lost)
            async for chunk in feed.after(start):
                yield chunk

    async def watch(self) -> None:
        """Run until cancelled."""
        loop = asyncio.get_running_loop()
        # A turn that is about to end is seen to its end. Then readers are let go in time: the server would
        # wait for open answers, and cut them off.
        with told_to_stop(lambda: loop.call_later(_GRACE_S, self.let_go)):
            await run_together(self._watch_ends(), self._beat(), within_s=_END_WITHIN_S)

    def let_go(self) -> None:
        """End every answer behind the events that are here. Its reader can resume at another process."""
        self._closing = True
        for feed in self._feeds.values():
            feed.close()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._heartbeat_s / _LOOKS_PER_BEAT)
            for feed in self._feeds.values():
                feed.beat(self._heartbeat_s * _QUIET_SHARE)

    async def _watch_ends(self) -> None:
        """Look for turns that have ended in SQL though their stream does not say so."""
        suspects: dict[str, int] = {}
        while True:
            await asyncio.sleep(self._watch_s)
            open_feeds = {turn_id: feed for turn_id, feed in self._feeds.items() if not feed.ended}
            if not open_feeds:
                continue
            try:
                ended = await self._database.read_async(partial(turns.ended_turns, turn_ids=list(open_feeds)))
            except Unavailable as error:
                _log.warning("feeds.watch_failed", part=error.part)
                continue
            # A turn has one round of grace: its terminal event goes to SQL first, and to the stream right
            # after. A stream of which something has come since then is not lost, however long it is.
            for turn_id, end in ended.items():
                feed = open_feeds[turn_id]
                if suspects.get(turn_id) != feed.taken:
                    continue
                if end is not None:
                    feed.end_with(end)
                else:
                    feed.close()
            suspects = {turn_id: open_feeds[turn_id].taken for turn_id in ended}

    @contextmanager
    def _reading(self, turn_id: str) -> Iterator[TurnFeed]:
        feed = self._feeds.get(turn_id) or self._open(turn_id)
        feed.enter()
        try:
            yield feed
        finally:
            if feed.leave():
                self._servers.of(turn_id).streams.detach(turn_id)
                del self._feeds[turn_id]

    def _open(self, turn_id: str) -> TurnFeed:
        server = self._servers.of(turn_id)
        feed = self._feeds[turn_id] = TurnFeed(turn_id, server.hub)
        if self._closing:
            feed.close()
        server.streams.attach(turn_id, feed)
        return feed
