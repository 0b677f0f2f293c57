"""One session with an MCP server over streamable HTTP. This module alone is a client by `mcp`."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import anyio
import httpx2
import mcp_types as types
from mcp import ClientSession, MCPError
from mcp.client.streamable_http import streamable_http_client
from pydantic import ValidationError

from footnote_agent.context.plain_name import plain_text
from footnote_agent.tool_servers.errors import ToolServerAway
from footnote_agent.tool_servers.guarded_http import GuardedSession, told_failure
from footnote_agent.tool_servers.listing import MOST_LISTED, ListedTool, ToolListing, listing_of
from footnote_agent.tool_servers.results import MadeCall, made_call
from footnote_shared.egress.client import EgressClient
from footnote_shared.kernel.errors import FootnoteError

Answer = TypeVar("Answer")

_MOST_PAGES = 8
_LONGER_S = 1.0
"""Seconds for which a request may outlast its session, so that the session's own end comes first."""

_BROKE_OFF = "The connection to the server broke off."
_CUT_OFF = (types.CONNECTION_CLOSED, types.REQUEST_TIMEOUT, types.PARSE_ERROR, types.INVALID_REQUEST)
"""Errors that the library makes itself where the server has not answered a request."""

_INFO = types.Implementation(name="footnote", version="1")

for _name in ("mcp.client.streamable_http", "mcp.shared.jsonrpc_dispatcher", "mcp.client.session", "client"):
    # It logs ids of sessions, and what servers send. What matters of it is told by our errors.
    logging.getLogger(_name).setLevel(logging.CRITICAL)


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """`max_bytes` for each answer; `total_s` for the whole session."""

    max_bytes: int
    total_s: float


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a server answers, and the bearer token that it gets. Empty: none."""

    url: str
    credential: str = field(default="", repr=False)

    @property
    def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.credential}"} if self.credential else {}


class OpenSession:
    """A session whose server has said who it is. `calling`: a call was sent, and may have been made."""

    def __init__(self, session: ClientSession, transport: GuardedSession) -> None:
        self._session = session
        self._transport = transport
        self.calling = False

    async def listing(self) -> ToolListing:
        """The tools that the server lists, up to a bound."""
        found: list[ListedTool] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
            page = await self._session.send_request(
                types.ListToolsRequest(params=params), types.ListToolsResult
            )
            found += map(_listed, page.tools)
            cursor = page.next_cursor
            if not cursor or len(found) >= MOST_LISTED:
                break
        return listing_of(found, more=bool(cursor) or len(found) > MOST_LISTED)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> MadeCall:
        """What a tool answers. Its own schema of results is not looked at: that is work for a stranger."""
        self.calling = True
        asked = types.CallToolRequest(
            params=types.CallToolRequestParams(name=tool, arguments=dict(arguments))
        )
        try:
            return made_call(await self._session.send_request(asked, types.CallToolResult))
        except MCPError as error:
            if self._transport.failure is not None or error.code in _CUT_OFF:
                raise
            return MadeCall(error.message, failed=True)


async def in_session(
    client: EgressClient,
    address: ServerAddress,
    limits: SessionLimits,
    work: Callable[[OpenSession], Awaitable[Answer]],
) -> Answer:
    """What the work in one session with the server gives.

    Raises ToolServerAway, and any FootnoteError of the work.
    """
    ends_at = asyncio.get_running_loop().time() + limits.total_s
    transport = GuardedSession(client, address.headers, limits.max_bytes, ends_at + _LONGER_S)
    opened: list[OpenSession] = []
    outcomes: list[Answer | FootnoteError] = []
    try:
        async with _connected(transport, address.url) as session:
            # An error that flew through the library from here would come in groups.
            outcomes.append(await _outcome(session, transport, opened, work, ends_at))
    except* (anyio.BrokenResourceError, anyio.ClosedResourceError, httpx2.HTTPError, httpx2.StreamError):
        # The library's own tasks found each other gone, at the end of the session or because of the server.
        pass
    finally:
        await transport.aclose()
    outcome = outcomes[0] if outcomes else told_failure(transport.failure or ToolServerAway(_BROKE_OFF))
    if isinstance(outcome, ToolServerAway):
        outcome.made = any(one.calling for one in opened) and not outcome.rejected
    if isinstance(outcome, FootnoteError):
        raise outcome
    return outcome


async def _outcome(
    session: ClientSession,
    transport: GuardedSession,
    opened: list[OpenSession],
    work: Callable[[OpenSession], Awaitable[Answer]],
    ends_at: float,
) -> Answer | FootnoteError:
    """The work's answer, or what went wrong."""
    began = asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout_at(ends_at):
            await session.initialize()
            opened.append(OpenSession(session, transport))
            return await work(opened[0])
    except TimeoutError:
        return ToolServerAway(f"The server did not answer within {ends_at - began:.0f} seconds.")
    except (MCPError, ValidationError, RuntimeError) as error:
        return told_failure(transport.failure or _told(error))
    except FootnoteError as error:
        return error


@asynccontextmanager
async def _connected(transport: GuardedSession, url: str) -> AsyncIterator[ClientSession]:
    async with (
        httpx2.AsyncClient(transport=transport, timeout=None) as http,
        streamable_http_client(url, http_client=http) as (read, write),
        ClientSession(read, write, client_info=_INFO) as session,
    ):
        yield session


def _told(error: MCPError | ValidationError | RuntimeError) -> ToolServerAway:
    if isinstance(error, ValidationError):
        return ToolServerAway("The server answers what is no MCP.")
    if isinstance(error, RuntimeError):
        return ToolServerAway("The server speaks no version of MCP that is known here.")
    return ToolServerAway(f"The server answers with an error: {plain_text(error.error.message, 300)}")


def _listed(tool: types.Tool) -> ListedTool:
    hints = tool.annotations
    return ListedTool(
        tool.name, tool.description or "", tool.input_schema, bool(hints and hints.read_only_hint)
    )
