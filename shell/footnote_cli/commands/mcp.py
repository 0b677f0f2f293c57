"""`footnote mcp`: the MCP server over standard input and output, for programs that start their servers."""

from functools import partial
from typing import Any

import anyio
import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.server.stdio import stdio_server

from footnote_cli.api_client import api_key, readiness
from footnote_cli.own_server import client_settings
from footnote_shared.settings.base import Settings

_ANSWER_S = 360.0
"""A turn may take minutes. Its own limit ends it before this one."""


def mcp() -> None:
    """Let a program use Footnote over MCP on standard input and output.

    It offers the tools `search`, `read` and `ask` of the server that the other commands use, with the
    same key. A program that speaks HTTP can go to `/mcp` of the server itself.

    Example: `footnote mcp`, in the configuration of such a program `{"command": "footnote", "args": ["mcp"]}`

    Exit status: 0 when the program has closed its end, 2 without a key, 3 when no server answers.
    """
    settings = client_settings()
    key = api_key(settings)
    readiness(settings)
    anyio.run(_serve, settings, key)


async def _serve(settings: Settings, key: str) -> None:
    """Hand each request on to the server, and its answer and progress back."""
    timeout = httpx2.Timeout(_ANSWER_S, connect=10.0)
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=timeout, trust_env=False) as http,
        Client(streamable_http_client(f"{settings.public_url}/mcp", http_client=http)) as client,
        stdio_server() as (read, write),
    ):
        server: Server[Any] = Server(
            "footnote",
            title="Footnote",
            instructions=client.instructions,
            on_list_tools=partial(_list, client),
            on_call_tool=partial(_call, client),
        )
        await server.run(read, write, server.create_initialization_options())


async def _list(
    client: Client, context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    return await client.list_tools()


async def _call(
    client: Client, context: ServerRequestContext[Any], params: types.CallToolRequestParams
) -> types.CallToolResult:
    async def tell(progress: float, total: float | None, message: str | None) -> None:
        await context.session.report_progress(progress, total, message)

    return await client.call_tool(params.name, params.arguments, progress_callback=tell)
