"""Tools of the MCP servers that a workspace has added, as tools of a turn (spec 5.5).

A model is told of them as they were when an administrator allowed them. One that does not only read asks
first and is called once: where a run has died in the middle of a call, nobody knows whether it was made.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import BaseModel, JsonValue, RootModel

from footnote_agent.context.plain_name import NAME_CHARS, plain_name, plain_text
from footnote_agent.contracts.tool_servers import KeptTool
from footnote_agent.store.server_tables import ToolServerRow
from footnote_agent.store.tool_servers import kept_tools, servers_of
from footnote_agent.tool_servers.errors import (
    PART,
    ToolChanged,
    ToolServerAway,
    ToolServerRefused,
    WhoActs,
)
from footnote_agent.tool_servers.results import MadeCall, shown_text
from footnote_agent.tool_servers.servers import ToolServers
from footnote_agent.tools.tool import ASKED_CHARS, Tool
from footnote_agent.tools.tool_context import EndUnknown, ToolAnswer, ToolContext, ToolFailed
from footnote_shared.db.engine import WriteSession
from footnote_shared.db.idempotency import KeyedRequest, answer_once, forget_answer, replace_answer
from footnote_shared.models.protocol import ToolSpec
from footnote_shared.security.sealing import CannotBeOpened
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

ASKED_ARGUMENTS = 6
"""Arguments of a call that the person who is asked is shown."""

_AROUND_S = 5.0
"""Seconds of a call beside the session with its server."""


_REASON_CHARS = 300
"""Characters of what is wrong with a server. Who has to act stands at its end."""


class ServerArguments(RootModel[dict[str, JsonValue]]):
    """What a model gives to a tool of a server: an object, whose schema is the server's to check."""


class _Call(BaseModel):
    """A call that may change something, as it is kept for a run that takes the turn over."""

    done: MadeCall | None = None


async def server_tools(context: ToolContext, tool_timeout_s: float) -> dict[str, Tool]:
    """The tools of the workspace's servers that are on: nothing is asked of a server for them.

    `tool_timeout_s` is the time that the settings give to a tool of ours.
    """
    servers, workspace_id = context.resources.servers, context.turn.caller.workspace_id
    if servers is None or not servers.permitted:
        return {}
    rows = await context.resources.database.read_async(lambda session: servers_of(session, workspace_id))
    patience = (servers.bounds.total_s + _AROUND_S) / tool_timeout_s
    return {tool.name: tool for row in rows for tool in tools_of(servers, row, patience)}


def tools_of(servers: ToolServers, row: ToolServerRow, patience: float = 1.0) -> list[Tool]:
    """The tools of one server that are on."""
    if not row.enabled or not servers.permits(row):
        return []
    return [_tool(servers, row, kept, patience) for kept in kept_tools(row) if not kept.changed]


def _tool(servers: ToolServers, row: ToolServerRow, kept: KeptTool, patience: float) -> Tool:
    return Tool(
        kept.called_as,
        _ServerCall(servers, row, kept),
        ServerArguments,
        "reading" if kept.reads_only else "writing",
        f"Asking {row.name}: {plain_name(kept.name)}",
        patience,
        changes=not kept.reads_only,
        asks_first=kept.asks_first,
        told=ToolSpec(kept.called_as, kept.description, dict(kept.parameters), added=True),
        fault=partial(fault_of, kept),
        counted_as=PART,
    )


def fault_of(kept: KeptTool, arguments: BaseModel) -> str | None:
    """What is wrong with the arguments, as far as it can be told without a stranger's expressions."""
    given: Mapping[str, Any] = arguments.root if isinstance(arguments, ServerArguments) else {}
    known = kept.parameters.get("properties")
    names = list(known) if isinstance(known, Mapping) else []
    required = kept.parameters.get("required")
    wanted = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    missing = [name for name in wanted if name not in given]
    told = f"It takes: {', '.join(names) or 'nothing'}."
    if missing:
        return f"Missing: {', '.join(missing)}. {told}"
    unknown = [name for name in given if name not in names]
    if unknown and kept.parameters.get("additionalProperties") is False:
        return f"Unknown: {', '.join(unknown)}. {told}"
    try:
        json.dumps(given, allow_nan=False)
    except ValueError:
        return "A number of them is none."
    if kept.asks_first and (
        len(given) > ASKED_ARGUMENTS
        or any(
            len(value if isinstance(value, str) else repr(value)) > ASKED_CHARS for value in given.values()
        )
    ):
        return (
            f"The user is asked about this call and has to see all of it: at most {ASKED_ARGUMENTS} values "
            f"of {ASKED_CHARS} characters each."
        )
    shown = {plain_name(name) for name in given}
    if kept.asks_first and (len(shown) < len(given) or any(len(name) > NAME_CHARS for name in given)):
        return "The user is asked about this call, and cannot tell its values apart by their names."
    return None


