"""Handles within a turn: kept before anybody sees them, and not written again where nothing is new."""

import asyncio
from pathlib import Path

import pytest
from tests.unit.agent.tool_desk import ToolDesk

from footnote_agent.context.handles import HandleTarget
from footnote_agent.context.trajectory import PastTurn
from footnote_testing.eventually import LIMIT_S

PLAN, NOTES = HandleTarget("document", "d", "Plan"), HandleTarget("document", "n", "Notes")


@pytest.fixture
def desk(tmp_path: Path) -> ToolDesk:
    return ToolDesk.made(tmp_path)


async def test_what_has_a_handle_is_named_without_waiting_for_whoever_writes(desk: ToolDesk) -> None:
    context, later = desk.context(), desk.context(past=(PastTurn("When?", "Then."),))
    assert await context.name([PLAN, NOTES]) == ["D1", "D2"]
    with desk.database.write():
        async with asyncio.timeout(LIMIT_S):
            assert await context.name([NOTES, PLAN]) == ["D2", "D1"]
            assert await later.name([NOTES]) == ["D2"]


async def test_a_handle_that_another_turn_has_given_meanwhile_is_neither_given_again_nor_missed(
    desk: ToolDesk,
) -> None:
    one, other = desk.context(), desk.context()
    assert await one.name([PLAN]) == ["D1"]
    assert await other.name([NOTES]) == ["D2"]
    assert (await one.target("D2", "document")).id == NOTES.id
    assert await one.name([NOTES, PLAN]) == ["D2", "D1"]


async def test_nothing_is_named_where_nothing_is_to_be(desk: ToolDesk) -> None:
    assert await desk.context().name([]) == []
