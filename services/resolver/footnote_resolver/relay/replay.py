"""The deterministic way from a turn's raw events to the events that its readers get (spec 6). Pure.

`TurnScript` does no I/O: it yields questions and is sent their answers. Answers that depend on the moment (`AskIssued`,
`AskMatch`) are journalled beside the events that they led to, so that a resolver which takes the turn over can give them
again: the same raw events and the same answers make the same events, to the byte.
"""

import re
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from footnote_resolver.injection.live import Asking, AskMatch, LiveInjector, inject
from footnote_resolver.normaliser.finalize import finalize
from footnote_resolver.normaliser.report import Report
from footnote_resolver.normaliser.stream import Normaliser
from footnote_resolver.sentences.answers import TOKEN, answer_sentences, plain
from footnote_resolver.verification.policy import marked, support_of, withdraw
from footnote_shared.contracts.base import Message
from footnote_shared.contracts.events import (
    CitationEvent,
    EventType,
    MessageCompleted,
    RawCompleted,
    RawEvent,
    TextDelta,
    TurnCancelled,
    TurnFailed,
    TurnStarted,
)
from footnote_shared.contracts.evidence import (
    CitationEntry,
    Compliance,
    InjectionPolicy,
    NormaliserReport,
    Origin,
    VerificationPolicy,
    VerificationSummary,
    VerifiedSentence,
)

_PASSED_ON: frozenset[str] = frozenset(
    {"turn.started", "progress", "tool.started", "tool.finished", "approval.needed", "usage"}
)
# An agent registers evidence before it says so by one of these.
_AFTER_EVIDENCE: frozenset[str] = frozenset({"progress", "tool.finished"})
# A bracket may have been opened in an earlier delta; the normaliser holds back 64 characters at most.
_LOOK_BACK = 80
_DIGITS = re.compile(r"\d+")
_BRACKET = re.compile(r"[\[【［]")
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class AskIssued:
    """The highest number of the conversation that has been issued by now. Journalled."""


@dataclass(frozen=True, slots=True)
class AskReady:
    """Be ready to compare sentences with the evidence, which may have grown. Nothing depends on the answer."""


