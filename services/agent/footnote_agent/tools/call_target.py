"""What a call that changes something was found to mean, so that it means the same when it is made again.

A path names something else once a file was moved or deleted. A run that takes a turn over makes the last call
again: it has to change what the first run had found, and nothing that came to that path since.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pydantic import BaseModel

from footnote_agent.tools.tool_context import ToolContext
from footnote_shared.db.engine import WriteSession
from footnote_shared.db.idempotency import KeyedRequest, answer_once, kept_answer


class CallTarget(BaseModel):
    """A document or a folder, and the path at which it lay when the call was made first."""

    id: str
    path: str


@dataclass(frozen=True, slots=True)
class FoundTarget:
    """`again`: an earlier run has made this call, and may have done all of it."""

    target: CallTarget
    again: bool


async def target_of_call(
    context: ToolContext, tool: str, written: str, find: Callable[[], Awaitable[CallTarget]]
) -> FoundTarget:
    """What `written` meant when this call was made first; found and kept now if this is the first time.

    Raises what `find` raises.
    """
    request = KeyedRequest.of(context.turn.caller, f"target:{context.call_key}", tool, written)

    def earlier(session: WriteSession) -> CallTarget | None:
        return kept_answer(session, request, CallTarget)

    kept = await context.resources.database.write_async(earlier)
    if kept is not None:
        return FoundTarget(kept, again=True)
    found = await find()

    def keep(session: WriteSession) -> tuple[CallTarget, bool]:
        return answer_once(session, request, CallTarget, lambda: found)

    target, made = await context.resources.database.write_async(keep)
    return FoundTarget(target, again=not made)
