"""The script of a turn: from the agent's raw events to the events that readers get (spec 6). Pure.

It does no I/O: it yields requests and is sent their answers. The relay logs the answers that depend on the
moment beside the events that they led to. A resolver that takes the turn over gives them again. The same raw
events and the same answers make the same events, to the byte (docs/adr/0011).
"""

import re
from collections.abc import Generator
from datetime import datetime
from typing import Any

from footnote_resolver.injection.live import Asking, LiveInjector, inject
from footnote_resolver.normaliser.finalize import finalize
from footnote_resolver.normaliser.stream import MOST_HELD, Normaliser
from footnote_resolver.registry.issued import IssuedNumbers
from footnote_resolver.relay.closing import ClosingJudge, report_of, with_excerpts
from footnote_resolver.relay.link_guard import LinkGuard, guarded
from footnote_resolver.relay.requests import (
    AskEntries,
    AskIssued,
    AskReady,
    AskShown,
    AskVerdicts,
    OutgoingEvent,
    ScriptRequest,
    ScriptStep,
    Verdicts,
)
from footnote_resolver.sentences.cited_claims import claims_by_number
from footnote_shared.contracts.answers import CutReason, InjectionPolicy, Origin, VerificationPolicy
from footnote_shared.contracts.base import WireModel
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.events import (
    CitationEvent,
    MessageCompleted,
    RawCompleted,
    RawEvent,
    TextDelta,
    TurnCancelled,
    TurnFailed,
    TurnStarted,
)
from footnote_shared.kernel.citation_tokens import MOST_DIGITS, numbers_in
from footnote_shared.kernel.signs import with_signs

_PASSED_ON: frozenset[str] = frozenset(
    {"turn.started", "progress", "tool.started", "tool.finished", "approval.needed", "usage"}
)
# The bracket around a number may stand in an earlier delta, as far back as the normaliser holds text.
_LOOK_BACK = MOST_HELD + 16
_DIGITS = re.compile(r"\d+")
_BRACKET = re.compile(r"[\[【［]")