@dataclass(frozen=True, slots=True)
class AskEntries:
    """The entries of these numbers, by number, as the turn was shown them."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AskShown:
    """Which of these numbers the answering agent was ever shown."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AskVerdicts:
    """What verification says of the final text, which cites these numbers."""

    text: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts on the sentences that cite; None where verification failed or took too long."""

    sentences: list[VerifiedSentence] | None
    degraded: tuple[str, ...] = ()


Question = AskIssued | AskReady | AskMatch | AskEntries | AskShown | AskVerdicts
JOURNALLED = (AskIssued, AskMatch)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """An event without its place: `seq` is given when it is written."""

    type: EventType
    data: dict[str, Any]
    at: datetime


Steps = Generator[Question, Any, list[Outgoing]]


class TurnScript:
    """One per turn and relay. Feed it every raw event from the first on; after a terminal event it takes no more."""

    def __init__(self, policy: InjectionPolicy, verification: VerificationPolicy = "off") -> None:
        """The policies hold for a turn that does not name its own."""
        self._policy = policy
        self._verification = verification
        self._issued = 0
        self._normaliser = Normaliser(self._is_issued, lambda: self._issued)
        self._injector = LiveInjector(policy)
        self._question: str | None = None
        self._raw: list[str] = []
        self._window = ""
        self._resolved_live: set[int] = set()
        self._matches: dict[str, int | None] = {}
        self._announced: set[int] = set()
        self._entries: dict[int, CitationEntry] = {}
        self.message_id = ""
        self.terminal: Outgoing | None = None

    def step(self, raw: RawEvent) -> Steps:
        """The events that a raw event leads to; a terminal one is left in `terminal`. Raises ValueError for malformed data."""
        if self.terminal is not None:
            return []
        if raw.type == "text.delta":
            return (yield from self._text(TextDelta.model_validate(raw.data).text, raw.at))
        if raw.type == "message.completed":
            self.message_id = RawCompleted.model_validate(raw.data).message_id
            return (yield from self._complete(raw.at))
        if raw.type == "turn.failed":
            self.message_id = str(raw.data.get("message_id") or self.message_id)
            return (yield from self.fail(dict(raw.data.get("problem") or {}), raw.at))
        if raw.type == "turn.cancelled":
            self.message_id = str(raw.data.get("message_id") or self.message_id)
            return (yield from self._cancel(raw.at))
        if raw.type == "turn.started":
            started = TurnStarted.model_validate(raw.data)
            self.message_id, self._question = started.message_id, started.question
            self._policy = started.injection or self._policy
            self._verification = started.verification or self._verification
            self._injector = LiveInjector(self._policy, self._question)
        if raw.type in _AFTER_EVIDENCE and (self._policy != "off" or self._verification != "off"):
            yield AskReady()
        return [Outgoing(raw.type, raw.data, raw.at)] if raw.type in _PASSED_ON else []

    @property
    def raw_chars(self) -> int:
        """Characters of the model's own text so far: what closing the turn will go over again."""
        return sum(map(len, self._raw))

    def fail(self, problem: dict[str, Any], at: datetime) -> Steps:
        """End the turn as failed, with the text so far."""
        events, message = yield from self._closing(at)
        data = TurnFailed(
            message_id=self.message_id,
            problem=problem,
            text=message.text,
            citations=message.citations,
            compliance=message.compliance,
        )
        self.terminal = Outgoing("turn.failed", _json(data), at)
        return events

    def _cancel(self, at: datetime) -> Steps:
        events, message = yield from self._closing(at)
        data = TurnCancelled(
            message_id=self.message_id,
            text=message.text,
            citations=message.citations,
            compliance=message.compliance,
        )
        self.terminal = Outgoing("turn.cancelled", _json(data), at)
        return events

    def _complete(self, at: datetime) -> Steps:
        events, message = yield from self._closing(at)
        if self._verification != "off":
            numbers = tuple(entry.n for entry in message.citations)
            verdicts: Verdicts = (yield AskVerdicts(message.text, numbers)) if numbers else Verdicts([])
            events += [Outgoing("verification", _json(one), at) for one in verdicts.sentences or ()]
            message = self._judged(message, verdicts)
        self.terminal = Outgoing("message.completed", _json(message), at)
        return events

    def _judged(self, message: MessageCompleted, verdicts: Verdicts) -> MessageCompleted:
        """The message as the policy wants it. What was streamed has gone out: only the closing event can be other."""
        policy, sentences = self._verification, verdicts.sentences
        if sentences is None:
            return message.model_copy(
                update={"verification": VerificationSummary(status="skipped", policy=policy)}
            )
        found = Counter(one.verdict for one in sentences)
        summary = VerificationSummary(
            status="done",
            policy=policy,
            supported=found["supported"],
            weak=found["weak"],
            unsupported=found["unsupported"],
            misattributed=found["misattributed"],
            marked=marked(sentences) if policy == "mark" else None,
            degraded=list(verdicts.degraded),
        )
        if policy == "mark":
            worst = support_of(sentences)
            citations = [e.model_copy(update={"support": worst.get(e.n)}) for e in message.citations]
            return message.model_copy(update={"citations": citations, "verification": summary})
        if policy == "drop":
            return self._thinned(message, sentences, summary)
        return message.model_copy(update={"verification": summary})

    def _thinned(
        self, message: MessageCompleted, sentences: list[VerifiedSentence], summary: VerificationSummary
    ) -> MessageCompleted:
        thinned = withdraw(message.text, sentences, self._is_issued, lambda: self._issued)
        summary = summary.model_copy(update={"withdrawn": thinned.withdrawn})
        if not thinned.withdrawn:
            return message.model_copy(update={"verification": summary})
        left = set(finalize(thinned.text, self._is_issued, lambda: self._issued).citations)
        before, report = message.compliance, message.compliance.report
        after = self._compliance(thinned.text, report)
        lost = before.model_cited + before.injected - after.model_cited - after.injected
        return message.model_copy(
            update={
                "text": thinned.text,
                "citations": [entry for entry in message.citations if entry.n in left],
                "compliance": after.model_copy(update={"withdrawn": lost}),
                "verification": summary,
            }
        )

    def _text(self, delta: str, at: datetime) -> Steps:
        self._raw.append(delta)
        if self._may_cite_unknown(delta):
            self._issued = max(self._issued, (yield AskIssued()))
        self._window = (self._window + delta)[-_LOOK_BACK:]
        return (yield from self._send(self._normaliser.feed(delta), at))

    def _may_cite_unknown(self, delta: str) -> bool:
        """Whether a number above all that we know of, in what may be a bracket, ends in this delta."""
        if _DIGITS.search(delta) is None:
            return False
        text = self._window + delta
        bracket = _BRACKET.search(text)
        if bracket is None:
            return False
        return any(
            found.end() > len(self._window)
            and len(found.group()) <= _MOST_DIGITS
            and int(found.group()) > self._issued
            for found in _DIGITS.finditer(text, bracket.start())
        )

    def _send(self, text: str, at: datetime) -> Steps:
        """Normalised text with what is injected, behind the citations that it is the first to hold."""
        self._resolved_live.update(self._normaliser.citations)
        text = yield from self._matching(self._injector.feed(text))
        return (yield from self._delta(text, at))

    def _delta(self, text: str, at: datetime) -> Steps:
        if not text:
            return []
        meant = self._resolved_live.union(n for n in self._matches.values() if n is not None)
        numbers = [n for n in map(int, TOKEN.findall(text)) if n in meant] if "[citation:" in text else []
        events = yield from self._announce(numbers, self._resolved_live, at)
        return [*events, Outgoing("text.delta", {"text": text}, at)]

    def _announce(self, numbers: list[int], by_model: set[int], at: datetime) -> Steps:
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
                events.append(Outgoing("citation", _json(CitationEvent(entry=entry, origin=origin)), at))
        return events

    def _matching(self, asking: Asking) -> Generator[Question, Any, str]:
        """Run an injection; a sentence that was matched before keeps its match."""
        answer: int | None = None
        while True:
            try:
                question = asking.send(answer)
            except StopIteration as end:
                return str(end.value)
            if question.sentence not in self._matches:
                match = yield question
                self._matches[question.sentence] = match
                if match is not None:
                    self._issued = max(self._issued, match)
            answer = self._matches[question.sentence]

    def _closing(self, at: datetime) -> Generator[Question, Any, tuple[list[Outgoing], MessageCompleted]]:
        """The rest of the live text, and the message as it is stored: the whole raw text, finalized."""
        events = yield from self._send(self._normaliser.close(), at)
        rest = yield from self._matching(self._injector.close())
        events += yield from self._delta(rest, at)
        dropped = set(self._normaliser.report.dropped) - self._resolved_live
        # What was unknown when the model wrote it stays unknown, though the number may have been given to a passage since.
        normalised = finalize(
            "".join(self._raw), lambda n: self._is_issued(n) and n not in dropped, lambda: self._issued
        )
        text = yield from self._matching(inject(normalised.text, self._policy, self._question))
        by_model = set(normalised.citations)
        changed = text != normalised.text
        cited = list(
            (finalize(text, self._is_issued, lambda: self._issued) if changed else normalised).citations
        )
        events += yield from self._announce(cited, by_model, at)
        shown: set[int] = (yield AskShown(tuple(sorted(by_model)))) if by_model else set()
        report = report_of(normalised.report, [n for n in normalised.citations if n not in shown])
        message = MessageCompleted(
            message_id=self.message_id,
            text=text,
            citations=[
                self._entries[n].model_copy(update={"origin": "model" if n in by_model else "injected"})
                for n in cited
                if n in self._entries
            ],
            compliance=self._compliance(text, report),
        )
        return events, message

    def _compliance(self, text: str, report: NormaliserReport) -> Compliance:
        claims = [sentence for sentence in answer_sentences(text, self._question) if sentence.is_claim]
        injected = [
            s for s in claims if len(s.citations) == 1 and self._matches.get(plain(s.text)) == s.citations[0]
        ]
        cited = [s for s in claims if s.citations]
        return Compliance(
            model_cited=len(cited) - len(injected),
            injected=len(injected),
            uncited=len(claims) - len(cited),
            report=report,
        )

    def _is_issued(self, n: int) -> bool:
        return 1 <= n <= self._issued


def report_of(report: Report, unshown: list[int]) -> NormaliserReport:
    """The normaliser's report as it goes over the wire."""
    return NormaliserReport(
        emitted=report.emitted,
        resolved=report.resolved,
        dropped=list(report.dropped),
        repaired=report.repaired,
        unshown=unshown,
    )


def _json(message: Message) -> dict[str, Any]:
    return message.model_dump(mode="json", exclude_none=True)
