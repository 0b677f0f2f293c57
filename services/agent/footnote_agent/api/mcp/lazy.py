"""The MCP server, made with its first request. Most agents never get one, and it takes memory."""

import asyncio
from typing import TYPE_CHECKING

from footnote_agent.api.dependencies import AgentResources
from footnote_shared.web.resources import EdgeResources

if TYPE_CHECKING:
    from footnote_agent.api.mcp.server import ContextServer


class LazyContextServer:
    """Stands at `app.state.context_server` for as long as the application runs."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._server: ContextServer | None = None

    async def get(self, edge: EdgeResources, resources: AgentResources) -> "ContextServer":
        """The running server."""
        async with self._lock:
            if self._server is None:
                from footnote_agent.api.mcp.server import ContextServer  # noqa: PLC0415

                server = ContextServer(edge, resources)
                await server.start()
                self._server = server
            return self._server

    async def stop(self) -> None:
        """Stop the server if there is one."""
        if self._server is not None:
            await self._server.stop()
