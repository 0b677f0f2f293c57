"""A model that schedules a question: once, for its user, and within the limits of every automation."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.unit.agent.tool_desk import ToolDesk

from footnote_agent.store.automation_tables import AutomationRow
from footnote_agent.store.automations import list_automations
from footnote_agent.tools.all_tools import TOOLS
from footnote_agent.tools.guard import CallRefused
from footnote_agent.tools.tool_context import CHANGES_WITHIN
from footnote_shared.db.idempotency import KEPT
from footnote_shared.kernel.clock import now

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


async def test_a_turn_of_which_keys_may_be_forgotten_changes_nothing(desk: ToolDesk) -> None:
    """What was done under a key is remembered for 24 hours: a takeover after that could do it again."""
    late = desk.context(asked_at=now() - timedelta(hours=23, minutes=1))
    with pytest.raises(CallRefused, match="began too long ago"):
        await desk.call(late, "create_automation", **MORNING)
    assert made(desk) == []
    await desk.call(
        desk.context(asked_at=now() - timedelta(hours=22, minutes=55)), "create_automation", **MORNING
    )
    assert len(made(desk)) == 1
    assert CHANGES_WITHIN < KEPT


def test_it_asks_first_and_no_subagent_has_it() -> None:
    tool = TOOLS["create_automation"]
    assert (tool.asks_first, tool.changes, tool.only_for) == (True, True, "")
