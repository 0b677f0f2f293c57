"""Answering one call of a model, whatever it holds: the turn goes on with a message that helps (spec 5.5)."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import BaseModel, ValidationError

from footnote_agent.context.plain_name import plain_name
from footnote_agent.tools.tool import Tool
from footnote_agent.tools.tool_context import EndUnknown, ToolAnswer, ToolContext, ToolFailed
from footnote_shared.kernel.errors import FootnoteError, NotFound, Unavailable
from footnote_shared.models.protocol import ToolCall
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

ARGUMENT_CHARS = 20_000
RESULT_CHARS = 60_000
"""Longest result. Tools that show passages stay far below; what they show is never cut here."""


UNKNOWN = (
    "It is not known whether it was done. Do not make the call again: look whether it was done, or tell the "
    "user to look."
)
"""What a model is told of a call that changes something, where nobody has said how it ended."""

_TOLD_CHARS = 500
"""Characters of what a call below has changed, in the word of a call that failed above it."""


class CallRefused(Exception):
    """The call gave no result. The message is for the model. `unknown`: it may have changed something."""

    def __init__(self, message: str, *, unknown: bool = False) -> None:
        super().__init__(message)
        self.unknown = unknown


async def answer_call(
    tools: Mapping[str, Tool], call: ToolCall, context: ToolContext, timeout_s: float
) -> ToolAnswer:
    """Run a call. Raises CallRefused, and nothing else.

    Where it fails although calls below it have changed something, it says so: what was done stands.
    """
    wanted = tools.get(call.name)
    if wanted is None:
        raise CallRefused(f"There is no tool `{plain_name(call.name)}`. Tools: {', '.join(tools)}.")
    below: list[str] = []
    # A call that is cut off from above ends so: whoever cuts it off tells of it.
    ended = UNKNOWN
    try:
        answer = await _answered(wanted, call, replace(context, changed=below), timeout_s)
        ended = answer.text
    except CallRefused as refusal:
        ended = str(refusal) if refusal.unknown else ""
        if not below:
            raise
        raise CallRefused(
            f"{refusal} Calls of it that change something stand and are not to be made again: "
            f"{' '.join(below)}"
        ) from refusal
    finally:
        context.changed.extend(below)
        if wanted.changes and ended:
            context.changed.append(f"`{wanted.name}`: {ended[:_TOLD_CHARS]}")
    return answer


async def _answered(wanted: Tool, call: ToolCall, context: ToolContext, timeout_s: float) -> ToolAnswer:
    """What the tool answers within its time. Raises CallRefused, and nothing else."""
    arguments = _arguments(wanted, call.arguments)
    limit_s = timeout_s * wanted.patience
    try:
        async with asyncio.timeout(limit_s) as limit:

            def stretch(seconds: float) -> None:
                limit.reschedule((limit.when() or 0.0) + seconds)
                context.stretch(seconds)

            given = {name: getattr(arguments, name) for name in type(arguments).model_fields}
            answer = await wanted.run(replace(context, call_id=call.id, stretch=stretch), **given)
    except ToolFailed as failure:
        raise CallRefused(str(failure), unknown=isinstance(failure, EndUnknown)) from failure
    except TimeoutError as error:
        late = f"The tool took longer than {limit_s:.0f} seconds."
        raise CallRefused(f"{late} {_after(wanted, context.changed)}", unknown=wanted.changes) from error
    except NotFound as error:
        raise CallRefused("That is not there, or no longer the user's to see.") from error
    except FootnoteError as error:
        # Whoever did not answer may have done it all the same.
        unknown = wanted.changes and isinstance(error, Unavailable)
        told = f" {UNKNOWN}" if unknown else ""
        raise CallRefused(f"The tool failed: {plain_name(error.detail)}{told}", unknown=unknown) from error
    except Exception as error:
        # Whatever else a tool raises is a fault of ours, and spec 5.5 has no error of a tool end the turn: it
        # is logged as what it is.
        _log.error("tool.crashed", tool=call.name, exc_info=error)
        told = UNKNOWN if wanted.changes else "Do without it."
        raise CallRefused(
            f"The tool failed for a reason of its own. {told}", unknown=wanted.changes
        ) from error
    return bounded(answer)


def _after(wanted: Tool, changed: Sequence[str]) -> str:
    """What a model may do about a call that ran out of time."""
    if wanted.changes:
        return UNKNOWN
    return "Do only what is left of it." if changed else "Try something smaller."


def bounded(answer: ToolAnswer, limit: int = RESULT_CHARS) -> ToolAnswer:
    """The answer with a text of at most about `limit` characters, which says so where it was cut."""
    if len(answer.text) <= limit or answer.shown:
        return answer
    text = f"{answer.text[:limit]}\n(cut: the result has {len(answer.text)} characters)"
    return replace(answer, text=text)


def is_well_formed(tools: Mapping[str, Tool], call: ToolCall) -> bool:
    """Whether a call names a tool and gives it what it takes. Nobody is asked about one that does not."""
    wanted = tools.get(call.name)
    if wanted is None:
        return False
    try:
        _arguments(wanted, call.arguments)
    except CallRefused:
        return False
    return True


def _arguments(wanted: Tool, written: str) -> BaseModel:
    """The arguments as the tool's model. Raises CallRefused with what is wrong, argument by argument."""
    if len(written) > ARGUMENT_CHARS:
        raise CallRefused(f"The arguments are longer than {ARGUMENT_CHARS} characters.")
    try:
        arguments = wanted.arguments.model_validate_json(written.strip() or "{}")
    except ValidationError as error:
        faults = [
            f"{'.'.join(map(str, fault['loc'])) or 'arguments'}: {fault['msg']}"
            for fault in error.errors()[:5]
        ]
        known = ", ".join(wanted.takes)
        raise CallRefused(
            f"Arguments of `{wanted.name}` are wrong. {plain_name('; '.join(faults))}. It takes: {known}."
        ) from error
    fault = wanted.fault(arguments) if wanted.fault is not None else None
    if fault is not None:
        raise CallRefused(f"Arguments of `{wanted.name}` are wrong. {plain_name(fault)}")
    return arguments
