"""Carries one turn from its raw stream to its events stream: replays what is there, then follows, to the terminal event."""

import asyncio
import json
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
from anyio import to_thread
from pydantic import ValidationError

from footnote_resolver.store import turns
from footnote_resolver.store.turns import AnnouncedTurn
from footnote_resolver.turns.answers import TurnAnswers
from footnote_resolver.turns.hub import Entry, StreamHub
from footnote_resolver.turns.redis_streams import FIRST, TurnStreams, WrittenEvent, new_token
from footnote_resolver.turns.replay import JOURNALLED, Outgoing, Question, Steps, TurnScript
from footnote_shared.contracts.events import TERMINAL, RawEvent, TurnFailed
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now, rfc3339
from footnote_shared.kernel.errors import FootnoteError, OurFault, Unavailable
from footnote_shared.kernel.problem import problem_of
from footnote_shared.redis import keys
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_CLOSED_IN_THREAD = 50_000
_FIRST_PAUSE_S = 0.05
_LAST_PAUSE_S = 2.0
_log = logger(__name__)


class _LeaseLost(Exception):
    """Another resolver may write by now, or the streams are not what we knew: stop, look again."""


@dataclass(slots=True)
class _Progress:
    """How far a turn is, as this relay knows it: `present` events in the stream, `lost` ones that Redis had before."""

    script: TurnScript
    present: int = 0
    lost: int = 0
    passed: int = 0
    written: deque[WrittenEvent] = field(default_factory=deque)
    recorded: deque[Any] = field(default_factory=deque)
    journal: list[Any] = field(default_factory=list)


