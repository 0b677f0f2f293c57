"""Setting a server of a workspace: what of its tools is allowed, as it was looked at (spec 5.5)."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footnote_agent.contracts.tool_servers import (
    MOST_SERVERS,
    AllowedTool,
    KeptTool,
    ToolServerChange,
)
from footnote_agent.store.server_tables import ToolServerRow
from footnote_agent.store.tool_servers import (
    credential_place,
    keep_server,
    kept_tools,
    lock_servers,
    plain_tools,
    said_of,
    servers_of,
)
from footnote_agent.tool_servers.errors import ToolServerRefused
from footnote_agent.tool_servers.listing import MOST_ALLOWED, MOST_TOLD, ToolListing, called_as
from footnote_agent.tool_servers.servers import ToolServers
from footnote_agent.tool_servers.told_schema import told_description, told_schema
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.egress.targets import origin_of, read_target
from footnote_shared.kernel.errors import Conflict, FieldError, InvalidRequest


@dataclass(frozen=True, slots=True)
class _Found:
    """The server as it was when the change was asked for. None: there was none of the name."""

    row: ToolServerRow | None

    @property
    def kept(self) -> Mapping[str, KeptTool]:
        return {tool.name: tool for tool in kept_tools(self.row)} if self.row is not None else {}


async def set_server(
    servers: ToolServers, caller: Principal, name: str, change: ToolServerChange
) -> tuple[ToolServerRow, bool]:
    """The server as it is set, and whether it is new. It is asked for its tools where one is allowed anew.

    Raises ToolServerRefused, ToolServerAway, InvalidRequest, and Conflict where a tool is not what was looked
    at, where there are too many servers, or where somebody else has changed the server meanwhile.
    """
    url = servers.permitted.checked(change.url)

    def read(session: ReadSession) -> _Found:
        return _Found(session.get(ToolServerRow, (caller.workspace_id, name)))

    before = await servers.database.read_async(read)
    row = _changed(servers, caller, name, change, url, before.row)
    wanted = _wanted(change, before)
    if any(_to_be_looked_at(tool, before, url) for tool in wanted):
        listing = await servers.look(row)
        tools = await asyncio.to_thread(_allowed, name, wanted, listing, before)
    else:
        tools = [_as_kept(tool, before.kept[tool.name]) for tool in wanted]
    row.tools = plain_tools(tools)

    def keep(session: WriteSession) -> tuple[ToolServerRow, bool]:
        lock_servers(session, caller.workspace_id)
        others = [one for one in servers_of(session, caller.workspace_id) if one.name != name]
        known = session.get(ToolServerRow, (caller.workspace_id, name))
        if _version(known) != _version(before.row):
            raise Conflict("Somebody else has changed this server meanwhile. Look at it and try again.")
        _check_room(others, tools, is_new=known is None)
        said = None if known is None else said_of(known)
        stored = known or row
        for column in ("url", "credential", "enabled", "tools"):
            setattr(stored, column, getattr(row, column))
        given = change.credential is not None and bool(change.credential.get_secret_value())
        keep_server(session, caller, stored, said, new_credential=given)
        return stored, known is None

    stored, is_new = await servers.database.write_async(keep)
    servers.forget(stored)
    return stored, is_new


def _changed(
    servers: ToolServers,
    caller: Principal,
    name: str,
    change: ToolServerChange,
    url: str,
    before: ToolServerRow | None,
) -> ToolServerRow:
    """The row as the change wants it, without its tools."""
    credential = before.credential if before is not None else ""
    if change.credential is not None:
        given = change.credential.get_secret_value()
        if not given.isascii() or not given.isprintable() or " " in given:
            message = "may hold letters, digits and signs of ASCII alone, without spaces"
            raise InvalidRequest(f"The credential {message}.", errors=[FieldError("credential", message)])
        place = credential_place(caller.workspace_id, name)
        credential = str(servers.seals().seal(given, place)) if given else ""
    elif before is not None and credential and _moves(before.url, url):
        message = "has to be given again for another host: it is sent nowhere that it was not given for"
        raise InvalidRequest(f"The credential {message}.", errors=[FieldError("credential", message)])
    return ToolServerRow(
        workspace_id=caller.workspace_id,
        name=name,
        url=url,
        credential=credential,
        enabled=change.enabled,
        tools=[],
    )


def _moves(before: str, after: str) -> bool:
    return origin_of(read_target(before)) != origin_of(read_target(after))


def _wanted(change: ToolServerChange, before: _Found) -> list[AllowedTool]:
    """The tools that are to be allowed. Raises InvalidRequest for one that is named twice."""
    if change.tools is None:
        return [
            AllowedTool(name=tool.name, reads_only=tool.reads_only, asks_first=tool.asks_first)
            for tool in before.kept.values()
        ]
    names = [tool.name for tool in change.tools]
    if len(set(names)) < len(names):
        raise InvalidRequest("A tool is named twice.", errors=[FieldError("tools", "names a tool twice")])
    return change.tools


def _to_be_looked_at(tool: AllowedTool, before: _Found, url: str) -> bool:
    """Whether the server has to be asked what it says of the tool now."""
    kept = before.kept.get(tool.name)
    if kept is None or before.row is None or before.row.url != url:
        return True
    return tool.digest not in (None, kept.digest) or (kept.changed and tool.digest is not None)


def _allowed(
    server: str, wanted: Sequence[AllowedTool], listing: ToolListing, before: _Found
) -> list[KeptTool]:
    """The tools as the server describes them now. Raises ToolServerRefused and Conflict."""
    found: list[KeptTool] = []
    for tool in wanted:
        kept = before.kept.get(tool.name)
        listed = listing.named(tool.name)
        expected = tool.digest or (kept.digest if kept is not None else None)
        if listed is None:
            if kept is not None and tool.digest in (None, kept.digest):
                found.append(_as_kept(tool, kept.model_copy(update={"changed": True})))
                continue
            raise ToolServerRefused(_why_not(tool.name, listing))
        if expected is not None and listed.digest != expected:
            if kept is not None and tool.digest in (None, kept.digest):
                # It was not asked to be allowed anew.
                found.append(_as_kept(tool, kept.model_copy(update={"changed": True})))
                continue
            raise Conflict(
                f"The server describes {tool.name!r} otherwise than it was looked at. Look again by :test."
            )
        found.append(
            KeptTool(
                name=tool.name,
                called_as=called_as(server, tool.name),
                description=told_description(listed.description),
                parameters=told_schema(listed.parameters),
                digest=listed.digest,
                reads_only=tool.reads_only,
                asks_first=_asks(tool),
            )
        )
    return found


def _as_kept(tool: AllowedTool, kept: KeptTool) -> KeptTool:
    return kept.model_copy(update={"reads_only": tool.reads_only, "asks_first": _asks(tool)})


def _asks(tool: AllowedTool) -> bool:
    return not tool.reads_only if tool.asks_first is None else tool.asks_first


def _why_not(name: str, listing: ToolListing) -> str:
    problems = [tool.problem for tool in listing.tools if tool.name == name and tool.problem]
    return f"{name!r} cannot be allowed: {problems[0] if problems else 'the server has no such tool.'}"


def _check_room(others: Sequence[ToolServerRow], tools: Sequence[KeptTool], *, is_new: bool) -> None:
    """Raises Conflict where the workspace has too many servers, or they would tell models too much."""
    if is_new and len(others) >= MOST_SERVERS:
        raise Conflict(f"A workspace has {MOST_SERVERS} servers of tools at most.")
    every = [*tools, *(tool for row in others for tool in kept_tools(row))]
    if len(every) > MOST_ALLOWED:
        raise Conflict(
            f"{len(every)} tools of servers would be allowed, and {MOST_ALLOWED} is the most of a workspace. "
            "Allow fewer."
        )
    told = sum(len(tool.description) + len(str(tool.parameters)) for tool in every)
    if told > MOST_TOLD:
        raise Conflict(
            f"The allowed tools of the workspace would tell models {told} characters with each call of one, "
            f"and {MOST_TOLD} is the most. Allow fewer."
        )


def _version(row: ToolServerRow | None) -> object:
    return None if row is None else (row.updated_at, row.url, [tool.get("changed") for tool in row.tools])