@dataclass(frozen=True, slots=True)
class _ServerCall:
    """A tool as a function of its arguments."""

    servers: ToolServers
    row: ToolServerRow
    kept: KeptTool

    async def __call__(self, context: ToolContext, root: dict[str, JsonValue]) -> ToolAnswer:
        arguments: dict[str, Any] = sendable(root)
        made = await (
            self._made(context, arguments) if self.kept.reads_only else self._made_once(context, arguments)
        )
        # Making a long text harmless takes some milliseconds.
        text = await asyncio.to_thread(shown_text, self.row.name, made.text)
        if made.failed:
            raise ToolFailed(f"The tool says that the call failed. {text}")
        return ToolAnswer(text, f"{len(made.text)} characters from {self.row.name}")

    async def _made_once(self, context: ToolContext, arguments: dict[str, Any]) -> MadeCall:
        """What the call gives, or gave when an earlier run made it. It is not made a second time."""
        request = KeyedRequest.of(
            context.turn.caller,
            f"tool_server:{context.call_key}",
            self.kept.called_as,
            self.row.url,
            json.dumps(arguments, sort_keys=True),
        )
        database = context.resources.database
        assert request is not None

        def begin(session: WriteSession) -> tuple[_Call, bool]:
            return answer_once(session, request, _Call, _Call)

        known, is_first = await database.write_async(begin)
        if not is_first:
            if known.done is not None:
                return known.done
            raise EndUnknown(
                "Another run has begun this call, and it is not known whether it was made. Do not make it "
                "again: tell the user to look."
            )
        try:
            made = await self._made(context, arguments)
        except EndUnknown:
            raise
        except ToolFailed:
            # It was surely not made: a run that takes the turn over may make it.
            await database.write_async(lambda session: forget_answer(session, request))
            raise
        await database.write_async(lambda session: replace_answer(session, request, _Call(done=made)))
        return made

    async def _made(self, context: ToolContext, arguments: dict[str, Any]) -> MadeCall:
        """What the server answers. Raises ToolFailed, and EndUnknown where it may have changed something."""
        try:
            return await self.servers.call(context.turn.caller, self.row, self.kept, arguments)
        except ToolChanged as changed:
            _log.warning("tool_server.changed", server=self.row.name, tool=self.kept.called_as)
            raise ToolFailed(
                f"The server describes `{self.kept.called_as}` otherwise than when an administrator allowed "
                "it. So it was not called, and is off. Do without it, and tell the user that an "
                "administrator has to look at it."
            ) from changed
        except ToolServerRefused as refused:
            raise ToolFailed(f"{plain_name(refused.detail)} Do without it.") from refused
        except CannotBeOpened as lost:
            said = f"The credential of the tool server {self.row.name} cannot be read"
            self._degrade(context, said, "operator", lost.detail)
            raise ToolFailed(
                f"{said}: {plain_text(lost.detail, _REASON_CHARS)} Nothing was done. Do without it, and say "
                "so."
            ) from lost
        except ToolServerAway as away:
            said = f"The tool server {self.row.name} does not answer"
            self._degrade(context, said, away.who_acts, away.detail)
            told = f"The tool server `{self.row.name}` is not there: {plain_text(away.detail, _REASON_CHARS)}"
            if away.made and not self.kept.reads_only:
                raise EndUnknown(
                    f"{told} It is not known whether the call was made. Do not make it again: tell the "
                    "user to look."
                ) from away
            raise ToolFailed(f"{told} Nothing was done. Do without it, and say so.") from away

    def _degrade(self, context: ToolContext, said: str, who_acts: WhoActs, reason: str) -> None:
        """Tell the reader, the log and the metrics that the turn goes on without the server."""
        context.away.add(self.row.name)
        _log.warning(
            "tool_server.away",
            server=self.row.name,
            who_acts=who_acts,
            reason=plain_text(reason, _REASON_CHARS),
        )
        metrics.DEGRADED.labels(PART).inc()
        context.tell(context.progress("degraded", said))


def sendable(value: Any) -> Any:
    """The value without characters that nobody sees: a person who is asked has seen all that is sent."""
    if isinstance(value, str):
        return "".join(char for char in value if char.isprintable() or char in "\n\t")
    if isinstance(value, dict):
        return {sendable(name): sendable(inner) for name, inner in value.items()}
    return [sendable(inner) for inner in value] if isinstance(value, list) else value