class Relay:
    """One turn in the hands of this process. `run` ends when the turn has ended or another process holds it."""

    def __init__(
        self,
        turn: AnnouncedTurn,
        *,
        streams: TurnStreams,
        hub: StreamHub,
        database: Database,
        answers: TurnAnswers,
        script: Callable[[], TurnScript],
        idle_s: float,
    ) -> None:
        self.turn = turn
        self.token = new_token()
        self._streams = streams
        self._hub = hub
        self._database = database
        self._answers = answers
        self._script = script
        self._idle_s = idle_s
        self._incoming: list[Entry] = []
        self._woken = asyncio.Event()
        self._lost = False

    def lease_lost(self) -> None:
        """Told by whoever renews the leases of this process."""
        self._lost = True
        self._woken.set()

    async def run(self, *, announced: bool) -> None:
        """Take the turn and carry it to its end. Errors of Redis and SQL are waited out; another holder ends it."""
        pause = _FIRST_PAUSE_S
        last: _Progress | None = None
        while True:
            try:
                taken = await self._streams.take(self.turn.turn_id, self.token, announced=announced)
                if taken == "held" and not await self._streams.renew(self.turn.turn_id, self.token):
                    return
                announced, self._lost = False, False
                if taken == "gone":
                    await self._end_lost(last)
                    return
                if taken == "known" and last is None:
                    metrics.STREAM_TAKEOVERS.inc()
                last = await self._prepare(fresh=taken == "new")
                ended = None if taken == "new" else await self._ended_before()
                if ended is None:
                    await self._carry(last)
                elif last.written and last.written[-1].type in TERMINAL:
                    await self.release()
                else:
                    await self._append(last, [], ended)
            except _LeaseLost:
                _log.info("relay.lease_lost", turn=self.turn.turn_id)
            except Unavailable as error:
                _log.warning("relay.waiting", turn=self.turn.turn_id, part=error.part, pause_s=pause)
                await asyncio.sleep(pause)
                pause = min(_LAST_PAUSE_S, pause * 2)
            else:
                return

    async def release(self) -> None:
        """Hand the turn to another process; safe when it is not ours any more."""
        await self._streams.release(self.turn.turn_id, self.token)

    async def end_broken(self) -> None:
        """End the turn as failed: its script raised what nobody foresaw, and would do so in every process."""
        written = await self._streams.written(self.turn.turn_id)
        if written and written[-1].type in TERMINAL:
            return
        data = [(event.type, orjson.loads(event.event)["data"]) for event in written]
        text = "".join(d["text"] for kind, d in data if kind == "text.delta")
        message_id = next((str(d["message_id"]) for kind, d in data if kind == "turn.started"), "")
        failed = TurnFailed(message_id=message_id, problem=_problem("internal", _BROKEN), text=text)
        progress = _Progress(self._script(), present=len(written))
        await self._end(
            progress, Outgoing("turn.failed", failed.model_dump(mode="json", exclude_none=True), now())
        )

    async def _prepare(self, *, fresh: bool) -> _Progress:
        progress = _Progress(self._script())
        if not fresh:
            progress.written = deque(await self._streams.written(self.turn.turn_id))
            progress.present = len(progress.written)
            for event in progress.written:
                progress.recorded.extend(json.loads(event.journal) if event.journal else ())
        return progress

    async def _carry(self, progress: _Progress) -> None:
        self._incoming.clear()
        follower = self._hub.follow(keys.turn_raw(self.turn.turn_id), FIRST, self._take_in)
        try:
            while progress.script.terminal is None:
                await self._work(progress, await self._next())
        finally:
            self._hub.leave(follower)

    def _take_in(self, entries: list[Entry]) -> None:
        self._incoming += entries
        self._woken.set()

    async def _next(self) -> list[Entry]:
        """Raw events that have come; empty when none came for so long that the agent counts as gone."""
        if not self._incoming and not self._lost:
            self._woken.clear()
            try:
                async with asyncio.timeout(self._idle_s):
                    await self._woken.wait()
            except TimeoutError:
                return []
        if self._lost:
            raise _LeaseLost
        entries, self._incoming = self._incoming, []
        return entries

    async def _work(self, progress: _Progress, entries: list[Entry]) -> None:
        """What a batch of raw events leads to, written as one."""
        outgoing: list[Outgoing] = []
        if not entries:
            _log.warning("relay.agent_gone", turn=self.turn.turn_id)
            outgoing += await self._drive(
                progress, progress.script.fail(_problem("agent_gone", _AGENT_GONE), now()), closing=True
            )
        for _, fields in entries:
            if progress.script.terminal is None:
                outgoing += await self._step(progress, fields)
        await self._write(progress, outgoing)
        if progress.script.terminal is not None:
            await self._end(progress, progress.script.terminal)

    async def _step(self, progress: _Progress, fields: dict[str, str]) -> list[Outgoing]:
        """A raw event that is malformed ends the turn: text may be missing, and nobody could tell."""
        try:
            raw = RawEvent.model_validate_json(fields.get("e", ""))
            return await self._drive(progress, progress.script.step(raw), closing=raw.type in TERMINAL)
        except ValidationError:
            _log.error("relay.malformed", turn=self.turn.turn_id)
            return await self._drive(
                progress, progress.script.fail(_problem("malformed_event", _MALFORMED), now()), closing=True
            )

    async def _drive(self, progress: _Progress, steps: Steps, *, closing: bool) -> list[Outgoing]:
        """Run a step of the script; answers that were journalled are given again, new ones are journalled.

        Closing goes over the whole text: where that is long, a thread does it while the other turns of this process go on.
        """
        answer: Any = None
        in_thread = closing and progress.script.raw_chars > _CLOSED_IN_THREAD
        while True:
            question = (
                await to_thread.run_sync(_advance, steps, answer) if in_thread else _advance(steps, answer)
            )
            if isinstance(question, list):
                return question
            if not isinstance(question, JOURNALLED):
                answer = await self._answers.answer(question)
            elif progress.recorded:
                answer = progress.recorded.popleft()
            else:
                answer = await self._answers.answer(question)
                progress.journal.append(answer)

    async def _write(self, progress: _Progress, outgoing: list[Outgoing]) -> None:
        """Append the events that are not written yet; those that are, are passed over."""
        fresh: list[tuple[str, str]] = []
        for event in outgoing:
            progress.passed += 1
            line = self._encode(progress.passed, event.type, event.data, rfc3339(event.at))
            if progress.written:
                self._compare(progress.written.popleft(), line)
            else:
                fresh.append((event.type, line))
        if fresh:
            started = outgoing[-1].at
            await self._append(progress, fresh)
            metrics.STREAM_LAG_SECONDS.observe(max(0.0, (now() - started).total_seconds()))

    async def _append(
        self, progress: _Progress, fresh: list[tuple[str, str]], terminal: tuple[str, str] | None = None
    ) -> None:
        journal = orjson.dumps(progress.journal).decode() if progress.journal and fresh else ""
        events = [*fresh, terminal] if terminal else fresh
        answer = await self._streams.append(
            self.turn.turn_id,
            self.token,
            progress.present,
            events,
            journal=journal,
            last=terminal is not None,
        )
        if answer != "ok":
            raise _LeaseLost
        progress.present += len(events)
        if journal:
            progress.journal.clear()

    def _compare(self, written: WrittenEvent, line: str) -> None:
        if written.type == "text.delta" and written.event != line:
            _log.error("relay.diverged", turn=self.turn.turn_id, entry=written.id)

    async def _end(self, progress: _Progress, terminal: Outgoing) -> None:
        """The one terminal event: SQL decides which it is, before any reader can see it."""
        line = self._encode(
            progress.lost + progress.present + 1, terminal.type, terminal.data, rfc3339(terminal.at)
        )
        ended = await self._database.write_async(
            lambda session: turns.record_terminal(session, self.turn, terminal.type, line)
        )
        if ended == line:
            _count_end(terminal)
        await self._append(progress, [], (_type_of(ended), ended))

    async def _end_lost(self, last: _Progress | None) -> None:
        """Redis has lost the turn: end it as failed, with the text that this process still knows."""
        _log.warning("relay.redis_lost_turn", turn=self.turn.turn_id)
        progress = last or _Progress(self._script())
        if progress.script.terminal is None:
            await self._drive(
                progress, progress.script.fail(_problem("stream_lost", _LOST), now()), closing=True
            )
        terminal = progress.script.terminal
        if terminal is None:
            raise OurFault("A turn that was ended has no end.")
        progress.lost, progress.present = progress.present, 0
        await self._end(progress, terminal)

    async def _ended_before(self) -> tuple[str, str] | None:
        row = await self._database.read_async(lambda session: turns.find_turn(session, self.turn.turn_id))
        ended = turns.end_of(row) if row is not None else None
        return (ended.terminal_type, ended.terminal) if ended is not None else None

    def _encode(self, seq: int, event_type: str, data: dict[str, Any], at: str) -> str:
        event = {"v": 1, "turn_id": self.turn.turn_id, "seq": seq, "type": event_type, "at": at, "data": data}
        return orjson.dumps(event).decode()


