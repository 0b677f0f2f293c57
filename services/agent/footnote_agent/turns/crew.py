"""The turns that run in this process: started, kept, taken over from the dead, handed back (spec 5.1).

A turn belongs to the replica that holds its lease in SQL. Every replica renews what it holds, and looks for
leases that ran out. The fence in the raw stream keeps a replica that was only slow from writing after a
takeover.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from redis.asyncio import Redis

from footnote_agent.store.turns import (
    Ending,
    LeasedTurn,
    end_unreadable,
    expired,
    release_leases,
    renew_leases,
    take_over,
)
from footnote_agent.turns.cancel import LOOK_EVERY_S, notice_cancels
from footnote_agent.turns.engine_run import TurnResources, problem_for, run_turn
from footnote_agent.turns.finish import closing_event, ending_of, lost_ending, store_ending
from footnote_agent.turns.journal import JournalClosed, StreamEnded, StreamLost
from footnote_agent.turns.takeover import go_on
from footnote_shared.contracts.events import TurnFailed
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import FootnoteError, Unavailable
from footnote_shared.kernel.ids import new_id
from footnote_shared.kernel.problem_document import problem_of
from footnote_shared.kernel.stream_servers import StreamServers
from footnote_shared.security.keyring import KeyDestroyed
from footnote_shared.telemetry import context, metrics, tracing
from footnote_shared.telemetry.logs import logger
from footnote_shared.telemetry.spans import Span

_log = logger(__name__)
_TAKEN_AT_ONCE = 16
_TURNS_END_WITHIN_S = 5.0
"""Longest wait for turns that are handed back. The fence keeps one that goes on from writing."""


class TurnLost(FootnoteError):
    """The stream of the turn is gone."""

    status = 503
    code = "stream_lost"
    title = "The answer was lost"

    def __init__(self) -> None:
        super().__init__("The stream of this turn was lost with the data of Redis. Ask again.")


class Crew:
    """Holds one asyncio task per turn. `owner` names this process in the leases."""

    def __init__(self, resources: TurnResources, servers: StreamServers[Redis]) -> None:
        self.owner = new_id()
        self._resources = resources
        self._servers = servers
        self._stops: dict[str, asyncio.Event] = {}
        self._ends_seen: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._keepers: list[asyncio.Task[None]] = []
        self._closing = False

    def open(self) -> None:
        """Begin to renew leases, to notice wishes to stop, and to look for turns that nobody works on."""
        third = self._resources.settings.turn_lease_s / 3
        self._keepers = [
            asyncio.create_task(self._repeat(third, self._renew), name="renew leases"),
            asyncio.create_task(self._repeat(third, self._recover), name="recover turns"),
            # One for each Redis: one that is silent holds up nobody whose turn is on another.
            *(
                asyncio.create_task(
                    self._repeat(LOOK_EVERY_S, partial(self._notice, name, redis)),
                    name=f"notice cancels {name}",
                )
                for name, redis in self._servers.items()
            ),
        ]

    async def close(self, grace_s: float) -> None:
        """Let running turns end within `grace_s` seconds, then leave the rest to other replicas."""
        self._closing = True
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=grace_s)
        left = await end_tasks([*self._keepers, *self._tasks.values()], _TURNS_END_WITHIN_S)
        metrics.TASKS_LEFT.labels("turn").inc(len(left))
        try:
            await self._resources.database.write_async(lambda session: release_leases(session, self.owner))
        except Unavailable as error:
            _log.warning("leases.run_out_by_themselves", part=error.part)

    def start(self, leased: LeasedTurn) -> None:
        """Run a turn whose stream is open. It lives on when the request that started it is gone."""
        self._launch(leased, fresh=True)

    def stop(self, turn_id: str) -> None:
        """Stop a turn at once if it runs here."""
        if turn_id in self._stops:
            self._stops[turn_id].set()

    def end_seen(self, turn_id: str) -> None:
        """A reader has its terminal event: if the turn runs here, its answer is stored without a pause."""
        if turn_id in self._ends_seen:
            self._ends_seen[turn_id].set()

    def owe_first_event(self) -> Callable[[], None]:
        """See WorkPlaces.owe_first_event."""
        return self._resources.places.owe_first_event()

    async def wait(self, turn_id: str, timeout_s: float) -> bool:
        """Wait until the turn has ended here, or the time is up. Do not wait for one that runs elsewhere.

        Answers whether its end is known to be stored.
        """
        task = self._tasks.get(turn_id)
        if task is None:
            return False
        await asyncio.wait({task}, timeout=timeout_s)
        return task.done() and not task.cancelled() and task.exception() is None

    def _launch(self, leased: LeasedTurn, *, fresh: bool) -> None:
        stop = self._stops[leased.id] = asyncio.Event()
        self._ends_seen[leased.id] = asyncio.Event()
        task = asyncio.create_task(self._work(leased, stop, fresh=fresh), name=f"turn {leased.id}")
        self._tasks[leased.id] = task
        task.add_done_callback(lambda done: self._ended(leased, done))

    def _ended(self, leased: LeasedTurn, task: asyncio.Task[None]) -> None:
        self._tasks.pop(leased.id, None)
        self._stops.pop(leased.id, None)
        self._ends_seen.pop(leased.id, None)
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, FootnoteError | JournalClosed):
            # Left as it is: whoever finds the lease run out goes on from what SQL and the stream say.
            _log.warning("turn.left", turn=leased.id, reason=type(error).__name__)
        elif error is not None:
            _log.error("turn.crashed", turn=leased.id, exc_info=error)

    async def _work(self, leased: LeasedTurn, stop: asyncio.Event, *, fresh: bool) -> None:
        with _logged_as(leased) as span:
            facts: dict[str, Any] | None = None
            try:
                facts = await (
                    run_turn(self._resources, leased, stop)
                    if fresh
                    else go_on(self._resources, self._servers, leased, stop)
                )
            except StreamLost:
                await self._end_as_lost(leased)
            except StreamEnded:
                _log.info("turn.ended_by_another", turn=leased.id)
            span.set(footnote__status=await self._finish(leased, facts))

    async def _finish(self, leased: LeasedTurn, facts: dict[str, Any] | None) -> str:
        """Store the answer once the resolver has closed the stream. If Redis lost it, close it anew.

        Answers how the turn has ended.
        """
        seen = self._ends_seen.get(leased.id) or asyncio.Event()
        for _ in range(2):
            event = await closing_event(self._resources.journal, leased.id, seen)
            if event is not None:
                ending = ending_of(event)
                await self._store(leased, ending, facts)
                return ending.status
            await self._end_as_lost(leased)
        ending = lost_ending(problem_for(leased, TurnLost()))
        await self._store(leased, ending, facts)
        return ending.status

    async def _store(self, leased: LeasedTurn, ending: Ending, facts: dict[str, Any] | None) -> None:
        resources = self._resources
        content = resources.settings.record_content
        await store_ending(resources.database, leased, ending, facts, content=content)

    async def _end_as_lost(self, leased: LeasedTurn) -> None:
        """Write a stream that says what happened, so that readers too get an end."""
        journal = self._resources.journal
        await journal.open(leased)
        failed = TurnFailed(message_id=leased.message_id, problem=problem_for(leased, TurnLost()))
        try:
            await journal.append(leased, "turn.failed", failed)
        except StreamEnded:
            _log.info("turn.ended_by_another", turn=leased.id)

    async def _renew(self) -> None:
        turn_ids = list(self._tasks)
        if not turn_ids:
            return
        until = self._lease_end()
        held = await self._resources.database.write_async(
            lambda session: renew_leases(session, self.owner, turn_ids, until)
        )
        for turn_id in turn_ids:
            if turn_id not in held and (task := self._tasks.get(turn_id)) is not None:
                task.cancel()

    async def _recover(self) -> None:
        if self._closing:
            return
        answering = await self._resources.journal.answering()
        database = self._resources.database
        # Turns of a Redis that is away keep no others waiting: they are passed over until it is back.
        wanted = None if len(answering) == len(self._servers) else self._is_on(answering)
        for turn_id, attempts in await database.read_async(
            lambda session: expired(session, now(), _TAKEN_AT_ONCE, wanted)
        ):
            if turn_id in self._tasks:
                continue
            try:
                leased = await database.write_async(partial(self._take, turn_id=turn_id, attempts=attempts))
            except KeyDestroyed as destroyed:
                # Left as it is, it would be found first each time, and keep those of others waiting.
                problem = problem_of(destroyed)
                await database.write_async(
                    partial(end_unreadable, turn_id=turn_id, attempts=attempts, problem=problem)
                )
                continue
            if leased is not None:
                self._launch(leased, fresh=False)

    def _take(self, session: WriteSession, turn_id: str, attempts: int) -> LeasedTurn | None:
        return take_over(session, self.owner, turn_id, attempts, self._lease_end())

    async def _notice(self, name: str, redis: Redis) -> None:
        of_server = self._is_on({name})
        await notice_cancels(
            redis, {turn_id: stop for turn_id, stop in self._stops.items() if of_server(turn_id)}
        )

    def _is_on(self, names: Collection[str]) -> Callable[[str], bool]:
        """Whether a turn is on one of these servers."""
        return lambda turn_id: self._servers.name_of(turn_id) in names

    def _lease_end(self) -> datetime:
        return now() + timedelta(seconds=self._resources.settings.turn_lease_s)

    async def _repeat(self, seconds: float, act: Callable[[], Awaitable[None]]) -> None:
        """Act every this many seconds. A store that is away gets its next chance then."""
        while True:
            try:
                await act()
            except Unavailable as error:
                _log.warning("turns.waiting", part=error.part)
            except Exception as error:  # noqa: BLE001
                # This loop has to outlive what nobody foresaw: without it all leases of this process run out.
                _log.error("turns.keeping_failed", exc_info=error)
            await asyncio.sleep(seconds)


@contextmanager
def _logged_as(leased: LeasedTurn) -> Iterator[Span]:
    workspace = context.workspace_id.set(leased.caller.workspace_id)
    subject = context.subject.set(f"turn {leased.id}")
    trace = context.trace_id.set(leased.trace_id)
    parent = context.span_id.set(leased.span_id)
    try:
        with tracing.span(
            f"invoke_agent {leased.engine}",
            "consumer",
            gen_ai__operation__name="invoke_agent",
            gen_ai__agent__name=leased.engine,
            gen_ai__conversation__id=leased.thread_id,
            footnote__turn_id=leased.id,
            footnote__run=leased.fence,
        ) as span:
            yield span
    finally:
        context.span_id.reset(parent)
        context.trace_id.reset(trace)
        context.workspace_id.reset(workspace)
        context.subject.reset(subject)
