"""A turn's script at work: raw events go in, its requests are answered, events come out."""

from typing import Any

from anyio import to_thread
from pydantic import ValidationError

from footnote_resolver.relay.answer_log import AnswerLog
from footnote_resolver.relay.backlog import RawBacklog
from footnote_resolver.relay.failures import MALFORMED_EVENT
from footnote_resolver.relay.requests import LOGGED, OutgoingEvent, ScriptRequest, ScriptStep
from footnote_resolver.relay.script import TurnScript
from footnote_resolver.relay.script_answers import ScriptAnswers
from footnote_shared.contracts.events import TERMINAL
from footnote_shared.kernel.clock import now
from footnote_shared.telemetry.logs import logger

_MOST_ON_LOOP_CHARS = 4_000
"""A thread normalises more characters than these at once, so that the other turns of the process go on.

Where each third character belongs to a citation, these take some 10 milliseconds.
"""

_log = logger(__name__)


class ScriptRun:
    """One run of a script over a turn's raw events, from the first one on. One per attempt at a turn."""

    def __init__(self, turn_id: str, script: TurnScript, answers: ScriptAnswers, log: AnswerLog) -> None:
        self.log = log
        self._turn_id = turn_id
        self._script = script
        self._answers = answers
        self._backlog = RawBacklog()

    @property
    def terminal(self) -> OutgoingEvent | None:
        """The event with which the turn ends; None while it runs."""
        return self._script.terminal

    def take_in(self, events: list[bytes]) -> None:
        """Raw events that have come, in order, as JSON."""
        self._backlog.add(events)

    async def step(self, *, passes_over: bool) -> list[OutgoingEvent] | None:
        """The events that the next raw event leads to, or the next deltas as one; None with nothing to do.

        `passes_over` says that a predecessor has written what comes next, so that its steps are taken again.
        A malformed raw event ends the turn: text may be missing, and nobody could tell.
        """
        if self._script.terminal is not None:
            return None
        size = self._next_size(passes_over=passes_over)
        if not size:
            return None
        try:
            raw = self._backlog.take(size)
            closing = raw.type in TERMINAL
            chars = self._script.raw_chars if closing else len(str(raw.data.get("text", "")))
            return await self._drive(self._script.step(raw), chars=chars)
        except ValidationError:
            _log.error("relay.malformed", turn=self._turn_id)
            return await self.fail(MALFORMED_EVENT)

    async def fail(self, problem: dict[str, Any]) -> list[OutgoingEvent]:
        """End the turn as failed, with the text so far."""
        return await self._drive(self._script.fail(problem, now()), chars=self._script.raw_chars)

    def _next_size(self, *, passes_over: bool) -> int:
        """How many raw events the next step takes; 0 while some of them have not come yet."""
        if passes_over or self.log.repeats:
            size = self.log.noted_size()
            if size > len(self._backlog):
                return 0
            self.log.take_again(size)
        else:
            size = self._backlog.next_size()
            self.log.take(size)
        return size

    async def _drive(self, step: ScriptStep, *, chars: int) -> list[OutgoingEvent]:
        """Take a step over this many characters to its end.

        Answers that a predecessor noted are given again; new ones are noted.
        """
        answer: Any = None
        in_thread = chars > _MOST_ON_LOOP_CHARS
        while True:
            said = await to_thread.run_sync(_advance, step, answer) if in_thread else _advance(step, answer)
            if isinstance(said, list):
                return said
            if not isinstance(said, LOGGED):
                answer = await self._answers.answer(said)
            elif self.log.has_answer():
                answer = self.log.answer_again()
            else:
                answer = await self._answers.answer(said)
                self.log.note_answer(answer)


def _advance(step: ScriptStep, answer: Any) -> ScriptRequest | list[OutgoingEvent]:
    """The next request of a step, or the events that it ends with."""
    try:
        return step.send(answer)
    except StopIteration as end:
        events: list[OutgoingEvent] = end.value
        return events
