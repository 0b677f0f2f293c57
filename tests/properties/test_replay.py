"""A turn that is taken over anywhere gives the same events to the byte, even if the registry has grown."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from footnote_resolver.relay.requests import (
    LOGGED,
    AskEntries,
    AskIssued,
    AskShown,
    AskVerdicts,
    OutgoingEvent,
    ScriptStep,
    Verdicts,
)
from footnote_resolver.relay.script import TurnScript
from footnote_resolver.sentences.claims import answer_sentences
from footnote_shared.contracts.answers import Verdict, VerificationPolicy, VerifiedSentence
from footnote_shared.contracts.events import EventType, RawEvent
from tests.properties.effort import examples
from tests.unit.resolver.entries import entry

START = datetime(2026, 3, 2, tzinfo=UTC)
DELTAS = [
    "The launch ", "moved ", "[1]", "[", "1", "2", "]", "[2]", "[3, 4]", "[5]", ". ", ".\n\n",
    "\n- Item is here", "`[1]`", "[2024]", "Costs 5 euros. ", "Is it so? ", "[citation:3]", "```\n",
]  # fmt: skip
POLICIES: list[VerificationPolicy] = ["off", "report", "mark", "drop"]
Policy = Literal["off", "missing_only", "always"]


class World:
    """Answers requests. The number of issued citations grows with every look, from any beginning."""

    def __init__(self, issued: int, steps: list[int]) -> None:
        self.issued = issued
        self.steps = steps
        self.looks = 0

    def answer(self, request: Any) -> Any:
        match request:
            case AskIssued():
                self.issued += self.steps[self.looks % len(self.steps)]
                self.looks += 1
                return self.issued
            case AskEntries(numbers):
                return {n: entry(n) for n in numbers}
            case AskShown(numbers):
                return set(numbers)
            case AskVerdicts():
                return verdicts_on(request.text)
            case _:
                self.looks += 1
                return self.looks % 3 or None


def verdicts_on(text: str) -> Verdicts:
    """The same for the same text, as a verifier that is not out of time gives them."""
    kinds: list[Verdict] = ["unsupported", "supported", "misattributed", "weak"]
    cited = [s for s in answer_sentences(text) if s.citations]
    return Verdicts(
        [
            VerifiedSentence(
                sentence=s.text,
                span=(s.start, s.end),
                citations=list(s.citations),
                verdict=kinds[i % 4],
                score=0.5,
            )
            for i, s in enumerate(cited)
        ]
    )


class Carrier:
    """A relay without its stores.

    `written` is the events stream, each entry with the answers that were noted beside it.
    """

    def __init__(
        self,
        policy: Policy,
        world: World,
        written: list[tuple[str, list[Any]]],
        verification: VerificationPolicy = "report",
    ) -> None:
        self.script = TurnScript(policy, verification)
        self.world = world
        self.written = written
        self.passed = len(written)
        self.recorded = [answer for _, answers in written for answer in answers]
        self.pending: list[Any] = []
        self.replayed: list[str] = []

    def feed(self, raw: RawEvent) -> None:
        events = self.drive(self.script.step(raw))
        if self.script.terminal is not None:
            events = [*events, self.script.terminal]
        for event in events:
            line = json.dumps([event.type, event.data, event.at.isoformat()])
            if len(self.replayed) < self.passed:
                self.replayed.append(line)
            else:
                self.written.append((line, self.pending))
                self.pending = []

    def drive(self, steps: ScriptStep) -> list[OutgoingEvent]:
        answer: Any = None
        while True:
            try:
                request = steps.send(answer)
            except StopIteration as end:
                return list(end.value)
            if not isinstance(request, LOGGED):
                answer = self.world.answer(request)
            elif self.recorded:
                answer = self.recorded.pop(0)
            else:
                answer = self.world.answer(request)
                self.pending.append(answer)


def raw_events(deltas: list[str], end: str, **named: str) -> list[RawEvent]:
    started = {"thread_id": "c", "message_id": "m", "engine": "e", "settings_hash": "0", **named}
    plan: list[tuple[str, dict[str, Any]]] = [
        ("turn.started", started),
        *(("text.delta", {"text": d}) for d in deltas),
    ]
    plan.append((end, {"message_id": "m", "problem": {}}))
    return [
        RawEvent(
            turn_id="t",
            workspace_id="w",
            thread_id="c",
            type=cast(EventType, kind),
            at=START + timedelta(seconds=i),
            data=data,
        )
        for i, (kind, data) in enumerate(plan)
    ]


@given(
    st.lists(st.sampled_from(DELTAS), max_size=40),
    st.sampled_from(["message.completed", "turn.failed", "turn.cancelled"]),
    st.sampled_from(["off", "missing_only", "always"]),
    st.lists(st.integers(0, 2), min_size=1, max_size=5),
    st.lists(st.integers(0, 42), max_size=3),
    st.sampled_from(POLICIES),
)
@settings(max_examples=examples(300))
def test_a_turn_taken_over_anywhere_goes_on_to_the_byte(
    deltas: list[str],
    end: str,
    policy: Policy,
    growth: list[int],
    deaths: list[int],
    verification: VerificationPolicy,
) -> None:
    events = raw_events(deltas, end)
    written: list[tuple[str, list[Any]]] = []
    for generation, death in enumerate([*sorted(deaths), len(events)]):
        # Each carrier lives in a world that has grown more than its predecessor could know.
        before = [line for line, _ in written]
        carrier = Carrier(policy, World(generation * 3, growth), written, verification)
        for raw in events[: max(death, 1)] if generation < len(deaths) else events:
            carrier.feed(raw)
        assert carrier.replayed == before[: len(carrier.replayed)]
    lines = [json.loads(line) for line, _ in written]
    assert [kind for kind, *_ in lines].count(end) == 1
    assert lines[-1][0] == end


@given(
    st.lists(st.sampled_from(DELTAS), max_size=40),
    st.sampled_from(["off", "missing_only", "always"]),
    st.lists(st.integers(0, 2), min_size=1, max_size=5),
    st.sampled_from(POLICIES),
)
def test_a_citation_is_announced_before_the_delta_that_holds_it(
    deltas: list[str], policy: Policy, growth: list[int], verification: VerificationPolicy
) -> None:
    written: list[tuple[str, list[Any]]] = []
    carrier = Carrier(policy, World(0, growth), written, verification)
    for raw in raw_events(deltas, "message.completed"):
        carrier.feed(raw)
    announced: set[int] = set()
    for kind, data, _ in (json.loads(line) for line, _ in written):
        if kind == "citation":
            assert data["entry"]["n"] not in announced
            announced.add(data["entry"]["n"])
        if kind == "message.completed":
            assert {c["n"] for c in data["citations"]} <= announced
            assert all(f"[citation:{c['n']}]" in data["text"] for c in data["citations"])
            assert ("verification" in data) == (verification != "off")
            counts = data["compliance"]
            claims = [s for s in answer_sentences(data["text"]) if s.is_claim]
            assert counts["model_cited"] + counts["injected"] == sum(bool(s.citations) for s in claims)
            assert counts["uncited"] == sum(not s.citations for s in claims)


@given(st.lists(st.sampled_from(DELTAS), max_size=40), st.lists(st.integers(0, 2), min_size=1, max_size=5))
def test_a_turn_that_names_its_policies_gets_them(deltas: list[str], growth: list[int]) -> None:
    """Whatever the resolver that carries it is set to."""
    ends = []
    for injection, verification in (("off", "off"), ("always", "mark")):
        written: list[tuple[str, list[Any]]] = []
        carrier = Carrier(
            cast(Policy, injection), World(0, growth), written, cast(VerificationPolicy, verification)
        )
        for raw in raw_events(deltas, "message.completed", injection="missing_only", verification="drop"):
            carrier.feed(raw)
        ends.append([line for line, _ in written][1:])
    assert ends[0] == ends[1]
    assert json.loads(ends[0][-1])[1]["verification"]["policy"] == "drop"


def test_verification_that_failed_leaves_the_text_as_it_was_written() -> None:
    class Failing(World):
        def answer(self, request: Any) -> Any:
            return Verdicts(None) if isinstance(request, AskVerdicts) else super().answer(request)

    written: list[tuple[str, list[Any]]] = []
    carrier = Carrier("off", Failing(3, [0]), written, "drop")
    for raw in raw_events(["It moved [1]."], "message.completed"):
        carrier.feed(raw)
    end = json.loads(written[-1][0])[1]
    assert end["text"] == "It moved [citation:1]."
    assert (end["verification"]["status"], end["verification"]["policy"]) == ("skipped", "drop")
