"""Handing a part of the work to a subagent (spec 5.5)."""

from typing import Annotated

from pydantic import Field

from footnote_agent.tools.tool_context import ToolAnswer, ToolContext, ToolFailed


async def task(
    context: ToolContext,
    subagent: Annotated[
        str,
        Field(
            min_length=1,
            max_length=50,
            description="Who does it: knowledge_base reads, writes and keeps the user's files, "
            "research reads the web, and the kind of a connector, such as github, reads what it brought in, "
            "and writes there where that is allowed.",
        ),
    ],
    prompt: Annotated[
        str,
        Field(
            min_length=1,
            max_length=4000,
            description="What to find out, with all that has to be known for it; nothing else is passed on.",
        ),
    ],
) -> ToolAnswer:
    """Hand a part of the work to a subagent. It answers with the passages that it found, under the same
    numbers. Several calls in one reply work side by side."""
    if context.delegate is None:
        raise ToolFailed("Nothing can be handed on from here. Do it yourself.")
    return await context.delegate(subagent, prompt, context)