_AGENT_GONE = "The answer stopped: the part that writes it gave no sign of life."
_LOST = "The answer was lost on its way. Ask again."
_BROKEN = "Something went wrong on our side while the answer was on its way."
_MALFORMED = "The answer could not be read on its way."


def _advance(steps: Steps, answer: Any) -> Question | list[Outgoing]:
    """The next question of a step, or the events that it ended with."""
    try:
        return steps.send(answer)
    except StopIteration as end:
        events: list[Outgoing] = end.value
        return events


def _problem(code: str, detail: str) -> dict[str, Any]:
    error = FootnoteError(detail)
    error.code = code
    return problem_of(error)


def _type_of(event: str) -> str:
    return str(orjson.loads(event)["type"])


def _count_end(terminal: Outgoing) -> None:
    metrics.STREAMS_ENDED.labels(terminal.type).inc()
    compliance = terminal.data.get("compliance") or {}
    report = compliance.get("report") or {}
    for outcome, count in (
        ("resolved", report.get("resolved", 0)),
        ("dropped", len(report.get("dropped", ()))),
        ("repaired", report.get("repaired", 0)),
        ("injected", compliance.get("injected", 0)),
        ("uncited", compliance.get("uncited", 0)),
    ):
        metrics.CITATIONS.labels(outcome).inc(count)
