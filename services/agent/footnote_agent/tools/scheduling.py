"""A question that is asked again by a schedule, because the user wanted that (spec 5.5, 5.10)."""

from typing import Annotated

from pydantic import Field

from footnote_agent.context.plain_name import plain_name
from footnote_agent.contracts.automations import NewAutomation
from footnote_agent.tools.tool_context import ToolAnswer, ToolContext, ToolFailed

_NAME_CHARS = 100


async def create_automation(
    context: ToolContext,
    schedule: Annotated[
        str,
        Field(
            max_length=100,
            description="Five fields of cron: minute, hour, day of the month, month, day of the week, as in "
            "`0 9 * * mon-fri`.",
        ),
    ],
    prompt: Annotated[
        str,
        Field(
            min_length=1,
            max_length=2000,
            description="What is asked each time, complete in itself: this conversation is not there then.",
        ),
    ],
    time_zone: Annotated[
        str,
        Field(max_length=100, description="Such as `Europe/Berlin`. Ask the user where you do not know it."),
    ],
) -> ToolAnswer:
    """Have a question asked again by a schedule, when the user asks for that. The user is asked first."""
    schedule_it = context.resources.schedule
    if schedule_it is None:
        raise ToolFailed("Nothing can be scheduled here.")
    name = plain_name(prompt)[:_NAME_CHARS] or "Question"
    asked = NewAutomation(name=name, text=prompt, schedule=schedule, time_zone=time_zone)
    made = await schedule_it(context.turn.caller, asked, f"turn:{context.call_key}")
    due = "" if made.next_due_at is None else f" It is asked first at {made.next_due_at.isoformat()}."
    return ToolAnswer(f"Scheduled.{due} The user finds it among the automations.", f"{name}: {schedule}")
