"""`POST /mcp`: where MCP clients come in, with the key of their caller."""

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from footnote_agent.api.dependencies import Resources
from footnote_agent.api.mcp.lazy import LazyContextServer
from footnote_shared.telemetry import context
from footnote_shared.web.dependencies import Edge, Reader, from_state

if TYPE_CHECKING:
    from footnote_agent.api.mcp.server import ContextServer

router = APIRouter(tags=["mcp"])

_Server = Annotated[LazyContextServer, Depends(from_state("context_server"))]


class _Handed(Response):
    """An answer that the server writes itself."""

    def __init__(self, server: "ContextServer") -> None:
        super().__init__()
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._server.serve(scope, receive, send)


@router.post("/mcp", include_in_schema=False)
async def context_protocol(
    request: Request, edge: Edge, resources: Resources, server: _Server, caller: Reader
) -> Response:
    """One message of an MCP client (streamable HTTP, without sessions of that protocol)."""
    request.state.caller, request.state.traceparent = caller, context.traceparent()
    return _Handed(await server.get(edge, resources))
