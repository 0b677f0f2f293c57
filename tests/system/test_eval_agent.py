"""All of `footnote eval agent`, against a running system: what a right model gets done does not get less."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from footnote_cli.embedded.trial_run import fill
from footnote_cli.evaluation.agent import TaskModel, do_tasks, task_bodies
from footnote_cli.evaluation.agent_tasks import read_tasks
from footnote_cli.evaluation.floors import broken, read_floors
from footnote_testing.planners import PlannedCall, PlannedReply
from footnote_testing.scripted_model import Script
from tests.system.planted import Planted
from tests.system.stacks import Client

FLOORS = Path(__file__).parent.parent / "floors" / "agent.json"

pytestmark = pytest.mark.system


def test_no_figure_has_fallen_below_its_floor(planted: Planted) -> None:
    given = read_tasks()
    played = TaskModel({task.question: task for task in given.tasks})

    def plan(request: Mapping[str, object]) -> PlannedReply:
        reply = played.reply(request)
        return PlannedReply(reply.text, tuple(PlannedCall(*call) for call in reply.calls))

    made = planted.run("keys", "make", "tasks", "--new-workspace", "tasks")
    (key,) = re.findall(r"fn_\S+", made.stdout)
    newcomer = Client(planted.stack.url, key)
    fill(newcomer.http, task_bodies(given.documents))
    planted.model.script = Script(planner=plan)
    result = do_tasks(newcomer.http, played, given.tasks)
    assert result.impossible == ()
    figures, floors = result.figures(), read_floors(FLOORS)
    assert figures.keys() == {*floors, "all"}
    assert broken(figures, floors) == [], json.dumps(figures, indent=1)
