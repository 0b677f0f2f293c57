"""What a turn has used is told whole, or said to be a part: whichever way its calls of models end."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

import pytest

from footnote_agent.context.bill import Bill
from footnote_agent.context.trajectory import ModelReply, ToolResult, WantedCall
from footnote_agent.engines.kept_facts import usage_of
from footnote_shared.contracts.events import Usage
from footnote_shared.models.protocol import ModelFailed, ModelSwitched, Reason

USED = Usage(input_tokens=10, output_tokens=2, cost=0.5)
PART = USED.model_copy(update={"cost": None, "partial": True})


async def call(*pieces: Any) -> AsyncGenerator[Any, None]:
    for piece in pieces:
        if isinstance(piece, ModelFailed):
            raise piece
        yield piece


def failed(reason: Reason, *, first: bool = True) -> ModelFailed:
    return ModelFailed(reason, "It failed.", before_first_token=first, model="gull")


async def billed(*calls: Sequence[Any]) -> Usage:
    bill = Bill()
    for pieces in calls:
        try:
            async for _ in bill.counted(call(*pieces)):
                pass
        except ModelFailed:
            continue
    return bill.used


async def test_calls_that_end_well_add_up() -> None:
    both = Usage(input_tokens=20, output_tokens=4, cost=1.0)
    assert await billed(["It is", " so.", USED], [USED]) == both


@pytest.mark.parametrize("reason", ["unreachable", "rate_limited", "server_error", "refused", "no_tools"])
async def test_a_model_that_has_not_begun_costs_nothing(reason: Reason) -> None:
    assert await billed([USED], [failed(reason)]) == USED
    assert await billed([ModelSwitched("gull", reason, "tern"), "So.", USED]) == USED


@pytest.mark.parametrize("reason", ["timeout", "nonsense", "cut_off", "empty"])
async def test_of_one_that_may_have_worked_nobody_knows(reason: Reason) -> None:
    assert await billed([USED], [failed(reason)]) == PART
    assert await billed([ModelSwitched("gull", reason, "tern"), "So.", USED]) == PART


async def test_behind_its_first_word_every_failure_has_a_price() -> None:
    assert await billed([USED], ["It", failed("server_error", first=False)]) == PART


async def test_what_an_empty_reply_has_told_is_known() -> None:
    assert await billed([USED, failed("empty")]) == USED
    switched = ModelSwitched("gull", "empty", "tern")
    assert await billed([USED, switched, "So.", USED]) == USED.plus(USED)


async def test_a_call_that_is_left_is_a_part() -> None:
    bill = Bill()
    bill.add(USED)
    async with aclosing(bill.counted(call("It", " is.", USED))) as pieces:
        assert await anext(pieces) == "It"
        assert bill.used == PART, "it goes on"
    assert bill.used == PART


TASK = ModelReply(calls=(WantedCall(id="t", name="task", arguments="{}"),), **USED.model_dump())
SEARCH = ModelReply(calls=(WantedCall(id="s", name="recall", arguments="{}"),), **USED.model_dump())
BELOW = SEARCH.model_copy(update={"within": "t"})
ANSWER = ModelReply(text="So.", **USED.model_dump())


@pytest.mark.parametrize(
    ("moves", "partial"),
    [
        pytest.param([SEARCH], False, id="a tool was at work"),
        pytest.param([SEARCH, ToolResult(call_id="s", text="")], True, id="the model was asked again"),
        pytest.param([SEARCH, ToolResult(call_id="s", text=""), ANSWER], False, id="all was said"),
        pytest.param([ModelReply(text="So", unfinished=True)], True, id="it broke off"),
        pytest.param([TASK], True, id="a subagent was asked"),
        pytest.param([TASK, BELOW], False, id="a tool of a subagent was at work"),
        pytest.param(
            [TASK, BELOW, ToolResult(call_id="s", text="", within="t")], True, id="a subagent was asked again"
        ),
        pytest.param([TASK, ANSWER.model_copy(update={"within": "t"})], False, id="a subagent had said all"),
    ],
)
def test_moves_tell_whether_their_run_died_in_a_reply(
    moves: list[ModelReply | ToolResult], partial: bool
) -> None:
    assert usage_of(moves).partial is partial