class TurnScript:
    """One per attempt at a turn.

    It must get every raw event, from the first one on. After the terminal event it takes no more.
    """

    def __init__(self, policy: InjectionPolicy, verification: VerificationPolicy = "off") -> None:
        """The two policies hold for a turn that names none of its own."""
        self._policy = policy
        self._verification = verification
        self._issued = IssuedNumbers()
        self._normaliser = Normaliser(self._issued.holds, self._issued.highest)
        self._links = LinkGuard()
        self._injector = LiveInjector(policy)
        self._question: str | None = None
        self._message_id = ""
        self._raw: list[str] = []
        self._window = ""
        self._uses_tools = False
        self._resolved_live: set[int] = set()
        self._matches: dict[str, int | None] = {}
        self._announced: set[int] = set()
        self._entries: dict[int, CitationEntry] = {}
        self.terminal: OutgoingEvent | None = None

    @property
    def raw_chars(self) -> int:
        """Characters of the model's own text so far: the end of the turn goes over all of them again."""
        return sum(map(len, self._raw))

    def step(self, raw: RawEvent) -> ScriptStep:
        """The events that a raw event leads to. The terminal one is left in `terminal`.

        Raises ValueError for malformed data.
        """
        if self.terminal is not None:
            return []
        if raw.type == "text.delta":
            return (yield from self._text(TextDelta.model_validate(raw.data).text, raw.at))
        if raw.type == "message.completed":
            completed = RawCompleted.model_validate(raw.data)
            self._message_id = completed.message_id
            return (yield from self._complete(completed.cut, raw.at))
        if raw.type == "turn.failed":
            self._message_id = str(raw.data.get("message_id") or self._message_id)
            return (yield from self.fail(dict(raw.data.get("problem") or {}), raw.at))
        if raw.type == "turn.cancelled":
            self._message_id = str(raw.data.get("message_id") or self._message_id)
            return (yield from self._cancel(raw.at))
        if raw.type == "turn.started":
            self._start(TurnStarted.model_validate(raw.data))
        if self._may_follow_evidence(raw) and (self._policy != "off" or self._verification != "off"):
            yield AskReady()
        return [OutgoingEvent(raw.type, raw.data, raw.at)] if raw.type in _PASSED_ON else []

    def _may_follow_evidence(self, raw: RawEvent) -> bool:
        """Whether passages may have been registered before this event.

        Tools do that before they finish, and an engine without tools does it before it writes.
        """
        self._uses_tools |= raw.type == "tool.started"
        if raw.type == "tool.finished":
            return True
        return raw.type == "progress" and not self._uses_tools and raw.data.get("stage") == "writing"

    def fail(self, problem: dict[str, Any], at: datetime) -> ScriptStep:
        """End the turn as failed, with the text so far."""
        events, message = yield from self._close(at, cut=True)
        failed = TurnFailed(
            message_id=self._message_id,
            problem=problem,
            text=message.text,
            citations=message.citations,
            compliance=message.compliance,
        )
        self.terminal = OutgoingEvent("turn.failed", _json(failed), at)
        return events

    def _start(self, started: TurnStarted) -> None:
        self._message_id, self._question = started.message_id, started.question
        self._policy = started.injection or self._policy
        self._verification = started.verification or self._verification
        self._injector = LiveInjector(self._policy, self._question)

    def _cancel(self, at: datetime) -> ScriptStep:
        events, message = yield from self._close(at, cut=True)
        cancelled = TurnCancelled(
            message_id=self._message_id,
            text=message.text,
            citations=message.citations,
            compliance=message.compliance,
        )
        self.terminal = OutgoingEvent("turn.cancelled", _json(cancelled), at)
        return events

    def _complete(self, cut: CutReason | None, at: datetime) -> ScriptStep:
        events, message = yield from self._close(at, cut=cut is not None)
        message = message.model_copy(update={"cut": cut})
        if self._verification != "off":
            numbers = tuple(entry.n for entry in message.citations)
            verdicts: Verdicts = (yield AskVerdicts(message.text, numbers)) if numbers else Verdicts([])
            events += [OutgoingEvent("verification", _json(one), at) for one in verdicts.sentences or ()]
            message = self._judge().judged(message, verdicts, self._verification)
        self.terminal = OutgoingEvent("message.completed", _json(message), at)
        return events

    def _text(self, delta: str, at: datetime) -> ScriptStep:
        self._raw.append(delta)
        if self._may_cite_unknown(delta):
            self._issued.grow_to((yield AskIssued()))
        self._window = (self._window + delta)[-_LOOK_BACK:]
        return (yield from self._send(self._links.feed(with_signs(self._normaliser.feed(delta))), at))

    def _may_cite_unknown(self, delta: str) -> bool:
        """Whether a number above all that are known ends in this delta, in what may be a bracket."""
        if _DIGITS.search(delta) is None:
            return False
        text = self._window + delta
        bracket = _BRACKET.search(text)
        if bracket is None:
            return False
        return any(
            found.end() > len(self._window)
            and len(found.group()) <= MOST_DIGITS
            and int(found.group()) > self._issued.highest()
            for found in _DIGITS.finditer(text, bracket.start())
        )

    def _send(self, text: str, at: datetime) -> ScriptStep:
        """Normalised text with what injection adds, behind the citations that appear in it first."""
        self._resolved_live.update(self._normaliser.citations)
        text = yield from self._matching(self._injector.feed(text))
        return (yield from self._delta(text, at))

    def _delta(self, text: str, at: datetime) -> ScriptStep:
        if not text:
            return []
        meant = self._resolved_live.union(n for n in self._matches.values() if n is not None)
        numbers = [n for n in numbers_in(text) if n in meant]
        events = yield from self._announce(numbers, self._resolved_live, at)
        return [*events, OutgoingEvent("text.delta", {"text": text}, at)]

    def _announce(self, numbers: list[int], by_model: set[int], at: datetime) -> ScriptStep:
        fresh = tuple(dict.fromkeys(n for n in numbers if n not in self._announced))
        if not fresh:
            return []
        self._entries.update((yield AskEntries(fresh)))
        events = []
        for n in fresh:
            if n in self._entries:
                self._announced.add(n)
                origin: Origin = "model" if n in by_model else "injected"
                entry = self._entries[n].model_copy(update={"origin": origin})
                events.append(OutgoingEvent("citation", _json(CitationEvent(entry=entry, origin=origin)), at))
        return events

    def _matching(self, asking: Asking) -> Generator[ScriptRequest, Any, str]:
        """Run an injection. A sentence that was matched before keeps its match."""
        answer: int | None = None
        while True:
            try:
                request = asking.send(answer)
            except StopIteration as end:
                return str(end.value)
            if request.sentence not in self._matches:
                match = yield request
                self._matches[request.sentence] = match
                if match is not None:
                    self._issued.grow_to(match)
            answer = self._matches[request.sentence]

    def _close(
        self, at: datetime, *, cut: bool
    ) -> Generator[ScriptRequest, Any, tuple[list[OutgoingEvent], MessageCompleted]]:
        """The rest of the live text, and the message as it is stored: the whole raw text, finalized.

        `cut` says that the model had not finished, so that the text may end within a marker or a sentence.
        """
        last = self._links.feed(with_signs(self._normaliser.close(cut=cut))) + self._links.close()
        events = yield from self._send(last, at)
        rest = yield from self._matching(self._injector.close(cut=cut))
        events += yield from self._delta(rest, at)
        issued = self._issued
        # A number that was unknown when the model wrote it stays unknown, even if a passage has got it since.
        dropped = set(self._normaliser.report.dropped) - self._resolved_live
        normalised = finalize(
            "".join(self._raw), lambda n: issued.holds(n) and n not in dropped, issued.highest, cut=cut
        )
        unlinked = guarded(with_signs(normalised.text))
        text = yield from self._matching(inject(unlinked, self._policy, self._question, cut=cut))
        injected = text != unlinked
        cited = list((finalize(text, issued.holds, issued.highest) if injected else normalised).citations)
        by_model = set(normalised.citations)
        events += yield from self._announce(cited, by_model, at)
        shown: set[int] = (yield AskShown(tuple(sorted(by_model)))) if by_model else set()
        report = report_of(normalised.report, [n for n in normalised.citations if n not in shown])
        claims = claims_by_number(text)
        message = MessageCompleted(
            message_id=self._message_id,
            text=text,
            citations=[
                with_excerpts(self._entries[n], claims.get(n, ())).model_copy(
                    update={"origin": "model" if n in by_model else "injected"}
                )
                for n in cited
                if n in self._entries
            ],
            compliance=self._judge().compliance(text, report),
        )
        return events, message

    def _judge(self) -> ClosingJudge:
        return ClosingJudge(self._issued, self._question, self._matches)


def _json(message: WireModel) -> dict[str, Any]:
    return message.model_dump(mode="json", exclude_none=True)
