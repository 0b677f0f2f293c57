"""A turn that says how much it may use ends in an answer from what was found by then."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from tests.integration.agent.client import AgentClient
from tests.integration.agent.conftest import built_stage

from footnote_agent.engines.reply_text import CUT_SHORT
from footnote_testing.planners import PlannedReply, call, restless, results_in, search_for
from footnote_testing.scripted_model import Script, ScriptedModel

CONFIGURED_STEPS = 6


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    model = ScriptedModel().start()
    yield model
    model.stop()


@pytest.fixture(scope="module")
def agent(model: ScriptedModel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentClient]:
    with (
        built_stage(tmp_path_factory.mktemp("limits")) as stage,
        stage.agent(
            chat_base_url=model.url, chat_model="scripted", chat_tools=True, agent_steps=CONFIGURED_STEPS
        ) as agent,
    ):
        yield agent


@pytest.mark.parametrize(
    ("limit", "replies", "said"),
    [
        ({"max_steps": 3}, 3, "all steps"),
        ({"max_tool_calls": 2}, 3, "all calls of tools"),
        ({"max_tool_calls": 1000, "max_steps": 100}, CONFIGURED_STEPS, "all steps"),
    ],
)
def test_narrows_what_is_configured_and_does_not_widen_it(
    limit: dict[str, int], replies: int, said: str, agent: AgentClient, model: ScriptedModel
) -> None:
    model.script = Script(planner=restless)
    result = agent.ask(agent.thread(), "When is the launch?", settings=limit).json()
    assert result["status"] == "completed"
    assert result["message"]["text"].startswith(f"I have used up {said}")
    assert len(model.script.requests) == replies


def slow_to_search(request: Mapping[str, Any]) -> PlannedReply:
    """Searches once, and writes its answer at a pace that no turn has time for."""
    return PlannedReply("On and on. " * 200) if results_in(request) else search_for("launch")


@pytest.mark.parametrize("hold_reply", [None, 1], ids=["a slow answer", "no answer"])
def test_its_time_ends_in_an_answer_too(
    hold_reply: int | None, agent: AgentClient, model: ScriptedModel
) -> None:
    model.latch.shut()
    model.script = Script(planner=slow_to_search, slow=True, pace_s=0.2, hold_reply=hold_reply)
    result = agent.ask(agent.thread(), "When is the launch?", settings={"max_seconds": 5}).json()
    model.latch.open()
    assert result["status"] == "completed", result
    text = result["message"]["text"]
    assert text.endswith(CUT_SHORT) or text.startswith("I have used up nearly all the time")


def slow_subagent(request: Mapping[str, Any]) -> PlannedReply:
    """Hands the work on to a subagent that searches, and then has no end of words."""
    if "one part of somebody else's work" in str(request["messages"][0]["content"]):
        return slow_to_search(request)
    return call("task", subagent="knowledge_base", prompt="When is the launch?")


def test_what_a_subagent_has_found_by_then_is_named(agent: AgentClient, model: ScriptedModel) -> None:
    model.script = Script(planner=slow_subagent, slow=True, pace_s=0.2)
    result = agent.ask(agent.thread(), "When is the launch?", settings={"max_seconds": 8}).json()
    assert result["status"] == "completed", result
    text = result["message"]["text"]
    assert "These passages came nearest" in text
    assert text.endswith("It is not known whether this was done: Handing on a part of the work.")
    assert result["message"]["citations"] != []
