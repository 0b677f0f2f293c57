"""MCP servers that the workspace has added, for its administrators."""

from collections.abc import Mapping, Sequence
from typing import Any

from footnote_client.blocking.server_link import ServerLink
from footnote_client.call import Call
from footnote_client.models import ToolServer, ToolServerList, ToolServerLook

_ONE = "/v1/tool-servers/{name}"


class ToolServerCalls:
    """`client.tool_servers`."""

    def __init__(self, link: ServerLink) -> None:
        self._link = link

    def all(self) -> ToolServerList:
        """The servers of the workspace, by name."""
        return self._link.send(Call("GET", "/v1/tool-servers", ToolServerList))

    def get(self, name: str) -> ToolServer:
        return self._link.send(Call("GET", _ONE, ToolServer, {"name": name}))

    def store(
        self,
        name: str,
        url: str,
        *,
        credential: str | None = None,
        enabled: bool = True,
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> ToolServer:
        """Add a server, or change it. What is None stays as it is.

        Each of `tools` has a `name`, and may have `reads_only`, `asks_first` and the `digest` of `look`.
        """
        body = {
            "url": url,
            "credential": credential,
            "enabled": enabled,
            "tools": None if tools is None else [dict(tool) for tool in tools],
        }
        return self._link.send(Call("PUT", _ONE, ToolServer, {"name": name}, body=body))

    def look(self, name: str) -> ToolServerLook:
        """The tools as the server describes them now, or what is wrong and who can act."""
        return self._link.send(Call("POST", f"{_ONE}:test", ToolServerLook, {"name": name}))

    def delete(self, name: str) -> None:
        """Remove a server with its credential."""
        self._link.send(Call("DELETE", _ONE, type(None), {"name": name}))
