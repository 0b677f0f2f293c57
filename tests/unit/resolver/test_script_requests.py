"""What the script of a turn asks for: as often as it must know something, and not for every delta."""

from datetime import UTC, datetime
from typing import Any

import pytest

from footnote_resolver.injection.live import AskMatch
from footnote_resolver.relay.requests import (
    AskEntries,
    AskIssued,
    AskReady,
    AskShown,
    OutgoingEvent,
    ScriptRequest,
    ScriptStep,
)
from footnote_resolver.relay.script import TurnScript
from footnote_shared.contracts.answers import InjectionPolicy
from footnote_shared.contracts.events import EventType, RawEvent
from tests.unit.resolver.entries import entry

AT = datetime(2026, 3, 2, tzinfo=UTC)


def raw(kind: EventType, **data: object) -> RawEvent:
    return RawEvent(turn_id="t", workspace_id="w", thread_id="c", type=kind, at=AT, data=data)


class Told:
    """A script that is told of deltas; `issued` are the answers to how many numbers are issued, in order."""

    def __init__(self, *issued: int, policy: InjectionPolicy = "off") -> None:
        self.script = TurnScript(policy)
        self.requests: list[ScriptRequest] = []
        self._issued = list(issued)

    def tell(self, *deltas: str, end: EventType = "message.completed") -> str:
        """The whole text that comes of these deltas."""
        for delta in deltas:
            self.drive(self.script.step(raw("text.delta", text=delta)))
        self.drive(self.script.step(raw(end, message_id="m")))
        assert self.script.terminal is not None
        return str(self.script.terminal.data["text"])

    def drive(self, step: ScriptStep) -> list[OutgoingEvent]:
        answer: Any = None
        while True:
            try:
                request = step.send(answer)
            except StopIteration as end:
                return list(end.value)
            self.requests.append(request)
            answer = self._answer(request)

    def _answer(self, request: ScriptRequest) -> Any:
        match request:
            case AskIssued():
                return self._issued.pop(0)
            case AskEntries(numbers):
                return {n: entry(n) for n in numbers}
            case AskShown(numbers):
                return set(numbers)
            case _:
                return None

    def count(self, kind: type) -> int:
        return sum(isinstance(request, kind) for request in self.requests)


def test_text_without_a_bracket_asks_for_nothing() -> None:
    told = Told()
    told.tell("In 2026 ", "it cost 7 euros, ", "and 12 (3) {4} more.")
    assert told.requests == []


def test_a_known_number_is_not_asked_for_again() -> None:
    told = Told(5)
    assert told.tell("See [5].", " And [3], [1].") == "See [citation:5]. And [citation:3], [citation:1]."
    assert told.count(AskIssued) == 1


def test_a_number_of_a_long_list_is_known_though_its_bracket_came_long_before() -> None:
    told = Told(15, 16)
    numbers = ", ".join(map(str, range(1, 16)))
    text = told.tell(f"All: [{numbers}, 1", "6", "].")
    assert told.count(AskIssued) == 2
    assert text.endswith("[citation:15][citation:16].")


@pytest.mark.parametrize(("number", "asked"), [("123456789", 1), ("1234567890", 0)])
def test_what_is_too_long_for_a_number_is_not_asked_for(number: str, asked: int) -> None:
    told = Told(0)
    told.tell(f"See [{number}].")
    assert told.count(AskIssued) == asked


@pytest.mark.parametrize(("policy", "times"), [("off", 0), ("always", 1)])
def test_the_matcher_gets_ready_before_an_engine_without_tools_writes(
    policy: InjectionPolicy, times: int
) -> None:
    told = Told(policy=policy)
    for stage in ("thinking", "searching", "reading", "writing"):
        told.drive(told.script.step(raw("progress", stage=stage, label="At work")))
    assert told.count(AskReady) == times


@pytest.mark.parametrize(("policy", "times"), [("off", 0), ("always", 2)])
def test_the_matcher_gets_ready_once_for_each_tool(policy: InjectionPolicy, times: int) -> None:
    told = Told(policy=policy)
    for _ in range(2):
        told.drive(told.script.step(raw("progress", stage="searching", label="At work")))
        told.drive(told.script.step(raw("tool.started")))
        told.drive(told.script.step(raw("tool.finished")))
    told.drive(told.script.step(raw("progress", stage="writing", label="At work")))
    told.drive(told.script.step(raw("usage")))
    assert told.count(AskReady) == times


@pytest.mark.parametrize(("end", "text"), [("turn.cancelled", "Blue"), ("turn.failed", "Blue")])
@pytest.mark.parametrize("last", [" [", " [2", " (see [1", ", [1, 2", " [citation:"])
def test_a_marker_that_an_end_cuts_off_is_neither_streamed_nor_stored(
    end: EventType, text: str, last: str
) -> None:
    told = Told(5, 5, 5)
    streamed = [
        event.data["text"]
        for delta in ("Blue", last)
        for event in told.drive(told.script.step(raw("text.delta", text=delta)))
    ]
    events = told.drive(told.script.step(raw(end, message_id="m")))
    streamed += [event.data["text"] for event in events if event.type == "text.delta"]
    assert told.script.terminal is not None
    assert told.script.terminal.data["text"] == "".join(streamed) == text + (" (see" if "see" in last else "")


@pytest.mark.parametrize(
    ("end", "asked"), [("turn.cancelled", 1), ("turn.failed", 1), ("message.completed", 2)]
)
def test_the_half_sentence_of_a_turn_that_was_stopped_is_not_matched(end: EventType, asked: int) -> None:
    told = Told(policy="always")
    told.tell("The launch moved to March. The budget was cut by", end=end)
    assert told.count(AskMatch) == asked


def test_a_finished_message_may_end_with_a_bracket() -> None:
    assert Told().tell("An interval [0") == "An interval [0"


def test_an_address_of_the_models_is_not_stored_beside_its_number() -> None:
    deltas = ("Blue [1](https://evil.example/a)", "[1](https://evil.example/a).\n\n", "Sources:\n[1]: ")
    assert Told(1).tell(*deltas, "https://evil.example/a") == "Blue [citation:1]."
