"""A plan that the model makes for itself and that its reader sees (spec 5.5)."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from footnote_agent.context.plain_name import plain_name
from footnote_agent.tools.tool_context import ToolAnswer, ToolContext


class Todo(BaseModel):
    """One thing to do."""

    model_config = ConfigDict(extra="ignore")

    text: str = Field(min_length=1, max_length=300)
    done: bool = False


async def write_todos(
    context: ToolContext,
    items: Annotated[
        list[Todo], Field(max_length=30, description="The whole plan, in order; it replaces the one before.")
    ],
) -> ToolAnswer:
    """Write down a plan for a question that needs several steps, and tick off what is done."""
    context.todos[:] = [f"({'done' if item.done else 'open'}) {plain_name(item.text)}" for item in items]
    done = sum(item.done for item in items)
    following = next((plain_name(item.text) for item in items if not item.done), "")
    return ToolAnswer(
        "The plan is noted.", f"{done} of {len(items)} done" + (f"; next: {following}" if following else "")
    )
