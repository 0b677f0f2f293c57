"""The record of a turn whose first run died tells of all that was done, also by subagents."""

from footnote_agent.context.trajectory import ModelReply, SeenPassage, SpentBelow, ToolResult, WantedCall
from footnote_agent.engines.kept_facts import calls_in, facts_left, retrieval_ids_in

MOVES = (
    ModelReply(calls=(WantedCall(id="s0c0", name="task", arguments="{}"),), input_tokens=10, output_tokens=1),
    ModelReply(
        within="s0c0",
        calls=(WantedCall(id="s0c0-s0c0", name="search_knowledge_base", arguments="{}"),),
        input_tokens=20,
        output_tokens=2,
    ),
    ToolResult(within="s0c0", call_id="s0c0-s0c0", text="[1] A.", ms=7.0, retrieval_ids=("r1",)),
    ModelReply(within="s0c0", text="A [1].", input_tokens=30, output_tokens=3),
    ToolResult(
        call_id="s0c0",
        text="A [1].",
        shown=(SeenPassage(n=1, title="A"),),
        spent=SpentBelow(steps=2, tool_calls=1),
        ms=9.0,
        retrieval_ids=("r1",),
    ),
    ModelReply(text="It is A [1].", input_tokens=40, output_tokens=4),
)


def test_calls_of_subagents_are_told_beside_those_of_the_turn() -> None:
    assert calls_in(MOVES) == [
        {"tool": "search_knowledge_base", "ms": 7.0, "failed": False},
        {"tool": "task", "ms": 9.0, "failed": False},
    ]


def test_a_turn_that_nobody_has_to_run_again_is_told_whole() -> None:
    facts = facts_left(MOVES)
    assert facts is not None
    assert facts["steps"] == 2
    assert facts["retrieval_ids"] == ["r1"]
    assert (facts["retrieval_attempted"], facts["retrieval_used"], facts["passages"]) == (True, True, 1)
    assert (facts["usage"]["input_tokens"], facts["usage"]["output_tokens"]) == (100, 10)


def test_the_cost_is_that_of_all_agents_and_unknown_where_a_part_of_it_is() -> None:
    priced = [
        move.model_copy(update={"cost": 0.25}) if isinstance(move, ModelReply) else move for move in MOVES
    ]
    facts = facts_left(priced)
    assert facts is not None
    assert facts["usage"]["cost"] == 1.0
    unpriced = facts_left([*priced[:-1], MOVES[-1]])
    assert unpriced is not None
    assert "cost" not in unpriced["usage"]


def test_a_turn_without_moves_tells_nothing() -> None:
    assert facts_left(()) is None
    assert retrieval_ids_in(MOVES[:2]) == []
