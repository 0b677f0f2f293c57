"""Policies for citations that are not supported, over real processes (spec 2.6)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from footnote_testing.eventually import LIMIT_S, eventually
from tests.integration.resolver.processes import Caller, Got, ResolverStack, assert_whole, text_of
from tests.integration.resolver.scripted_agent import ScriptedAgent
from tests.model_cache import CACHE
from tests.unit.resolver.tiny_cross_encoder import THREE, make_model

LAUNCH = "We agreed to push the launch to March 10. Marketing will be notified next week."
COMET = "The comet Halvorsen returns every 71 years. Its tail is green."
SAID = (
    "The launch was pushed to March 10 [1]. The tail of the comet is green ([1]). "
    "The launch is on March 12 [1], [2]."
)
STREAMED = (
    "The launch was pushed to March 10 [citation:1]. The tail of the comet is green ([citation:1]). "
    "The launch is on March 12 [citation:1], [citation:2]."
)


def started(folder: Path, **more: str) -> ResolverStack:
    environment = {
        "FOOTNOTE_VERIFICATION": "report",
        # The model is loaded within this time where no turn before has needed it.
        "FOOTNOTE_VERIFICATION_TIMEOUT_S": str(2 * LIMIT_S),
        **CACHE,
        **more,
    }
    made = ResolverStack(folder, f"sqlite:///{folder / 'footnote.db'}", environment)
    made.start()
    return made


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResolverStack]:
    made = started(tmp_path_factory.mktemp("verifying"))
    yield made
    made.stop()


def begin(stack: ResolverStack, caller: Caller, **named: str) -> ScriptedAgent:
    """A turn of the given settings, with two passages shown."""
    agent = stack.agent(caller, caller.conversation())
    first = {
        "thread_id": agent.conversation,
        "message_id": agent.message,
        "engine": "scripted",
        "settings_hash": "0",
        **named,
    }
    agent.write("turn.started", first)
    agent.announce()
    caller.register(agent.conversation, [LAUNCH, COMET], turn=agent.turn)
    return agent


def answered(stack: ResolverStack, caller: Caller, **named: str) -> list[Got]:
    agent = begin(stack, caller, **named)
    agent.say(SAID)
    agent.complete()
    events = caller.read(agent.turn)
    assert_whole(events)
    assert text_of(events) == STREAMED
    assert events[-1].type == "message.completed"
    return events


def found(events: list[Got]) -> list[tuple[str, Any]]:
    return [(e.data["verdict"], e.data.get("better")) for e in events if e.type == "verification"]


VERDICTS = [("supported", None), ("misattributed", 2), ("unsupported", None)]


def test_report_changes_nothing_but_what_is_told(stack: ResolverStack, caller: Caller) -> None:
    events = answered(stack, caller)
    assert found(events) == VERDICTS
    end = events[-1].data
    assert end["text"] == STREAMED
    doubtful = end["verification"].pop("doubtful")
    assert doubtful == [e.data for e in events if e.type == "verification"][1:]
    assert end["verification"] == {
        "status": "done",
        "policy": "report",
        "supported": 1,
        "weak": 0,
        "unsupported": 1,
        "misattributed": 1,
        "degraded": [],
    }
    assert all("support" not in entry for entry in end["citations"])
    launch = end["citations"][0]
    assert [launch["quote"][slice(*part)] for part in launch["excerpts"]] == [
        "We agreed to push the launch to March 10."
    ]


def test_drop_takes_the_citations_out_of_the_closing_event(stack: ResolverStack, caller: Caller) -> None:
    events = answered(stack, caller, verification="drop")
    assert found(events) == VERDICTS
    end = events[-1].data
    assert end["text"] == (
        "The launch was pushed to March 10 [citation:1]. The tail of the comet is green. "
        "The launch is on March 12."
    )
    assert [entry["n"] for entry in end["citations"]] == [1]
    assert (end["verification"]["policy"], end["verification"]["withdrawn"]) == ("drop", [1, 1, 2])
    counts = end["compliance"]
    assert (counts["model_cited"], counts["uncited"], counts["withdrawn"]) == (1, 2, 2)
    assert counts["report"]["resolved"] == 4


def test_mark_keeps_the_text_and_says_where_to_draw(stack: ResolverStack, caller: Caller) -> None:
    end = answered(stack, caller, verification="mark")[-1].data
    assert end["text"] == STREAMED
    assert [
        (STREAMED[slice(*mark["span"])].split(" [")[0].split(" (")[0], mark["verdict"], mark.get("better"))
        for mark in end["verification"]["marked"]
    ] == [
        ("The tail of the comet is green", "misattributed", 2),
        ("The launch is on March 12", "unsupported", None),
    ]
    assert [(entry["n"], entry["support"]) for entry in end["citations"]] == [
        (1, "unsupported"),
        (2, "unsupported"),
    ]


def test_off_checks_nothing(stack: ResolverStack, caller: Caller) -> None:
    events = answered(stack, caller, verification="off")
    assert found(events) == []
    assert "verification" not in events[-1].data


def test_who_takes_a_turn_over_keeps_its_policy(tmp_path: Path) -> None:
    stack = started(tmp_path, FOOTNOTE_VERIFICATION="off")
    try:
        caller = stack.caller()
        agent = begin(stack, caller, verification="drop")
        agent.say(SAID)
        before = caller.read_in_thread(agent.turn)
        eventually(lambda: text_of(before.got), "the reader has text")
        stack.start()
        stack.processes[0].kill()
        agent.complete()
        events = caller.read(agent.turn, process=1)
        assert_whole(events)
        assert (events[-1].data["verification"]["policy"], events[-1].data["compliance"]["withdrawn"]) == (
            "drop",
            2,
        )
        again = caller.read(agent.turn, process=1)
        assert [(e.id, e.raw) for e in again] == [(e.id, e.raw) for e in events]
    finally:
        stack.stop()


@pytest.mark.parametrize(
    "broken",
    [{"FOOTNOTE_VERIFICATION_TIMEOUT_S": "0.0001"}, {"FOOTNOTE_EMBEDDING_MODEL": "/nothing/here"}],
    ids=["out of time", "no model"],
)
def test_a_verifier_that_fails_does_not_hold_up_the_answer(tmp_path: Path, broken: dict[str, str]) -> None:
    stack = started(tmp_path, **broken)
    try:
        end = answered(stack, stack.caller(), verification="drop")[-1].data
        assert end["text"] == STREAMED
        assert (end["verification"]["status"], end["verification"]["policy"]) == ("skipped", "drop")
        assert [entry["n"] for entry in end["citations"]] == [1, 2]
    finally:
        stack.stop()


def test_an_nli_model_is_asked_and_missed_by_name(tmp_path: Path) -> None:
    model = make_model(tmp_path / "model", THREE, "contradiction")
    patience = {"FOOTNOTE_VERIFICATION_NLI_TIMEOUT_S": str(LIMIT_S)}
    stack = started(tmp_path, FOOTNOTE_VERIFICATION_NLI_MODEL=model, **patience)
    try:
        caller = stack.caller()
        events = answered(stack, caller)
        assert [verdict for verdict, _ in found(events)] == ["unsupported"] * 3
        with caller.http() as http:
            body = {
                "claims": ["The launch was pushed to March 10."],
                "passages": [{"id": "p", "text": LAUNCH}],
            }
            answer = http.post("/v1/ground", json=body).json()
        assert (answer["claims"][0]["verdict"], answer["degraded"]) == ("unsupported", [])
    finally:
        stack.stop()
    (tmp_path / "broken").mkdir()
    stack = started(tmp_path / "broken", FOOTNOTE_VERIFICATION_NLI_MODEL=str(tmp_path / "not-there"))
    try:
        caller = stack.caller()
        events = answered(stack, caller)
        assert found(events) == VERDICTS
        assert events[-1].data["verification"]["degraded"] == ["nli"]
        with caller.http() as http:
            assert http.post("/v1/ground", json=body).json()["degraded"] == ["nli"]
    finally:
        stack.stop()
