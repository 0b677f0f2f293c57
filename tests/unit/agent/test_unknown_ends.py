"""Calls of which nobody knows how they ended: a model is told so, where they may have changed something."""

import asyncio
from pathlib import Path

import pytest
from tests.unit.agent.tool_desk import ToolDesk

from footnote_agent.tools.guard import CallRefused, answer_call
from footnote_agent.tools.tool import tool
from footnote_agent.tools.tool_context import ToolAnswer, ToolContext
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.models.protocol import ToolCall


async def hangs(context: ToolContext) -> ToolAnswer:
    """Never ends."""
    await asyncio.Event().wait()
    return ToolAnswer("")


async def breaks(context: ToolContext) -> ToolAnswer:
    """Its service dies."""
    raise Unavailable("ingest", "The ingest service does not answer.")


async def crashes(context: ToolContext) -> ToolAnswer:
    """Fails in a way that nobody has named."""
    raise ZeroDivisionError


@pytest.mark.parametrize("changes", [True, False])
@pytest.mark.parametrize("run", [hangs, breaks, crashes])
async def test_one_that_may_have_changed_something_is_not_made_again(
    run: object, changes: bool, tmp_path: Path
) -> None:
    made = tool(run, doing="writing", label="Writing", changes=changes)  # type: ignore[arg-type]
    with pytest.raises(CallRefused) as refused:
        await answer_call(
            {made.name: made}, ToolCall("s0c0", made.name, "{}"), ToolDesk.made(tmp_path).context(), 0.01
        )
    assert ("Do not make the call again" in str(refused.value)) is changes


async def hands_on(context: ToolContext) -> ToolAnswer:
    """Has another call made, then never ends."""
    made = tool(adds, doing="writing", label="Writing", changes=True)
    await answer_call({made.name: made}, ToolCall("s0c0-s0c0", made.name, "{}"), context, 1.0)
    await asyncio.Event().wait()
    return ToolAnswer("")


async def hands_on_and_breaks(context: ToolContext) -> ToolAnswer:
    """Has another call made, then cannot show what it found."""
    made = tool(adds, doing="writing", label="Writing", changes=True)
    await answer_call({made.name: made}, ToolCall("s0c0-s0c0", made.name, "{}"), context, 1.0)
    raise Unavailable("resolver", "The resolver does not answer.")


async def hands_on_what_hangs(context: ToolContext) -> ToolAnswer:
    """Has another call made, which never ends."""
    made = tool(hangs, doing="writing", label="Writing", changes=True)
    return await answer_call({made.name: made}, ToolCall("s0c0-s0c0", made.name, "{}"), context, 60.0)


async def adds(context: ToolContext) -> ToolAnswer:
    """Adds an issue."""
    return ToolAnswer("Done: #7.")


async def refused_by(run: object, folder: Path) -> str:
    """What a model is told of a call that fails."""
    made = tool(run, doing="delegating", label="Handing on")  # type: ignore[arg-type]
    with pytest.raises(CallRefused) as refused:
        await answer_call(
            {made.name: made}, ToolCall("s0c0", made.name, "{}"), ToolDesk.made(folder).context(), 0.1
        )
    return str(refused.value)


@pytest.mark.parametrize("run", [hands_on, hands_on_and_breaks])
async def test_what_was_done_below_a_call_that_fails_stands_and_is_told(run: object, tmp_path: Path) -> None:
    told = await refused_by(run, tmp_path)
    assert "not to be made again: `adds`: Done: #7." in told
    assert "smaller" not in told


async def test_what_is_cut_off_below_a_call_is_told_as_unknown(tmp_path: Path) -> None:
    told = await refused_by(hands_on_what_hangs, tmp_path)
    assert "not to be made again: `hangs`: It is not known whether it was done." in told


async def test_a_call_below_that_was_never_made_is_no_change(tmp_path: Path) -> None:
    async def hands_on_nonsense(context: ToolContext) -> ToolAnswer:
        """Has another call made, with arguments that it does not take."""
        made = tool(adds, doing="writing", label="Writing", changes=True)
        with pytest.raises(CallRefused):
            await answer_call({made.name: made}, ToolCall("x", made.name, '{"a": 1}'), context, 1.0)
        await asyncio.Event().wait()
        return ToolAnswer("")

    assert "Try something smaller." in await refused_by(hands_on_nonsense, tmp_path)
