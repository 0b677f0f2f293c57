"""With an OpenAI-compatible endpoint the pipeline engine answers from numbered evidence, and streams."""

import signal
from pathlib import Path
from typing import Any

import pytest

from footnote_testing.child_process import ChildProcess
from footnote_testing.eventually import eventually
from footnote_testing.scripted_model import Script, ScriptedModel
from tests.system.stacks import FOOTNOTE, Client, server_events

pytestmark = pytest.mark.system


QUESTION: dict[str, Any] = {
    "text": "How many sandwiches does the gull steal?",
    # A model that may call tools, as this one may, answers with `agentic` where nobody says so.
    "settings": {"engine": "pipeline"},
}


@pytest.fixture
def user(asking: Client) -> Client:
    return asking


def ask(user: Client, thread: str) -> dict[str, Any]:
    return user.ask(QUESTION["text"], thread, settings=QUESTION["settings"])


def test_only_numbers_that_stand_for_something_reach_the_reader(user: Client, model: ScriptedModel) -> None:
    model.script = Script(
        tokens=[
            "It steals four",
            " sandwiches ",
            "[",
            "1",
            "]",
            " a day",
            " [9",
            "9",
            "].",
            " So [citation:run_7] it",
            " is.",
        ]
    )
    with user.http.stream(
        "POST",
        f"/v1/threads/{user.thread()}/turns",
        json=QUESTION,
    ) as response:
        events = list(server_events(response))
    deltas = [e.event["data"]["text"] for e in events if e.type == "text.delta"]
    final = events[-1].event["data"]
    assert events[-1].type == "message.completed"
    assert events[0].event["data"]["engine"] == "pipeline"
    assert final["text"] == "".join(deltas) == "It steals four sandwiches [citation:1] a day. So it is."
    assert final["compliance"]["report"]["dropped"] == [99]
    assert "four sandwiches" in final["citations"][0]["quote"]
    (system, *_rest) = model.script.requests[0]["messages"]
    shown = str(model.script.requests[0]["messages"])
    assert system["role"] == "system"
    assert "[1] The gull of Scarborough" in shown


def test_the_reader_has_the_first_words_while_the_model_still_writes(
    user: Client, model: ScriptedModel
) -> None:
    model.latch.shut()
    model.script = Script(tokens=["It steals four sandwiches a day [1]. ", "That is all."], hold_after=1)
    text = ""
    with user.http.stream(
        "POST",
        f"/v1/threads/{user.thread()}/turns",
        json=QUESTION,
    ) as response:
        for event in server_events(response):
            if event.type == "text.delta":
                text += event.event["data"]["text"]
                if text.startswith("It steals four"):
                    model.latch.open()
    assert event.type == "message.completed"
    assert text == "It steals four sandwiches a day [citation:1]. That is all."


def test_a_model_that_fails_before_its_first_word_is_replaced_by_the_extractive_engine(
    user: Client, model: ScriptedModel
) -> None:
    model.script = Script(status=500)
    answer = ask(user, user.thread())
    assert answer["status"] == "completed"
    assert "four sandwiches" in answer["message"]["text"]
    assert answer["message"]["citations"]


def test_a_model_cut_off_in_the_middle_keeps_what_it_said(user: Client, model: ScriptedModel) -> None:
    model.script = Script(tokens=["It steals four sandwiches [1]", " and then it", " flies"], cut_after=2)
    thread = user.thread()
    answer = ask(user, thread)
    assert answer["status"] == "failed"
    stored = user.http.get(f"/v1/threads/{thread}/messages").json()["items"][-1]
    assert stored["text"].startswith("It steals four sandwiches [citation:1]")
    assert stored["citations"][0]["n"] == 1


def test_an_endless_answer_can_be_cancelled(user: Client, model: ScriptedModel) -> None:
    model.script = Script(tokens=["la "], endless=True)
    with user.http.stream(
        "POST",
        f"/v1/threads/{user.thread()}/turns",
        json=QUESTION | {"text": "Sing about the gull for ever."},
    ) as response:
        types = []
        for event in server_events(response):
            types.append(event.type)
            if types.count("text.delta") == 3:
                user.http.post(f"/v1/turns/{response.headers['footnote-turn-id']}:cancel")
    assert types[-1] == "turn.cancelled"
    assert sum(t in ("turn.cancelled", "message.completed", "turn.failed") for t in types) == 1


def test_ctrl_c_at_the_command_line_stops_the_model_too(
    user: Client, model: ScriptedModel, tmp_path: Path
) -> None:
    """Whoever goes away at a terminal does not pay for the rest of the answer."""
    model.script = Script(tokens=["la "], endless=True)
    asking = ChildProcess(
        [*FOOTNOTE, "ask", "Sing about the gull for ever.", "--engine", "pipeline"],
        tmp_path / "ask.log",
        environment={"FOOTNOTE_URL": user.url, "FOOTNOTE_API_KEY": user.key},
    )
    asking.wait_until(lambda: "la la la" in asking.log.read_text(), "the answer streams")
    asking.process.send_signal(signal.SIGINT)
    assert asking.process.wait(60) == 130, asking.tail(20)
    assert "Stopped." in asking.log.read_text()
    thread = asking.log.read_text().split()[-1]
    path = f"/v1/threads/{thread}/messages"
    stored = eventually(
        lambda: user.http.get(path).json()["items"][-1],
        "what was written is stored",
        until=lambda message: message["role"] == "assistant",
    )
    assert stored["text"].startswith("la la la")
    turn = user.http.get(f"/v1/turns/{stored['turn_id']}").json()
    assert turn["status"] == "cancelled"
