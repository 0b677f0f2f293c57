"""A model that schedules a question: once, for its user, and within the limits of every automation."""

from pathlib import Path

import pytest
from tests.unit.agent.tool_desk import ToolDesk

from footnote_agent.store.automation_tables import AutomationRow
from footnote_agent.store.automations import list_automations
from footnote_agent.tools.all_tools import TOOLS
from footnote_agent.tools.guard import CallRefused

MORNING = {"schedule": "0 9 * * mon", "prompt": "What is [1] new?", "time_zone": "Europe/Berlin"}


@pytest.fixture
def desk(tmp_path: Path) -> ToolDesk:
    return ToolDesk.made(tmp_path)


def made(desk: ToolDesk) -> list[AutomationRow]:
    with desk.database.read() as session:
        return list(list_automations(session, desk.caller, 10, None))


async def test_a_call_that_is_made_again_makes_no_second_one(desk: ToolDesk) -> None:
    context = desk.context()
    first = await desk.call(context, "create_automation", **MORNING)
    assert await desk.call(context, "create_automation", **MORNING) == first
    (row,) = made(desk)
    assert (row.request["text"], row.schedule) == ("What is [1] new?", "0 9 * * mon")
    assert (row.scopes, row.avatar_id) == (sorted(desk.caller.scopes), desk.caller.avatar_id)
    assert first.text.startswith("Scheduled. It is asked first at ")
    await desk.call(context, "create_automation", "s1c0", **MORNING)
    assert len(made(desk)) == 2


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"schedule": "* * * * *"}, "minutes"),
        ({"schedule": "at nine"}, "schedule"),
        ({"time_zone": "Atlantis/Capital"}, "time zone"),
        ({"prompt": ""}, "prompt"),
        ({"prompt": "x" * 2001}, "prompt"),
        ({"owner": "somebody else"}, "owner"),
    ],
)
async def test_what_cannot_be_is_told_to_the_model(
    desk: ToolDesk, changed: dict[str, str], told: str
) -> None:
    with pytest.raises(CallRefused, match=told):
        await desk.call(desk.context(), "create_automation", **(MORNING | changed))
    assert made(desk) == []


def test_it_asks_first_and_no_subagent_has_it() -> None:
    tool = TOOLS["create_automation"]
    assert (tool.asks_first, tool.changes, tool.only_for) == (True, True, "")
