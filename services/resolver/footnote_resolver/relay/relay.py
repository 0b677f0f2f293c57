"""Carries one turn from its raw stream to its events stream.

It takes the steps of its predecessors again, then follows the raw stream to the terminal event.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import orjson

from footnote_resolver.relay.answer_log import AnswerLog
from footnote_resolver.relay.failures import AGENT_GONE, BROKEN, STREAM_LOST
from footnote_resolver.relay.inbox import RelayInbox, TurnLeaseLost
from footnote_resolver.relay.position import NumberedEvent, RelayPosition
from footnote_resolver.relay.requests import OutgoingEvent
from footnote_resolver.relay.script import TurnScript
from footnote_resolver.relay.script_answers import ScriptAnswers
from footnote_resolver.relay.script_run import ScriptRun
from footnote_resolver.relay.writer import EventWriter
from footnote_resolver.store import turns
from footnote_resolver.store.turns import AnnouncedTurn
from footnote_resolver.streams.hub import FIRST, StreamEntry, StreamHub, field_of
from footnote_resolver.streams.turn_streams import TurnStreams, WrittenEvent, new_token
from footnote_shared.contracts.events import TERMINAL, TurnFailed
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import OurFault, Unavailable
from footnote_shared.kernel.polling import GrowingPause
from footnote_shared.redis import keys
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_FIRST_PAUSE_S = 0.05
_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One try at carrying the turn, from its first raw event on."""

    run: ScriptRun
    position: RelayPosition


class Relay:
    """One turn in the hands of this process.

    `run` ends when the turn has ended or another process holds it.
    """

    def __init__(
        self,
        turn: AnnouncedTurn,
        *,
        streams: TurnStreams,
        hub: StreamHub,
        database: Database,
        answers: ScriptAnswers,
        script: Callable[[], TurnScript],
        idle_s: float,
    ) -> None:
        """An agent that writes nothing for `idle_s` seconds counts as gone."""
        self.turn = turn
        self._token = new_token()
        self._streams = streams
        self._hub = hub
        self._database = database
        self._answers = answers
        self._script = script
        self._inbox = RelayInbox(idle_s)
        self._writer = EventWriter(turn, self._token, streams, database)

    def look_at_clock(self) -> None:
        """Notice an agent that has been silent for too long; to be called every now and then."""
        self._inbox.look_at_clock()

    async def renew(self) -> None:
        """Keep the lease. When it is lost the relay stops, and looks who holds it."""
        if not await self._streams.renew(self.turn.turn_id, self._token):
            self._inbox.lose_lease()

    async def release(self) -> None:
        """Hand the turn to another process; safe when it is not ours any more."""
        await self._streams.release(self.turn.turn_id, self._token)

    async def run(self, *, announced: bool) -> None:
        """Take the turn and carry it to its end, unless another process holds it.

        It waits for Redis and SQL while they are away.
        """
        pause = GrowingPause(_FIRST_PAUSE_S)
        last: _Attempt | None = None
        while True:
            try:
                taken = await self._streams.take(self.turn.turn_id, self._token, announced=announced)
                outcome = taken.outcome
                if outcome == "held" and not await self._streams.renew(self.turn.turn_id, self._token):
                    return
                announced = False
                self._inbox.hold_lease()
                if outcome == "gone":
                    await self._end_lost(last)
                    return
                if outcome == "known" and last is None:
                    metrics.STREAM_TAKEOVERS.inc()
                last = self._attempt([] if outcome == "new" else await self._written())
                ended = None if outcome == "new" else await self._end_in_sql()
                if ended is None:
                    await self._carry(last, taken.first)
                elif last.position.ended:
                    await self.release()
                else:
                    await self._writer.append_end(last.position, ended)
            except TurnLeaseLost:
                _log.info("relay.lease_lost", turn=self.turn.turn_id)
            except Unavailable as error:
                pause_s = pause.next_s()
                _log.warning("relay.waiting", turn=self.turn.turn_id, part=error.part, pause_s=pause_s)
                await asyncio.sleep(pause_s)
            else:
                return

    async def end_broken(self) -> None:
        """End the turn as failed. Its script raised what nobody foresaw, and would do so in every process."""
        written = await self._written()
        if written and written[-1].type in TERMINAL:
            return
        data = [(event.type, orjson.loads(event.event)["data"]) for event in written]
        failed = TurnFailed(
            message_id=next((str(d["message_id"]) for kind, d in data if kind == "turn.started"), ""),
            problem=BROKEN,
            text="".join(d["text"] for kind, d in data if kind == "text.delta"),
        )
        terminal = OutgoingEvent("turn.failed", failed.model_dump(mode="json", exclude_none=True), now())
        await self._writer.end(RelayPosition(self.turn.turn_id, written), terminal)

    async def _carry(self, attempt: _Attempt, first: list[StreamEntry]) -> None:
        """Carry the turn from its first raw event on. `first`: those that are known already."""
        self._inbox.begin()
        if first:
            self._inbox.take_in(first)
        behind = first[-1][0] if first else FIRST
        follower = self._hub.follow(keys.turn_raw(self.turn.turn_id), behind, self._inbox.take_in)
        try:
            while attempt.run.terminal is None:
                await self._work(attempt, await self._inbox.entries())
        finally:
            self._hub.leave(follower)
            self._streams.let_go(self.turn.turn_id)

    async def _work(self, attempt: _Attempt, entries: list[StreamEntry]) -> None:
        """What a batch of raw events leads to, written as one."""
        run, position = attempt.run, attempt.position
        fresh: list[NumberedEvent] = []
        if not entries:
            _log.warning("relay.agent_gone", turn=self.turn.turn_id)
            fresh += position.number(await run.fail(AGENT_GONE))
        run.take_in([field_of(entry, b"e") for entry in entries])
        while (events := await run.step(passes_over=position.passes_over)) is not None:
            fresh += position.number(events)
        await self._writer.append(position, fresh, run.log)
        if run.terminal is not None:
            await self._writer.end(position, run.terminal)

    async def _end_lost(self, last: _Attempt | None) -> None:
        """Redis has lost the turn. End it as failed, with the text that this process still knows."""
        _log.warning("relay.redis_lost_turn", turn=self.turn.turn_id)
        attempt = last or self._attempt([])
        if attempt.run.terminal is None:
            await attempt.run.fail(STREAM_LOST)
        if attempt.run.terminal is None:
            raise OurFault("A turn that was ended has no end.")
        # A relay that never wrote may be the second one of the turn: it cannot tell what readers saw.
        attempt.position.lose_stream(known=last is not None)
        await self._writer.end(attempt.position, attempt.run.terminal)

    def _attempt(self, written: list[WrittenEvent]) -> _Attempt:
        """Begin anew, behind the events that stand in the stream."""
        log = AnswerLog(event.answer_log for event in written)
        run = ScriptRun(self.turn.turn_id, self._script(), self._answers, log)
        return _Attempt(run, RelayPosition(self.turn.turn_id, written))

    async def _written(self) -> list[WrittenEvent]:
        return await self._streams.written(self.turn.turn_id)

    async def _end_in_sql(self) -> str | None:
        ended = await self._database.read_async(lambda session: turns.end_of_turn(session, self.turn.turn_id))
        return ended.terminal if ended is not None else None
