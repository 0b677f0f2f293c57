"""The settings of MCP servers whose tools a workspace may add (spec 5.5)."""

from pydantic import BaseModel, Field


class ToolServerSettings(BaseModel):
    """Which servers of tools are permitted at all, and how much they may take."""

    tool_servers: str = Field(
        "",
        description="MCP servers that administrators of workspaces may add, divided by commas: hosts, which "
        "are reached by https in the public internet or in FOOTNOTE_EGRESS_ALLOW; `*` for any such host; or "
        "origins such as http://tools.internal:9000, which are reached wherever they stand. Empty: none.",
    )
    tool_server_timeout_s: float = Field(
        30.0, gt=0, le=600, description="Seconds that one call of a tool of an MCP server may take."
    )
    tool_server_bytes: int = Field(
        256 * 1024,
        ge=1024,
        le=4 * 2**20,
        description="Largest answer of an MCP server, in bytes. A larger one is read no further.",
    )
    tool_server_fresh_s: float = Field(
        300.0,
        ge=0,
        description="Seconds for which a process believes that the tools of an MCP server are as they were "
        "allowed, before it asks for their descriptions again at the next call.",
    )
