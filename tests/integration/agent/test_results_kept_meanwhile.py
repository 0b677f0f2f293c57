"""What a turn keeps while it goes on already: a result while the model is asked, and a reply while what it
asks for is looked up. No reader is ahead of that.
"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from tests.integration.agent.client import AgentClient
from tests.integration.agent.conftest import Stage, raw_events

from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.planners import PlannedReply, obedient
from footnote_testing.scripted_model import Script, ScriptedModel

QUESTION = "When is the launch?"
ANSWER = "The launch was moved to March 10 after the vendor slipped [citation:1]."


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    running = ScriptedModel(Script(planner=obedient)).start()
    yield running
    running.stop()


@pytest.fixture
def agent(stage: Stage, model: ScriptedModel) -> Iterator[AgentClient]:
    with stage.agent(chat_base_url=model.url, chat_model="scripted", chat_tools=True) as client:
        yield client


@contextmanager
def found_and_not_kept(stage: Stage, agent: AgentClient, model: ScriptedModel) -> Iterator[str]:
    """A turn whose search has found something, while nobody may write to the database. The turn's id."""
    thread = agent.thread()
    # Documents get their handles in the first search of a thread, which is written before its result.
    assert agent.ask(thread, QUESTION).status_code == 200
    latch = stage.neighbours.search_latch
    latch.shut()
    model.script = Script(planner=obedient)
    turn_id = agent.start_turn(thread, QUESTION)
    eventually(lambda: "tool.started" in told(stage, turn_id), "its search has begun")
    with stage.database.write() as session:
        session.connection()
        latch.open()
        eventually(lambda: model.script.left, "the model has answered", until=lambda n: n == 2)
        yield turn_id


def told(stage: Stage, turn_id: str) -> list[str]:
    return [event["type"] for event in raw_events(stage, turn_id)]


def test_a_model_is_asked_while_what_its_call_found_is_kept(
    stage: Stage, agent: AgentClient, model: ScriptedModel
) -> None:
    with found_and_not_kept(stage, agent, model) as turn_id:
        assert told(stage, turn_id)[-1] == "tool.started"
    assert agent.wait_for_end(turn_id)["message"]["text"] == ANSWER
    assert told(stage, turn_id).index("tool.finished") < told(stage, turn_id).index("text.delta")


def test_a_wish_to_stop_does_not_wait_for_it(stage: Stage, agent: AgentClient, model: ScriptedModel) -> None:
    with found_and_not_kept(stage, agent, model) as turn_id:
        assert agent.post(f"/v1/turns/{turn_id}:cancel").status_code == 200
        eventually(lambda: "turn.cancelled" in told(stage, turn_id), "the turn is stopped")
    assert agent.wait_for_end(turn_id)["status"] == "cancelled"


def test_a_call_that_only_reads_begins_while_its_reply_is_kept(
    stage: Stage, agent: AgentClient, model: ScriptedModel
) -> None:
    may_answer = threading.Event()

    def plan(request: Mapping[str, Any]) -> PlannedReply:
        may_answer.wait(LIMIT_S)
        return obedient(request)

    model.script = Script(planner=plan)
    thread = agent.thread()
    turn_id = agent.start_turn(thread, QUESTION)
    eventually(lambda: model.script.requests, "the model is asked")
    with stage.database.write() as session:
        session.connection()
        may_answer.set()
        eventually(lambda: stage.neighbours.searches, "the search has begun")
        assert "tool.started" not in told(stage, turn_id)
    assert agent.wait_for_end(turn_id)["message"]["text"] == ANSWER
    assert "tool.started" in told(stage, turn_id)
