"""A small part of `footnote eval agent`: a scripted model gets its tasks done with tools and numbers."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.integration.agent.conftest import built_stage

from footnote_cli.evaluation.agent import AgentResult, TaskModel, do_tasks
from footnote_cli.evaluation.agent_tasks import read_tasks
from footnote_cli.evaluation.floors import broken, read_floors
from footnote_testing.fake_neighbours import make_passage
from footnote_testing.planners import PlannedCall, PlannedReply
from footnote_testing.scripted_model import Script, ScriptedModel

FLOORS = Path(__file__).parents[2] / "floors" / "agent.json"
KINDS = ("look_up", "multi_hop", "absent", "endless")
"""Kinds for which a search that finds everything is enough. The others need an ingest."""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> AgentResult:
    given = read_tasks()
    tasks = [task for task in given.tasks if task.kind in KINDS]
    played = TaskModel({task.question: task for task in tasks})

    def plan(request: Mapping[str, object]) -> PlannedReply:
        reply = played.reply(request)
        return PlannedReply(reply.text, tuple(PlannedCall(*call) for call in reply.calls))

    model = ScriptedModel(Script(planner=plan)).start()
    settings: dict[str, Any] = {
        "chat_base_url": model.url,
        "chat_model": "scripted",
        "chat_tools": True,
    }
    try:
        with (
            built_stage(tmp_path_factory.mktemp("tasks")) as stage,
            stage.agent(**settings) as agent,
        ):
            stage.neighbours.passages = [
                make_passage(document.text, document.title, f"d{at}")
                for at, document in enumerate(given.documents)
            ]
            return do_tasks(agent, played, tasks)
    finally:
        model.stop()


def test_no_figure_has_fallen_below_its_floor(result: AgentResult) -> None:
    figures = result.figures()
    assert set(figures) == {*KINDS, "all"}
    assert broken(figures, read_floors(FLOORS)) == [], json.dumps(figures, indent=1)
