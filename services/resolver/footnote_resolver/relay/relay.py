"""Carries one turn from its raw stream to its events stream: replays what is there, then follows, to the terminal event."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import orjson
from anyio import to_thread
from pydantic import ValidationError

from footnote_resolver.relay.answers import TurnAnswers
from footnote_resolver.relay.progress import Journal, Progress, Raw, text_of
from footnote_resolver.relay.replay import JOURNALLED, Outgoing, Question, Steps, TurnScript
from footnote_resolver.store import turns
from footnote_resolver.store.turns import AnnouncedTurn
from footnote_resolver.streams.hub import FIRST, Entry, StreamHub
from footnote_resolver.streams.turn_streams import UNKNOWN, TurnStreams, new_token
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
        self._silent = False
        self._heard_at = time.monotonic()

    def lease_lost(self) -> None:
        """Told by whoever renews the leases of this process."""
        self._lost = True
        self._woken.set()

    def look_at_clock(self) -> None:
        """Notice that the agent has been silent for too long; asked every now and then, which costs less than a timer."""
        if time.monotonic() - self._heard_at > self._idle_s:
            self._silent = True
            self._woken.set()

    async def run(self, *, announced: bool) -> None:
        """Take the turn and carry it to its end. Errors of Redis and SQL are waited out; another holder ends it."""
        pause = _FIRST_PAUSE_S
        last: Progress | None = None
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
                    await self._append_end(last, ended)
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
        progress = Progress.behind(self._script(), written)
        await self._end(
            progress, Outgoing("turn.failed", failed.model_dump(mode="json", exclude_none=True), now())
        )

    async def _prepare(self, *, fresh: bool) -> Progress:
        written = [] if fresh else await self._streams.written(self.turn.turn_id)
        return Progress.behind(self._script(), written)

    async def _carry(self, progress: Progress) -> None:
        self._incoming.clear()
        self._silent, self._heard_at = False, time.monotonic()
        follower = self._hub.follow(keys.turn_raw(self.turn.turn_id), FIRST, self._take_in)
        try:
            while progress.script.terminal is None:
                await self._work(progress, await self._next())
        finally:
            self._hub.leave(follower)
            self._streams.let_go(self.turn.turn_id)

    def _take_in(self, entries: list[Entry]) -> None:
        self._incoming += entries
        self._silent, self._heard_at = False, time.monotonic()
        self._woken.set()

    async def _next(self) -> list[Entry]:
        """Raw events that have come; empty when none came for so long that the agent counts as gone."""
        while not (self._incoming or self._lost or self._silent):
            self._woken.clear()
            await self._woken.wait()
        if self._lost:
            raise _LeaseLost
        entries, self._incoming = self._incoming, []
        return entries

    async def _work(self, progress: Progress, entries: list[Entry]) -> None:
        """What a batch of raw events leads to, written as one."""
        outgoing: list[tuple[str, bytes]] = []
        if not entries:
            _log.warning("relay.agent_gone", turn=self.turn.turn_id)
            gone = progress.script.fail(_problem("agent_gone", _AGENT_GONE), now())
            outgoing += self._fresh(progress, await self._drive(progress, gone, closing=True))
        progress.take_in(entries)
        while progress.script.terminal is None and (raws := progress.next_raws()):
            outgoing += self._fresh(progress, await self._step(progress, raws))
        await self._write(progress, outgoing)
        if progress.script.terminal is not None:
            await self._end(progress, progress.script.terminal)

    async def _step(self, progress: Progress, raws: list[Raw]) -> list[Outgoing]:
        """A raw event, or several deltas as one. One that is malformed ends the turn: text may be missing, and nobody could
        tell.
        """
        try:
            raw = RawEvent.model_validate_json(raws[0].event)
            if len(raws) > 1:
                texts = [one.text if one.text is not None else text_of(one.event) for one in raws]
                raw = raw.model_copy(update={"data": {"text": "".join(text or "" for text in texts)}})
            return await self._drive(progress, progress.script.step(raw), closing=raw.type in TERMINAL)
        except ValidationError:
            _log.error("relay.malformed", turn=self.turn.turn_id)
            return await self._drive(
                progress, progress.script.fail(_problem("malformed_event", _MALFORMED), now()), closing=True
            )

    async def _drive(self, progress: Progress, steps: Steps, *, closing: bool) -> list[Outgoing]:
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
            elif progress.answers:
                answer = progress.answers.popleft()
            else:
                answer = await self._answers.answer(question)
                progress.journal.answers.append(answer)

    def _fresh(self, progress: Progress, outgoing: list[Outgoing]) -> list[tuple[str, bytes]]:
        """The events that are not written yet, as (type, JSON); those that are, are passed over."""
        fresh: list[tuple[str, bytes]] = []
        for event in outgoing:
            progress.passed += 1
            progress.raw_at = event.at
            line = self._encode(progress.passed, event.type, event.data, rfc3339(event.at))
            if not progress.written:
                fresh.append((event.type, line))
                continue
            written = progress.written.popleft()
            if written.type == "text.delta" and written.event.encode() != line:
                _log.error("relay.diverged", turn=self.turn.turn_id, entry=written.id)
        return fresh

    async def _write(self, progress: Progress, fresh: list[tuple[str, bytes]]) -> None:
        """Append events as one."""
        if fresh:
            await self._append(progress, fresh, first_seq=progress.passed - len(fresh) + 1)
            metrics.STREAM_LAG_SECONDS.observe(max(0.0, (now() - progress.raw_at).total_seconds()))

    async def _append(
        self, progress: Progress, fresh: list[tuple[str, bytes]], *, first_seq: int, last: bool = False
    ) -> None:
        journal = b"" if last else progress.journal.encode(progress.taken)
        moment_ms = await self._streams.append(
            self.turn.turn_id,
            self.token,
            progress.present,
            fresh,
            first_seq=first_seq,
            not_before_ms=progress.moment_ms,
            journal=journal,
            last=last,
        )
        if moment_ms is None:
            raise _LeaseLost
        progress.present += len(fresh)
        progress.moment_ms = moment_ms
        if journal:
            progress.journal = Journal()

    async def _end(self, progress: Progress, terminal: Outgoing) -> None:
        """The one terminal event: SQL decides which it is, before any reader can see it."""
        seq = UNKNOWN if progress.lost is None else progress.lost + progress.present + 1
        line = self._encode(seq, terminal.type, terminal.data, rfc3339(terminal.at)).decode()
        ended = await self._database.write_async(
            lambda session: turns.record_terminal(session, self.turn, terminal.type, line)
        )
        if ended == line:
            _count_end(terminal)
        await self._append_end(progress, ended)

    async def _append_end(self, progress: Progress, ended: str) -> None:
        event = orjson.loads(ended)
        seq = max(int(event["seq"]), progress.present + 1)
        await self._append(progress, [(str(event["type"]), ended.encode())], first_seq=seq, last=True)

    async def _end_lost(self, last: Progress | None) -> None:
        """Redis has lost the turn: end it as failed, with the text that this process still knows."""
        _log.warning("relay.redis_lost_turn", turn=self.turn.turn_id)
        progress = last or Progress(self._script())
        if progress.script.terminal is None:
            await self._drive(
                progress, progress.script.fail(_problem("stream_lost", _LOST), now()), closing=True
            )
        terminal = progress.script.terminal
        if terminal is None:
            raise OurFault("A turn that was ended has no end.")
        # A relay that never wrote anything may still be the second one of the turn: how much readers saw, it cannot tell.
        progress.lost = progress.present if last is not None else None
        progress.present = progress.moment_ms = 0
        await self._end(progress, terminal)

    async def _ended_before(self) -> str | None:
        ended = await self._database.read_async(lambda session: turns.end_of_turn(session, self.turn.turn_id))
        return ended.terminal if ended is not None else None

    def _encode(self, seq: int, event_type: str, data: dict[str, Any], at: str) -> bytes:
        event = {"v": 1, "turn_id": self.turn.turn_id, "seq": seq, "type": event_type, "at": at, "data": data}
        return orjson.dumps(event)


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
