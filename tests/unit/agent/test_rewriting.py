"""A follow-up becomes a query that stands alone, by the fast model or by rules."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from footnote_agent.context.asked_turn import Exchange
from footnote_agent.context.bill import Bill
from footnote_agent.engines.rewriting import QueryWriter, StandaloneQuery, one_line
from footnote_agent.engines.work_places import WorkPlaces, at_work
from footnote_shared.contracts.events import Usage
from footnote_shared.models.protocol import (
    NONE_AVOIDED,
    AnswerCut,
    Avoided,
    ChatMessage,
    ModelFailed,
    ModelSwitched,
    Prompt,
    Reason,
)
from footnote_testing.eventually import eventually_async

HISTORY = (Exchange("user", "When is the launch?"), Exchange("assistant", "On March 10 [citation:1]."))
USED = Usage(input_tokens=30, output_tokens=4, cost=0.25)
UNKNOWN = Usage(partial=True)
BY_RULES = "When is the launch? Why was it moved?"


class Writer:
    """A model that writes this, fails for a reason, or never says a word."""

    name = "wren"

    def __init__(self, written: str = "", *, fails: Reason | None = None, silent: bool = False) -> None:
        self._written = written
        self._fails = fails
        self._silent = silent
        self.seen: list[ChatMessage] = []
        self.most_tokens = 0

    def has_other(self, avoid: Avoided) -> bool:
        return False

    async def stream(
        self, prompt: Prompt, *, avoid: Avoided = NONE_AVOIDED
    ) -> AsyncGenerator[str | AnswerCut | Usage | ModelSwitched, None]:
        self.seen = [one for one in prompt.messages if isinstance(one, ChatMessage)]
        self.most_tokens = prompt.max_tokens
        if self._silent:
            await asyncio.Event().wait()
        if self._fails is not None:
            raise ModelFailed(self._fails, "It failed.", before_first_token=True)
        yield self._written
        yield USED


async def rewritten(model: Writer, timeout_s: float = 60.0, bill: Bill | None = None) -> StandaloneQuery:
    return await QueryWriter(model, timeout_s).rewrite("Why was it moved?", HISTORY, bill or Bill())


async def test_the_fast_model_writes_the_query_from_the_conversation() -> None:
    model, bill = Writer('\n "Why was the launch moved?"\n'), Bill()
    assert await rewritten(model, bill=bill) == StandaloneQuery("Why was the launch moved?", "wren")
    assert bill.used == USED
    assert [message.text for message in model.seen] == [
        "When is the launch?",
        "On March 10 [1].",
        "Why was it moved?",
    ]


async def test_three_exchanges_are_shown_for_a_line_of_120_tokens() -> None:
    model = Writer("Why was the launch moved?")
    history = [*(Exchange("user", f"Question {n}?") for n in range(8))]
    await QueryWriter(model, 60.0).rewrite("Why was it moved?", history, Bill())
    assert [message.text for message in model.seen] == [
        *(f"Question {n}?" for n in range(2, 8)),
        "Why was it moved?",
    ]
    assert model.most_tokens == 120


async def test_one_that_fails_leaves_it_to_rules_and_is_named() -> None:
    bill = Bill()
    assert await rewritten(Writer(fails="rate_limited"), bill=bill) == StandaloneQuery(
        BY_RULES, missing="fast_model:rate_limited"
    )
    assert bill.used == Usage(), "a model that is overloaded has not worked"


async def test_one_that_stays_silent_is_not_waited_for() -> None:
    bill = Bill()
    assert await rewritten(Writer(silent=True), 0.01, bill) == StandaloneQuery(
        BY_RULES, missing="fast_model:timeout"
    )
    assert bill.used == UNKNOWN, "nobody knows how far it came"


async def test_the_way_back_to_work_is_not_time_of_the_model() -> None:
    places, asked = WorkPlaces(1, held_s=3600.0), asyncio.Event()

    async def turn() -> StandaloneQuery:
        async with at_work(places):
            asked.set()
            return await rewritten(Writer(silent=True), 0.01)

    async def waiting() -> int:
        return places.waiting

    task = asyncio.create_task(turn())
    await asked.wait()
    async with at_work(places):
        await eventually_async(waiting, "the limit is over, and the turn waits for its place")
        assert not task.done()
    assert (await task).missing == "fast_model:timeout"
    assert places.free == 1


@pytest.mark.parametrize("written", ["", " \n", "x" * 501])
async def test_what_is_no_query_leaves_it_to_rules(written: str) -> None:
    bill = Bill()
    assert (await rewritten(Writer(written), bill=bill)).query == BY_RULES
    assert bill.used == USED


async def test_a_query_may_have_500_characters() -> None:
    assert (await rewritten(Writer("x" * 500))).query == "x" * 500


def test_the_first_line_that_says_something_is_the_query() -> None:
    assert one_line("\n“A query”\nand more") == "A query"
