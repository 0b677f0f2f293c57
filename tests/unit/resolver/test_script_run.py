"""A script at work: predecessors' steps are taken again, and a long end holds up no other turn."""

import threading
from typing import Any

import orjson
import pytest

from footnote_resolver.relay.answer_log import AnswerLog
from footnote_resolver.relay.failures import AGENT_GONE
from footnote_resolver.relay.requests import AskIssued, ScriptRequest, ScriptStep
from footnote_resolver.relay.script import TurnScript
from footnote_resolver.relay.script_answers import ScriptAnswers
from footnote_resolver.relay.script_run import ScriptRun
from footnote_shared.contracts.events import RawEvent


class Counting(ScriptAnswers):
    """Every look finds one number more."""

    def __init__(self, issued: int) -> None:
        self.issued = issued

    async def answer(self, request: ScriptRequest) -> Any:
        if isinstance(request, AskIssued):
            self.issued += 1
            return self.issued
        return set() if "numbers" not in str(request) else {}


class Observed(TurnScript):
    """Says which threads took its steps."""

    def __init__(self) -> None:
        super().__init__("off")
        self.threads: dict[str, threading.Thread] = {}

    def step(self, raw: RawEvent) -> ScriptStep:
        def observed() -> ScriptStep:
            self.threads[raw.type] = threading.current_thread()
            return (yield from super(Observed, self).step(raw))

        return observed()


def delta(text: str) -> bytes:
    return raw("text.delta", text=text)


def raw(kind: str, **data: object) -> bytes:
    head = {"turn_id": "t", "workspace_id": "w", "thread_id": "c", "at": "2026-03-02T10:00:00.000Z"}
    return orjson.dumps({**head, "type": kind, "data": data})


def new_run(script: TurnScript | None = None, *, issued: int = 0, log: AnswerLog | None = None) -> ScriptRun:
    return ScriptRun("t", script or TurnScript("off"), Counting(issued), log or AnswerLog())


async def texts(run: ScriptRun, *, passes_over: bool = False) -> list[str]:
    """The text of every delta that comes out until nothing is to do."""
    found = []
    while (events := await run.step(passes_over=passes_over)) is not None:
        found += [str(event.data["text"]) for event in events if event.type == "text.delta"]
    return found


@pytest.mark.parametrize(("chars", "in_loop"), [(2_000, True), (2_001, False)])
async def test_a_long_answer_is_closed_in_a_thread(chars: int, *, in_loop: bool) -> None:
    script = Observed()
    run = new_run(script)
    run.take_in([delta("x" * chars), delta("y" * 2_000), raw("message.completed", message_id="m")])
    await texts(run)
    assert script.threads["text.delta"] is threading.current_thread()
    assert (script.threads["message.completed"] is threading.current_thread()) is in_loop


@pytest.mark.parametrize(("chars", "in_loop"), [(4_000, True), (4_001, False)])
async def test_a_long_delta_is_normalised_in_a_thread(chars: int, *, in_loop: bool) -> None:
    script = Observed()
    run = new_run(script)
    run.take_in([delta("x" * chars)])
    await texts(run)
    assert (script.threads["text.delta"] is threading.current_thread()) is in_loop


async def test_a_successor_gives_the_same_answers_and_joins_the_same_deltas() -> None:
    events = [delta(text) for text in ("a ", "b ", "see [2", "] c", " [3] d")]
    first = new_run(issued=1)
    first.take_in(events)
    written = await texts(first)
    assert written == ["a b see [citation:2] c d"], "3 is not issued when 2 is"
    successor = new_run(issued=7, log=AnswerLog([first.log.encode().decode()]))
    successor.take_in(events)
    assert await texts(successor, passes_over=True) == written


async def test_a_successor_waits_for_all_deltas_of_a_step() -> None:
    events = [delta(text) for text in "abcd"]
    first = new_run()
    first.take_in(events)
    written = await texts(first)
    successor = new_run(log=AnswerLog([first.log.encode().decode()]))
    successor.take_in(events[:3])
    assert await texts(successor) == []
    successor.take_in(events[3:])
    assert await texts(successor) == written == ["abcd"]


async def test_an_answer_gives_a_client_nothing_to_load_or_to_follow() -> None:
    run = new_run()
    run.take_in(
        [delta(text) for text in ("See !", "[x](https://evil", ".example/?q=1) and <im", "g src=x>.")]
    )
    run.take_in([raw("message.completed", message_id="m")])
    streamed = await texts(run, passes_over=False)
    assert "".join(streamed) == "See [x] and ‹img src=x>."
    assert run.terminal is not None
    assert run.terminal.data["text"] == "See [x] and ‹img src=x>."


async def test_what_a_terminal_or_an_eye_obeys_is_shown_as_a_sign_and_makes_no_number() -> None:
    run = new_run(issued=1)
    run.take_in(
        [
            delta(text)
            for text in ("Red\x1b[31m, \u202e", "back\u2066wards\x9b, [cita", "\x07tion:1] [1]\r\n\t.")
        ]
    )
    run.take_in([raw("message.completed", message_id="m")])
    shown = "Red␛[31m, \ufffdback\ufffdwards\ufffd, [cita␇tion:1] [citation:1]\r\n\t."
    assert "".join(await texts(run)) == shown
    assert run.terminal is not None
    assert run.terminal.data["text"] == shown


async def test_a_malformed_event_ends_the_turn_with_its_text() -> None:
    run = new_run()
    run.take_in([delta("So far"), raw("text.delta", no="text")])
    assert await texts(run) == ["So far"]
    assert run.terminal is not None
    assert run.terminal.data["problem"]["code"] == "malformed_event"
    assert run.terminal.data["text"] == "So far"


async def test_after_its_end_a_turn_takes_no_more() -> None:
    run = new_run()
    await run.fail(AGENT_GONE)
    run.take_in([delta("late")])
    assert await run.step(passes_over=False) is None
