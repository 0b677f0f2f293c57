"""Driving one engine to the end of one turn: every step into the raw stream, and exactly one ending."""

import asyncio
import math
import time
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from footnote_agent.context.asked_turn import AskedTurn
from footnote_agent.context.bill import Bill
from footnote_agent.context.history import past_turns, recall
from footnote_agent.context.trajectory import MOVE, PastTurn, by_agent
from footnote_agent.engines.own_time import OwnTime
from footnote_agent.engines.protocol import Engine, EngineOutput, Kept, Note, Settled
from footnote_agent.engines.turn_limits import seconds_of
from footnote_agent.engines.work_places import WorkPlaces, at_work
from footnote_agent.store.moves import add_move, moves_of
from footnote_agent.store.turns import LeasedTurn
from footnote_agent.turns.journal import FencedOff, Journal, JournalClosed, StreamEnded
from footnote_agent.turns.journal_writer import JournalWriter
from footnote_agent.turns.options import kept_settings
from footnote_agent.turns.turn_order import wait_for_earlier_turns
from footnote_shared.contracts.answers import CutReason
from footnote_shared.contracts.events import (
    ApprovalNeeded,
    EventType,
    Progress,
    RawCompleted,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnCancelled,
    TurnFailed,
    Usage,
)
from footnote_shared.db.engine import Database, ReadSession
from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import FootnoteError, OurFault, Unavailable
from footnote_shared.kernel.problem_document import problem_of
from footnote_shared.models.protocol import AnswerCut
from footnote_shared.settings.base import Settings
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

FIRST_PULSE_S, PULSE_S = 5.0, 15.0
"""Silence after which a reader is told what is waited for, and between the times after that. Long before the
agent counts as dead.
"""

_ENGINE_ENDS_WITHIN_S = 5.0
"""Longest wait for an engine that was told to stop. Then the turn is closed without it, and the raw stream
takes nothing more from it.
"""


class TimedOut(FootnoteError):
    """The turn used up its wall time."""

    status = 504
    code = "turn_timeout"
    title = "The turn took too long"


class Stopped(Exception):
    """Somebody asked the turn to stop."""


class Diverged(FootnoteError):
    """The continued answer would contradict what the reader has seen."""

    code = "interrupted"
    title = "The answer was interrupted"


@dataclass(frozen=True, slots=True)
class TurnResources:
    """What every run of this process stands on."""

    settings: Settings
    database: Database
    journal: Journal
    engines: Mapping[str, Engine]
    places: WorkPlaces


async def run_turn(
    resources: TurnResources, leased: LeasedTurn, stop: asyncio.Event, already: str = ""
) -> dict[str, Any]:
    """Run the turn's engine and append its terminal event. `already`: text that an earlier run has written.

    Returns what the engine noted for the answer record, once the stream has its terminal event. Raises
    JournalClosed when this run lost the right to write, and Unavailable when Redis does not answer. Then
    whoever finds the lease run out takes the turn.
    """
    async with JournalWriter(resources.journal, leased) as writer:
        engine_run = _EngineRun(resources, leased, writer, already)
        work = asyncio.create_task(engine_run.play(), name=f"engine {leased.id}")
        stopped = asyncio.create_task(stop.wait())
        try:
            error = await _watch(writer, engine_run, work, stopped)
        finally:
            left = await end_tasks({work, stopped}, _ENGINE_ENDS_WITHIN_S)
            metrics.TASKS_LEFT.labels("engine").inc(len(left))
        used = engine_run.bill.used
        await _close(writer, leased, error, used, engine_run.cut)
    facts = {"tools": engine_run.tools, **engine_run.facts}
    if used != Usage():
        facts["usage"] = used.model_dump(mode="json", exclude_none=True)
    return facts


async def _watch(
    writer: JournalWriter,
    engine_run: "_EngineRun",
    work: asyncio.Task[None],
    stopped: asyncio.Task[bool],
) -> BaseException | None:
    """Wait for the engine's end, a wish to stop, or the time limit. None means that all is written."""
    while True:
        left = engine_run.time_left_s
        if left <= 0:
            return TimedOut("The turn took longer than its time limit; what there was of the answer is kept.")
        await asyncio.wait(
            {work, stopped}, timeout=min(left, engine_run.pulse_in_s), return_when=asyncio.FIRST_COMPLETED
        )
        if work.done():
            return work.exception()
        if stopped.done():
            return Stopped()
        if engine_run.pulse_in_s <= 0:
            await writer.put("progress", engine_run.pulse())


