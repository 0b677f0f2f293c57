"""The MCP servers that a workspace has added, for its administrators (spec 5.5)."""

import asyncio

from fastapi import APIRouter, Response

from footnote_agent.api.dependencies import Resources
from footnote_agent.contracts.tool_servers import (
    DescribedTool,
    ServerName,
    ServerTool,
    ToolServer,
    ToolServerChange,
    ToolServerList,
    ToolServerLook,
)
from footnote_agent.store.server_tables import ToolServerRow
from footnote_agent.store.tool_servers import (
    delete_server,
    kept_tools,
    mark_changed,
    server_named,
    servers_of,
)
from footnote_agent.tool_servers.edit import set_server
from footnote_agent.tool_servers.errors import ToolServerAway, ToolServerRefused
from footnote_agent.tool_servers.listing import ListedTool, called_as
from footnote_agent.tool_servers.servers import ToolServers
from footnote_agent.tool_servers.told_schema import told_schema
from footnote_shared.kernel.neutralise import neutralise
from footnote_shared.security.sealing import CannotBeOpened
from footnote_shared.web.dependencies import Admin, Edge

router = APIRouter(prefix="/v1/tool-servers", tags=["tools"])


@router.get("", summary="The MCP servers that the workspace has added")
async def list_tool_servers(edge: Edge, resources: Resources, caller: Admin) -> ToolServerList:
    rows = await edge.database.read_async(lambda session: servers_of(session, caller.workspace_id))
    return ToolServerList(items=[_view(resources.servers, row) for row in rows])


@router.get("/{name}", summary="One MCP server, with the tools of it that models may call")
async def get_tool_server(name: str, edge: Edge, resources: Resources, caller: Admin) -> ToolServer:
    row = await edge.database.read_async(lambda session: server_named(session, caller, name))
    return _view(resources.servers, row)


@router.put(
    "/{name}",
    summary="Add an MCP server, or change it",
    responses={201: {"model": ToolServer, "description": "Added"}},
)
async def put_tool_server(
    name: ServerName, change: ToolServerChange, resources: Resources, caller: Admin, response: Response
) -> ToolServer:
    """Turns that begin from now on follow it. Where a tool is allowed anew, the server is asked about it.

    A tool is called only as long as the server describes it as it did then. The credential is encrypted, sent
    to no other host, and never shown.
    """
    row, is_new = await set_server(resources.servers, caller, name, change)
    response.status_code = 201 if is_new else 200
    return _view(resources.servers, row)


@router.delete("/{name}", status_code=204, summary="Remove an MCP server with its credential")
async def delete_tool_server(name: str, edge: Edge, caller: Admin) -> None:
    await edge.database.write_async(lambda session: delete_server(session, caller, name))


@router.post("/{name}:test", summary="Ask an MCP server for its tools")
async def test_tool_server(name: str, edge: Edge, resources: Resources, caller: Admin) -> ToolServerLook:
    """Its tools as it describes them now, or what is wrong and who can act. None of them is called.

    A tool that was allowed and is described otherwise now is switched off by it.
    """
    row = await edge.database.read_async(lambda session: server_named(session, caller, name))
    try:
        listing = await resources.servers.look(row)
    except ToolServerAway as away:
        return ToolServerLook(problem=away.detail, who_acts=away.who_acts)
    except ToolServerRefused as refused:
        return ToolServerLook(problem=refused.detail, who_acts="operator")
    except CannotBeOpened as lost:
        return ToolServerLook(problem=f"Its credential cannot be read. {lost.detail}", who_acts="operator")
    outdated = {
        (kept.name, kept.digest) for kept in kept_tools(row) if listing.digests.get(kept.name) != kept.digest
    }
    if outdated:
        await edge.database.write_async(lambda session: mark_changed(session, caller, name, outdated))
    # Making the words of many tools harmless takes some hundred milliseconds.
    offered = await asyncio.to_thread(lambda: [_offered(row, tool) for tool in listing.tools])
    return ToolServerLook(tools=offered, more=listing.more)


def _view(servers: ToolServers, row: ToolServerRow) -> ToolServer:
    return ToolServer(
        name=row.name,
        url=row.url,
        enabled=row.enabled,
        has_credential=bool(row.credential),
        permitted=servers.permits(row),
        tools=[
            ServerTool(
                name=tool.name,
                called_as=tool.called_as,
                description=tool.description,
                reads_only=tool.reads_only,
                asks_first=tool.asks_first,
                digest=tool.digest,
                state="changed" if tool.changed else "allowed",
            )
            for tool in kept_tools(row)
        ],
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _offered(row: ToolServerRow, tool: ListedTool) -> DescribedTool:
    kept = {one.name: one for one in kept_tools(row)}.get(tool.name)
    return DescribedTool(
        name=tool.name,
        called_as=called_as(row.name, tool.name),
        description=neutralise(tool.description),
        parameters=told_schema(tool.parameters),
        says_reads_only=tool.says_reads_only,
        digest=tool.digest,
        state="new" if kept is None else "allowed" if kept.digest == tool.digest else "changed",
        problem=tool.problem,
    )
