"""A turn whose time is up ends in an answer from what was found, and not in an error."""

import asyncio
import math
from collections.abc import AsyncGenerator

import pytest

from footnote_agent.context.trajectory import SeenPassage, WantedCall
from footnote_agent.engines.in_time import TimeIsUp, in_time
from footnote_agent.engines.reply_text import CUT_SHORT, ReplyText
from footnote_agent.engines.tool_calls import left_open
from footnote_agent.engines.turn_limits import NO_TIME, closing_s
from footnote_agent.tools.all_tools import TOOLS
from footnote_testing.own_clock import now_s, on_own_clock

SHOWN = [SeenPassage(n=3, title="Plan")]


async def steps(*seconds: float, ended: list[float] | None = None) -> AsyncGenerator[int, None]:
    """Counts, and waits for so long before each number."""
    try:
        for at, pause in enumerate(seconds):
            await asyncio.sleep(pause)
            yield at
    finally:
        if ended is not None:
            ended.append(now_s())


@on_own_clock
async def test_steps_come_as_long_as_there_is_time() -> None:
    assert [step async for step in in_time(steps(1, 1, 1), lambda: 9 - now_s())] == [0, 1, 2]


@on_own_clock
async def test_the_step_that_takes_too_long_is_ended() -> None:
    seen, ended = list[int](), list[float]()
    with pytest.raises(TimeIsUp):
        async for step in in_time(steps(1, 100, ended=ended), lambda: 9 - now_s()):
            seen.append(step)
    assert (seen, ended) == ([0], [9.0])


@on_own_clock
async def test_a_person_may_take_longer() -> None:
    assert [step async for step in in_time(steps(3000), lambda: math.inf)] == [0]


@on_own_clock
async def test_a_time_out_within_a_step_is_its_own() -> None:
    async def failing() -> AsyncGenerator[int, None]:
        raise TimeoutError("a site")
        yield 0

    with pytest.raises(TimeoutError, match="a site"):
        async for _ in in_time(failing(), lambda: 9.0):
            pass


@pytest.mark.parametrize(
    ("seconds", "closing"), [(3.0, 0.3), (5.0, 0.5), (12.0, 0.5), (50.0, 2.0), (300.0, 3.0)]
)
def test_a_moment_is_left_for_words_of_ours(seconds: float, closing: float) -> None:
    assert closing_s(seconds) == pytest.approx(closing)


def test_an_answer_that_is_cut_short_says_so() -> None:
    text = ReplyText(before="", goes_on=False, text="It moved to")
    assert text.last_words(SHOWN, None, cut_short=True) == f"\n\n{CUT_SHORT}"
    assert text.last_words(SHOWN, None, cut_short=False) == ""


def test_a_reply_without_a_word_is_closed_with_what_was_found() -> None:
    words = ReplyText(before="", goes_on=False).last_words(SHOWN, "nearly all the time", cut_short=True)
    assert words.startswith("I have used up nearly all the time")
    assert words.endswith("- Plan [3]")
    assert ReplyText(before="Done.", goes_on=True).last_words(SHOWN, None, cut_short=True) == ""


def test_what_was_cut_off_and_may_have_been_done_is_told() -> None:
    calls = [
        WantedCall(id="s0c0", name=name, arguments="{}") for name in ("recall", "create_document", "none")
    ]
    cut_off = left_open(calls, TOOLS)
    words = ReplyText(before="", goes_on=False).last_words([], NO_TIME, cut_short=True, cut_off=cut_off)
    assert words.endswith("It is not known whether this was done: Writing a document.")