async def _close(
    writer: JournalWriter,
    leased: LeasedTurn,
    error: BaseException | None,
    used: Usage,
    cut: CutReason | None,
) -> None:
    """Append what was used, and the one terminal event that fits."""
    kind: EventType
    end: RawCompleted | TurnCancelled | TurnFailed
    if error is None:
        kind, end = "message.completed", RawCompleted(message_id=leased.message_id, cut=cut)
    elif isinstance(error, JournalClosed) or _is_redis(error):
        raise error
    elif isinstance(error, Stopped):
        kind, end = "turn.cancelled", TurnCancelled(message_id=leased.message_id)
    else:
        kind, end = (
            "turn.failed",
            TurnFailed(message_id=leased.message_id, problem=problem_for(leased, error)),
        )
    try:
        if used != Usage():
            await writer.put("usage", used)
        await writer.put(kind, end)
        await writer.written()
    except StreamEnded:
        _log.info("turn.ended_by_another", turn=leased.id)


def problem_for(leased: LeasedTurn, error: BaseException) -> dict[str, Any]:
    """The problem document of a failed turn. What nobody foresaw is logged, and told as our fault."""
    if isinstance(error, FootnoteError):
        _log.info("turn.failed", turn=leased.id, code=error.code)
        return problem_of(error)
    _log.error("turn.crashed", turn=leased.id, exc_info=error)
    return problem_of(OurFault("The error is in the log of the agent under this turn's id."))


def _is_redis(error: BaseException) -> bool:
    return isinstance(error, Unavailable) and error.part == "redis"


