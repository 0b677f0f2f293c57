"""Which turns this process carries: those that are announced to it, and those that nobody holds."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any

from footnote_resolver.relay.relay import Relay
from footnote_resolver.store import turns
from footnote_resolver.store.turns import AnnouncedTurn
from footnote_resolver.streams.announcements import Announcement, Announcements
from footnote_resolver.streams.turn_streams import TurnStreams
from footnote_shared.db.engine import Database
from footnote_shared.kernel.asyncio_tasks import end_tasks, run_together
from footnote_shared.kernel.errors import FootnoteError, Unavailable
from footnote_shared.kernel.polling import GrowingPause
from footnote_shared.telemetry import context, metrics, tracing
from footnote_shared.telemetry.logs import logger

_FIRST_PAUSE_S = 0.1
_END_WITHIN_S = 5.0
_log = logger(__name__)


class TurnAssignment:
    """The relays of one process for the turns of one Redis.

    `run` must be running; after its end `hand_back` gives every turn away. Turns that nobody holds are looked
    for among those that are `here`. What is announced here is carried here in any case: whoever announced it
    waits here for its end, also where the list of servers has just changed.
    """

    def __init__(
        self,
        announcements: Announcements,
        streams: TurnStreams,
        database: Database,
        new_relay: Callable[[AnnouncedTurn], Relay],
        lease_s: float,
        here: Callable[[str], bool] = lambda turn_id: True,
    ) -> None:
        self._announcements = announcements
        self._streams = streams
        self._database = database
        self._new_relay = new_relay
        self._lease_s = lease_s
        self._here = here
        self._relays: dict[str, Relay] = {}
        self._lost_since: dict[str, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Take turns, renew their leases and take over, until cancelled."""
        await run_together(
            self._forever(self._listen, 0),
            self._forever(self._renew, self._lease_s / 3),
            self._forever(self._take_over, self._lease_s / 2),
            within_s=_END_WITHIN_S,
        )

    async def _forever(self, work: Callable[[], Coroutine[Any, Any, None]], interval_s: float) -> None:
        """Do a round of work again and again. A store that is away costs that round alone."""
        pause = GrowingPause(_FIRST_PAUSE_S)
        while True:
            try:
                await work()
            except Unavailable as error:
                _log.warning("assignment.round_failed", round=work.__name__, error=str(error))
                await asyncio.sleep(pause.next_s())
            else:
                pause.reset()
                await asyncio.sleep(interval_s)

    async def _listen(self) -> None:
        self._accept(await self._announcements.wait())

    def _accept(self, announced: list[Announcement]) -> None:
        """Carry announced turns at once, and note them in SQL meanwhile.

        An announcement is forgotten only when SQL has its turn.
        """
        for one in announced:
            if one.turn is not None:
                self._carry(one.turn, announced=True)
        if announced:
            self._spawn(self._record(announced))

    async def _record(self, announced: list[Announcement]) -> None:
        known = [one.turn for one in announced if one.turn is not None]
        try:
            await self._database.write_together_async(lambda session: turns.record_turns(session, known))
        except Unavailable:
            # They stay pending in the group, where `_take_over` of some process will find them.
            _log.warning("assignment.not_recorded", turns=[turn.turn_id for turn in known])
            return
        with contextlib.suppress(Unavailable):
            await self._announcements.forget(announced)

    def _carry(self, turn: AnnouncedTurn, *, announced: bool) -> None:
        if turn.turn_id not in self._relays:
            relay = self._relays[turn.turn_id] = self._new_relay(turn)
            self._spawn(self._run_relay(relay, announced=announced))

    async def _run_relay(self, relay: Relay, *, announced: bool) -> None:
        turn = relay.turn
        context.trace_id.set(context.trace_of(turn.traceparent))
        context.span_id.set(context.parent_of(turn.traceparent))
        context.subject.set(f"turn {turn.turn_id}")
        try:
            with tracing.span("relay turn", "consumer", footnote__turn_id=turn.turn_id):
                await relay.run(announced=announced)
        except Exception as error:  # noqa: BLE001
            # Without this a reader would wait for ever: a turn that breaks its relay must end all the same.
            _log.error("relay.crashed", turn=relay.turn.turn_id, exc_info=error)
            with contextlib.suppress(FootnoteError):
                await relay.end_broken()
        finally:
            self._relays.pop(relay.turn.turn_id, None)

    async def _renew(self) -> None:
        held = list(self._relays.values())
        for relay in held:
            relay.look_at_clock()
        await asyncio.gather(*(relay.renew() for relay in held))

    async def _take_over(self) -> None:
        """Carry turns that nobody holds: they run in SQL, or their announcement died with its reader."""
        running = await self._database.read_async(turns.running_turns)
        others = [turn for turn in running if turn.turn_id not in self._relays and self._here(turn.turn_id)]
        holdings = await self._streams.holdings([turn.turn_id for turn in others]) if others else []
        moment = asyncio.get_running_loop().time()
        lost_since: dict[str, float] = {}
        for turn, (held, known) in zip(others, holdings, strict=True):
            if held:
                continue
            if not known:
                # Redis has lost it. Its process may still live and have the text, so that process goes first.
                since = lost_since[turn.turn_id] = self._lost_since.get(turn.turn_id, moment)
                if moment - since < self._lease_s:
                    continue
            self._carry(turn, announced=False)
        self._lost_since = lost_since
        self._accept(await self._announcements.left_by_others(idle_ms=round(self._lease_s * 2000)))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def hand_back(self) -> None:
        """Stop every relay and free its lease, so that another process goes on at once."""
        relays = list(self._relays.values())
        left = await end_tasks(list(self._tasks), _END_WITHIN_S)
        metrics.TASKS_LEFT.labels("relay").inc(len(left))
        releases = [asyncio.create_task(relay.release()) for relay in relays]
        if releases:
            # A lease that is not freed in time runs out by itself.
            await asyncio.wait(releases, timeout=_END_WITHIN_S)
            await end_tasks(releases, _END_WITHIN_S)
