"""An MCP server of the official library whose one tool writes a note, and can be held before or after it.

In its folder, `notes` holds what was written, a line each, and `held` a sign for each call that waits; it
waits until `released` is there.
"""

import asyncio
from pathlib import Path

from mcp.server.mcpserver import MCPServer
from starlette.types import ASGIApp

from footnote_testing.eventually import eventually


def noting_app(folder: Path, *, writes_first: bool) -> ASGIApp:
    """`writes_first`: the note is written before the call is held."""
    server = MCPServer("notes")

    def add(name: str, text: str) -> None:
        with (folder / name).open("a") as file:
            file.write(text)

    @server.tool()
    async def add_note(title: str) -> str:
        """Write a note down."""
        if writes_first:
            add("notes", f"{title}\n")
        add("held", "x")
        await asyncio.to_thread(eventually, (folder / "released").exists, "the call is released")
        if not writes_first:
            add("notes", f"{title}\n")
        return f"Noted: {title}"

    return server.streamable_http_app()
