"""A wish to stop ends the call of the model within a second, in whichever process it is made.

The clock is the model: a piece of its reply takes it 20 ms or more, and it gets them out as little as others
get on where the machine is busy.
"""

from typing import Any

import pytest
from tests.integration.agent.conftest import Stage, raw_events

from footnote_testing.eventually import eventually
from footnote_testing.scripted_model import Script, ScriptedModel

PACE_S, WITHIN_S = 0.02, 1.0


@pytest.mark.parametrize("tools", [True, False], ids=["agentic", "pipeline"])
@pytest.mark.parametrize("away", [False, True], ids=["here", "by another process"])
def test_a_model_that_goes_on_for_ever_is_left_within_a_second(stage: Stage, tools: bool, away: bool) -> None:
    script = Script(tokens=["la "], endless=True, pace_s=PACE_S)
    model = ScriptedModel(script).start()
    settings: dict[str, Any] = {
        "chat_base_url": model.url,
        "chat_model": "scripted",
        "chat_tools": tools,
    }
    with stage.agent(**settings) as runs, stage.agent(**settings) as other:
        turn_id = runs.start_turn(runs.thread(), "Sing for ever.")
        eventually(
            lambda: raw_events(stage, turn_id),
            "the model sings",
            until=lambda events: any(event["type"] == "text.delta" for event in events),
        )
        before = script.said
        assert (other if away else runs).post(f"/v1/turns/{turn_id}:cancel").status_code == 200
        eventually(lambda: script.left, "the model is left")
        assert (script.said - before) * PACE_S <= WITHIN_S
        assert runs.wait_for_end(turn_id)["status"] == "cancelled"
    model.stop()