class _EngineRun:
    """One run of an engine. Its steps go into the journal, its notes into the facts of the record."""

    def __init__(
        self, resources: TurnResources, leased: LeasedTurn, writer: JournalWriter, already: str
    ) -> None:
        self._resources = resources
        self._leased = leased
        self._writer = writer
        self._already = already
        self._wrote_text = bool(already)
        self._last = time.monotonic()
        self._pulse_at_s = FIRST_PULSE_S
        self._doing = Progress(stage="thinking", label="Getting ready")
        self.cut: CutReason | None = None
        self.facts: dict[str, Any] = {}
        self.tools: list[dict[str, Any]] = []
        self.bill = Bill()
        self.began_at: datetime | None = None if leased.waits else leased.time_began_at
        own, _ = kept_settings(leased.request.settings)
        self._seconds = seconds_of(resources.settings.turn_timeout_s, own)
        self._moves = 0
        self._keeping: asyncio.Task[None] | None = None
        self._own_time = OwnTime()

    @property
    def time_left_s(self) -> float:
        """Seconds of wall time that the turn has left; without end while it waits for a turn or a person."""
        if self.began_at is None or self._own_time.stands_still:
            return math.inf
        return (self.began_at - now()).total_seconds() + self._seconds

    @property
    def pulse_in_s(self) -> float:
        """Seconds until a reader has to be told what is waited for; less than 0 when that is due."""
        return self._last + self._pulse_at_s - time.monotonic()

    def pulse(self) -> Progress:
        """What is waited for, and since when."""
        silent_s = time.monotonic() - self._last
        self._pulse_at_s = PULSE_S if self._pulse_at_s < PULSE_S else self._pulse_at_s + PULSE_S
        model = self._leased.model
        what = (
            f"Waiting for the chat model {model}"
            if model and self._doing.stage == "writing"
            else f"Still at it: {self._doing.label}"
        )
        return Progress(stage="thinking", label=f"{what} ({silent_s:.0f} s)")

    async def play(self) -> None:
        leased = self._leased
        if self.began_at is None:
            await self._take(Progress(stage="waiting", label="Waiting for the turn before this one"))
            self.began_at = await wait_for_earlier_turns(self._resources.database, leased)
        engine = self._resources.engines[leased.engine]
        turn_settings, search_settings = kept_settings(leased.request.settings)
        turn = AskedTurn(
            turn_id=leased.id,
            thread_id=leased.thread_id,
            caller=leased.caller,
            text=leased.request.text,
            mentions=tuple(leased.request.mentions),
            guidance=leased.request.guidance or "",
            nobody_to_ask=leased.request.when_asked == "refuse",
            preset=leased.request.preset,
            settings=turn_settings,
            search_settings=search_settings,
            asked_at=leased.created_at,
            bill=self.bill,
        )
        async with at_work(self._resources.places):
            turn = await (self._with_moves(turn) if engine.keeps_moves else self._with_history(turn))
            if leased.fence > 1 and not leased.waits and not engine.deterministic and not turn.moves:
                # What an earlier run has asked of a model is told nowhere.
                self.bill.add(Usage(partial=True))
            try:
                async with aclosing(engine.run(turn)) as steps:
                    async for step in steps:
                        await self._take(step)
            except asyncio.CancelledError:
                # A turn that is stopped waits for no database.
                if self._keeping is not None:
                    self._keeping.cancel()
                raise
            await self._kept()
        if self._already:
            raise Diverged("The answer could not be continued; what there was of it is kept.")

    async def _with_history(self, turn: AskedTurn) -> AskedTurn:
        budget = self._resources.settings.history_tokens
        history = await self._resources.database.read_async(
            lambda session: recall(session, turn.caller, turn.thread_id, self._leased.message_id, budget)
        )
        return replace(turn, history=history)

    async def _with_moves(self, turn: AskedTurn) -> AskedTurn:
        """With the turns before it and what an earlier run has left. What that wrote is not compared."""

        def work(session: ReadSession) -> tuple[tuple[PastTurn, ...], list[dict[str, Any]]]:
            past = past_turns(session, turn.caller, turn.thread_id, self._leased.message_id)
            return past, moves_of(session, turn.caller, [turn.turn_id]).get(turn.turn_id, [])

        past, moves = await self._resources.database.read_async(work)
        written, self._already = self._already, ""
        self._moves = len(moves)
        began_at = self.began_at or self._leased.time_began_at
        below = by_agent([MOVE.validate_python(move) for move in moves])
        return replace(
            turn,
            past=past,
            moves=below.pop("", ()),
            below=below,
            written=written,
            ends_at=began_at + timedelta(seconds=self._seconds),
        )

    async def _keep(self, step: Kept) -> None:
        """Have the move stored. Raises FencedOff where this run has lost the turn.

        Where it is stored meanwhile, no reader sees what comes behind it until it is, and no other move is
        stored. A subagent is told of its own, and so waits.
        """
        move = step.move
        await self._kept()
        # A run that goes on from this move finds its text in the journal.
        await self._writer.written()
        stored = self._store(self._moves, move.model_dump(mode="json"))
        self._moves += 1
        if step.meanwhile and not move.within:
            self._keeping = asyncio.create_task(stored, name=f"keep {self._leased.id}")
            self._writer.hold_back_until(self._keeping)
        else:
            await stored

    async def _store(self, position: int, move: dict[str, Any]) -> None:
        if not await self._resources.database.write_together_async(
            lambda session: add_move(session, self._leased, position, move)
        ):
            raise FencedOff(self._leased.id)

    async def _kept(self) -> None:
        """Wait until the last move is stored. Raises what kept it from that."""
        if self._keeping is not None:
            await asyncio.wait({self._keeping})
            keeping, self._keeping = self._keeping, None
            keeping.result()

    async def _take(self, step: EngineOutput) -> None:
        match step:
            case Note():
                self.facts.update(step.facts)
                return
            case Kept():
                await self._keep(step)
            case TextDelta():
                text = self._unwritten(step.text)
                if not text:
                    return
                await self._append("text.delta", TextDelta(text=text))
                if not self._wrote_text:
                    self._wrote_text = True
                    waited = (now() - self._leased.created_at).total_seconds()
                    metrics.FIRST_TEXT_SECONDS.labels(self._leased.engine).observe(waited)
            case AnswerCut():
                self.cut = self.facts["cut"] = step.reason
                metrics.ANSWERS_CUT.labels(step.reason).inc()
            case Progress():
                self._doing = step
                await self._append("progress", step)
            case ApprovalNeeded():
                self._own_time.asked(step.call_id)
                await self._append("approval.needed", step)
            case Settled():
                stood_still = self._own_time.answered(step.call_id)
                self.began_at = self.began_at + stood_still if self.began_at is not None else None
            case ToolStarted():
                await self._append("tool.started", step)
            case ToolFinished():
                self.tools.append({"tool": step.tool, "ms": step.ms, "failed": step.error is not None})
                await self._append("tool.finished", step)

    def _unwritten(self, text: str) -> str:
        """The part of the text that no earlier run has written. Raises Diverged where the two differ."""
        if not self._already:
            return text
        if self._already.startswith(text):
            self._already = self._already[len(text) :]
            return ""
        if text.startswith(self._already):
            rest, self._already = text[len(self._already) :], ""
            return rest
        raise Diverged("The answer could not be continued; what there was of it is kept.")

    async def _append(
        self,
        kind: EventType,
        data: Progress | TextDelta | ToolStarted | ToolFinished | ApprovalNeeded,
    ) -> None:
        await self._writer.put(kind, data)
        self._last = time.monotonic()
        self._pulse_at_s = FIRST_PULSE_S
