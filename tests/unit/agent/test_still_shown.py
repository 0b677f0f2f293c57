"""Evidence of earlier turns: what was withdrawn since is not told to a model again."""

from pathlib import Path
from typing import Any

import pytest
from tests.unit.agent.tool_desk import ToolDesk

from footnote_agent.context.trajectory import (
    ContextBudget,
    ModelReply,
    PastTurn,
    SeenPassage,
    ToolResult,
    WantedCall,
    conversation,
)
from footnote_agent.engines.still_shown import still_shown

MOVES: tuple[ModelReply | ToolResult, ...] = (
    ModelReply(calls=(WantedCall(id="s0c0", name="search_knowledge_base", arguments="{}"),)),
    ToolResult(
        call_id="s0c0",
        text="[1] The salary is 90.\n[2] The office is in Bonn.",
        shown=(SeenPassage(n=1, title="Salaries"), SeenPassage(n=2, title="Places")),
    ),
    ModelReply(calls=(WantedCall(id="s1c0", name="list_documents", arguments="{}"),)),
    ToolResult(call_id="s1c0", text="There are no such documents."),
)
PAST = PastTurn("Where, and how much?", "In Bonn [citation:2].", MOVES)


def entry(n: int, status: str | None = None) -> dict[str, Any]:
    return {
        "n": n,
        "source_type": "kb_chunk",
        "locator": {},
        "display": {},
        "quote": "",
        "content_hash": "",
        "status": status,
    }


@pytest.fixture
def desk(tmp_path: Path) -> ToolDesk:
    return ToolDesk.made(tmp_path)


@pytest.mark.parametrize("taken_up", [False, True])
@pytest.mark.parametrize("status", ["forbidden", "unknown"])
async def test_a_passage_that_was_withdrawn_is_not_told_again(
    desk: ToolDesk, status: str, *, taken_up: bool
) -> None:
    desk.entries = [entry(1, status), entry(2)]
    told = await told_in(desk, taken_up=taken_up)
    assert "salary" not in told
    assert "Salaries" not in told
    assert "Places: [2]" in told
    assert "There are no such documents." in told


async def test_what_may_still_be_seen_stays_word_for_word(desk: ToolDesk) -> None:
    desk.entries = [entry(1), entry(2)]
    assert "[1] The salary is 90.\\n[2] The office is in Bonn." in await told_in(desk, taken_up=False)


@pytest.mark.parametrize("entries", [[entry(2)], [{"n": 1}]])
async def test_of_what_nobody_can_vouch_for_nothing_is_told(
    desk: ToolDesk, entries: list[dict[str, Any]]
) -> None:
    """A number that is not there, and a resolver that answers nothing that can be read."""
    desk.entries = entries
    assert "salary" not in await told_in(desk, taken_up=False)


async def told_in(desk: ToolDesk, *, taken_up: bool) -> str:
    """What a model is told of a conversation with these moves, in this turn or in the one before it."""
    before = {"moves": MOVES} if taken_up else {"past": (PAST,)}
    turn = await still_shown(desk.context("And now?", **before))
    return str(conversation(turn.past, turn.text, turn.moves, ContextBudget(1000, 1000)))
