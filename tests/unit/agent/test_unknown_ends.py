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


@pytest.mark.parametrize("changes", [True, False])
@pytest.mark.parametrize("run", [hangs, breaks])
async def test_one_that_may_have_changed_something_is_not_made_again(
    run: object, changes: bool, tmp_path: Path
) -> None:
    made = tool(run, doing="writing", label="Writing", changes=changes)  # type: ignore[arg-type]
    with pytest.raises(CallRefused) as refused:
        await answer_call(
            {made.name: made}, ToolCall("s0c0", made.name, "{}"), ToolDesk.made(tmp_path).context(), 0.01
        )
    assert ("Do not make the call again" in str(refused.value)) is changes
