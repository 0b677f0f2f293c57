"""A turn that says how much it may use ends in an answer from what was found by then."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
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


def ended_by_time(
    agent: AgentClient, model: ScriptedModel, script: Script, seconds: int, came: Callable[[str], bool]
) -> dict[str, Any]:
    """A turn of so many seconds.

    A busy machine may stand still for longer than such a turn takes to search, and than the moment that is
    left for its last words, which is a share of its time. Where it did not end in an answer that `came`, it
    gets three times as long, twice.
    """
    result: dict[str, Any] = {}
    for longer in (1, 3, 9):
        model.script = replace(script, requests=[])
        asked = agent.ask(agent.thread(), "When is the launch?", settings={"max_seconds": longer * seconds})
        result = asked.json()
        if result["status"] == "completed" and came(result["message"]["text"]):
            break
    return result


@pytest.mark.parametrize("hold_reply", [None, 1], ids=["a slow answer", "no answer"])
def test_its_time_ends_in_an_answer_too(
    hold_reply: int | None, agent: AgentClient, model: ScriptedModel
) -> None:
    def came(text: str) -> bool:
        return text.endswith(CUT_SHORT) or text.startswith("I have used up nearly all the time")

    model.latch.shut()
    script = Script(planner=slow_to_search, slow=True, pace_s=0.2, hold_reply=hold_reply)
    result = ended_by_time(agent, model, script, 5, came)
    model.latch.open()
    assert result["status"] == "completed", result
    assert came(result["message"]["text"])


def slow_subagent(request: Mapping[str, Any]) -> PlannedReply:
    """Hands the work on to a subagent that searches, and then has no end of words."""
    if "one part of somebody else's work" in str(request["messages"][0]["content"]):
        return slow_to_search(request)
    return call("task", subagent="knowledge_base", prompt="When is the launch?")


def test_what_a_subagent_has_found_by_then_is_named(agent: AgentClient, model: ScriptedModel) -> None:
    script = Script(planner=slow_subagent, slow=True, pace_s=0.2)
    result = ended_by_time(agent, model, script, 8, lambda text: "These passages came nearest" in text)
    assert result["status"] == "completed", result
    text = result["message"]["text"]
    assert "These passages came nearest" in text
    assert text.endswith("It is not known whether this was done: Handing on a part of the work.")
    assert result["message"]["citations"] != []
