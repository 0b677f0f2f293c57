"""Asking a person before a tool does what it was told to ask about (spec 5.5).

The question and its answer lie in SQL, so a turn waits on through restarts, and any replica can take the
answer.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from footnote_agent.context.trajectory import WantedCall
from footnote_agent.engines.protocol import EngineOutput, Settled
from footnote_agent.store.approvals import answered, ask, close_unanswered, was_asked
from footnote_agent.tools.tool import Tool
from footnote_agent.tools.tool_context import ToolContext, ToolFailed
from footnote_shared.contracts.events import ApprovalNeeded, Progress
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.polling import GrowingPause, look_until_found

REFUSED = "The user was asked about this call and refused it. Nothing was done. Do without it, and say so."
UNANSWERED = "The user was asked about this call and did not answer in time. Nothing was done. Say so."
NOBODY = "This tool asks the user first, and nobody can be asked here. Nothing was done. Say so."

_HANDLES = frozenset({"file", "folder", "item", "connector", "doc"})
"""The arguments of tools in which a handle may stand."""

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 1.0


@dataclass(frozen=True, slots=True)
class FirstAsked:
    """`names` are the tools that ask first. An answer is waited for `wait_s` seconds at most."""

    context: ToolContext
    names: frozenset[str]
    wait_s: float

    async def refusal(
        self,
        call: WantedCall,
        tool: Tool,
        arguments: dict[str, Any],
        tell: Callable[[EngineOutput], None],
    ) -> str | None:
        """Why the call may not be made, in words for the model. None where it may."""
        if tool.name not in self.names and not (tool.changes and await self._was_asked(call)):
            return None
        turn = self.context.turn
        if turn.nobody_to_ask:
            return NOBODY
        arguments = await self._named(arguments)
        asked = await self.context.resources.database.write_async(
            lambda session: ask(session, turn.caller, turn.turn_id, call.id, tool.name, arguments)
        )
        if asked.approved is not None:
            return None if asked.approved else REFUSED
        tell(
            Progress(stage="waiting", label=f"Waiting for your word: {tool.label}", agent=self.context.agent)
        )
        tell(
            ApprovalNeeded(
                call_id=call.id,
                tool=tool.name,
                label=tool.label,
                agent=self.context.agent,
                arguments=arguments,
            )
        )
        waited_s = max(0.0, (now() - asked.asked_at).total_seconds())
        said = await self._waited_for(call, max(self.wait_s - waited_s, 0.0))
        if said is None:
            turn_id = turn.turn_id
            said = await self.context.resources.database.write_async(
                lambda session: close_unanswered(session, turn_id, call.id)
            )
            tell(Settled(call.id))
            return None if said else UNANSWERED
        tell(Settled(call.id))
        return None if said else REFUSED

    async def _named(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments with the names of what handles stand for: nobody but the model knows a `D1`."""
        named = dict(arguments)
        for name in _HANDLES & arguments.keys():
            try:
                target = await self.context.target(str(arguments[name]), "document", "folder", "connector")
            except ToolFailed:
                continue
            named[name] = f"{arguments[name]} ({target.name})"
        return named

    async def _waited_for(self, call: WantedCall, most_s: float) -> bool | None:
        """The answer, or None after this many seconds. No call that a subagent works for loses time by it."""
        began = time.monotonic()
        self.context.stretch(most_s)
        try:
            pause = GrowingPause(_FIRST_PAUSE_S, _LONGEST_PAUSE_S)
            return await look_until_found(lambda: self._answer(call), pause, patience_s=most_s)
        finally:
            self.context.stretch(time.monotonic() - began - most_s)

    async def _answer(self, call: WantedCall) -> bool | None:
        turn_id = self.context.turn.turn_id
        return await self.context.resources.database.read_async(
            lambda session: answered(session, turn_id, call.id)
        )

    async def _was_asked(self, call: WantedCall) -> bool:
        """Whether an earlier run has asked, before the workspace told the tool to ask no more."""
        turn_id = self.context.turn.turn_id
        return await self.context.resources.database.read_async(
            lambda session: was_asked(session, turn_id, call.id)
        )
