"""Which turns this process carries: new ones from the consumer group, and those that nobody holds any more."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from redis.exceptions import RedisError, ResponseError

from footnote_resolver.relay.relay import Relay
from footnote_resolver.store import turns
from footnote_resolver.store.turns import AnnouncedTurn
from footnote_resolver.streams.turn_streams import TurnStreams, new_token
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import FootnoteError, Unavailable
from footnote_shared.redis import keys
from footnote_shared.telemetry.logs import logger

_BLOCK_MS = 5_000
_BATCH = 64
_log = logger(__name__)


class TurnClaims:
    """The relays of one process. `run` must be running; when it is cancelled every turn is handed back."""

    def __init__(
        self,
        streams: TurnStreams,
        database: Database,
        new_relay: Callable[[AnnouncedTurn], Relay],
        claim_s: float,
    ) -> None:
        self._streams = streams
        self._database = database
        self._new_relay = new_relay
        self._claim_s = claim_s
        self._consumer = new_token()
        self._relays: dict[str, Relay] = {}
        self._lost: dict[str, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Claim, renew and take over until cancelled; then hand back what is held."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._forever(self._listen, 0))
                group.create_task(self._forever(self._renew, self._claim_s / 3))
                group.create_task(self._forever(self._take_over, self._claim_s / 2))
        finally:
            await self._hand_back()

    async def _forever(self, work: Callable[[], Coroutine[Any, Any, None]], interval_s: float) -> None:
        """Do a round of work again and again; a store that does not answer only costs that round."""
        pause = 0.1
        while True:
            try:
                await work()
            except (Unavailable, RedisError) as error:
                _log.warning("claims.round_failed", round=work.__name__, error=str(error))
                await asyncio.sleep(pause)
                pause = min(2.0, pause * 2)
            else:
                pause = 0.1
                await asyncio.sleep(interval_s)

    async def _listen(self) -> None:
        try:
            answer: Any = await self._streams.client.xreadgroup(
                keys.RESOLVERS_GROUP, self._consumer, {keys.TURNS_STREAM: ">"}, count=_BATCH, block=_BLOCK_MS
            )
        except ResponseError as error:
            if "NOGROUP" not in str(error):
                raise
            await self._make_group()
            return
        for _, entries in answer or ():
            self._accept(entries)

    async def _make_group(self) -> None:
        try:
            await self._streams.client.xgroup_create(
                keys.TURNS_STREAM, keys.RESOLVERS_GROUP, id="0", mkstream=True
            )
        except ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise

    def _accept(self, announcements: Iterable[tuple[str, dict[str, str]]]) -> None:
        """Carry announced turns at once, and note them in SQL beside; an announcement is forgotten when it is noted."""
        noted: dict[str, AnnouncedTurn | None] = {}
        for entry_id, fields in announcements:
            if not fields.get("turn_id") or not fields.get("workspace_id"):
                _log.error("claims.bad_announcement", entry=entry_id)
                noted[entry_id] = None
                continue
            turn = AnnouncedTurn(fields["turn_id"], fields["workspace_id"], fields.get("thread_id", ""))
            self._carry(turn, announced=True)
            noted[entry_id] = turn
        if noted:
            self._spawn(self._note(noted))

    async def _note(self, announced: dict[str, AnnouncedTurn | None]) -> None:
        known = [turn for turn in announced.values() if turn is not None]
        try:
            await self._database.write_async(lambda session: turns.record_turns(session, known))
        except Unavailable:
            # They stay pending in the group; `_take_over` of some process will find them there.
            _log.warning("claims.not_noted", turns=[turn.turn_id for turn in known])
            return
        with contextlib.suppress(RedisError):
            pipeline = self._streams.client.pipeline(transaction=False)
            pipeline.xack(keys.TURNS_STREAM, keys.RESOLVERS_GROUP, *announced)
            pipeline.xdel(keys.TURNS_STREAM, *announced)
            await pipeline.execute()

    def _carry(self, turn: AnnouncedTurn, *, announced: bool) -> None:
        if turn.turn_id not in self._relays:
            relay = self._relays[turn.turn_id] = self._new_relay(turn)
            self._spawn(self._run_relay(relay, announced=announced))

    async def _run_relay(self, relay: Relay, *, announced: bool) -> None:
        try:
            await relay.run(announced=announced)
        except Exception as error:  # noqa: BLE001
            # The last line before a reader that waits for ever: a turn that breaks its relay must end all the same.
            _log.error("relay.crashed", turn=relay.turn.turn_id, exc_info=error)
            with contextlib.suppress(FootnoteError):
                await relay.end_broken()
        finally:
            self._relays.pop(relay.turn.turn_id, None)

    async def _renew(self) -> None:
        held = list(self._relays.values())
        for relay in held:
            relay.look_at_clock()
        kept = await asyncio.gather(*(self._streams.renew(relay.turn.turn_id, relay.token) for relay in held))
        for relay, is_kept in zip(held, kept, strict=True):
            if not is_kept:
                relay.lease_lost()

    async def _take_over(self) -> None:
        """Take turns that run in SQL though nobody holds them, and announcements that died with their reader."""
        running = [
            t for t in await self._database.read_async(turns.running_turns) if t.turn_id not in self._relays
        ]
        holdings = await self._streams.holdings([turn.turn_id for turn in running]) if running else []
        lost: dict[str, float] = {}
        for turn, (held, known) in zip(running, holdings, strict=True):
            if held:
                continue
            if not known:
                # Redis has lost it. The process that carried it, if it lives, still has its text: it goes first.
                lost[turn.turn_id] = self._lost.get(turn.turn_id, time.monotonic())
                if time.monotonic() - lost[turn.turn_id] < self._claim_s:
                    continue
            self._carry(turn, announced=False)
        self._lost = lost
        await self._take_over_announcements()

    async def _take_over_announcements(self) -> None:
        idle_ms = round(self._claim_s * 2000)
        try:
            answer: Any = await self._streams.client.xautoclaim(
                keys.TURNS_STREAM, keys.RESOLVERS_GROUP, self._consumer, min_idle_time=idle_ms, count=_BATCH
            )
        except ResponseError as error:
            if "NOGROUP" not in str(error):
                raise
            return
        self._accept((entry_id, fields) for entry_id, fields in answer[1] if fields)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _hand_back(self) -> None:
        """Stop every relay and free its lease, so that another process goes on at once."""
        relays = list(self._relays.values())
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(relay.release() for relay in relays), return_exceptions=True)
