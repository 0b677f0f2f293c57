"""MCP servers of a workspace on the wire: what administrators set, and what they see (spec 5.5)."""

from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr

from footnote_shared.contracts.base import Moment, Request, WireModel

MOST_TOOLS = 32
"""Tools that may be allowed of one server."""

MOST_SERVERS = 8
"""Servers of one workspace."""

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
ServerName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,19}$")]


class AllowedTool(Request):
    """A tool that models may call. One that is not said to read only changes something, and asks first.

    `digest` is that of `:test`: the tool is allowed as it was looked at. Without it, one that was allowed
    before stays as it was allowed, and another one is allowed as the server describes it now.
    """

    name: str = Field(min_length=1, max_length=128)
    reads_only: bool = False
    asks_first: bool | None = Field(
        None, description="Whether a person is asked before each call. Absent: unless it reads only."
    )
    digest: Digest | None = None


class ToolServerChange(Request):
    """Body of `PUT /v1/tool-servers/{name}`. An absent `credential` and absent `tools` stay as they are."""

    url: str = Field(
        min_length=1, max_length=4096, description="Where the server answers, such as https://x/mcp."
    )
    credential: SecretStr | None = Field(
        None,
        max_length=4096,
        description="The bearer token that it asks for. It is never shown again. Empty: none. It has to be "
        "given again where the address leads to another host.",
    )
    enabled: bool = True
    tools: list[AllowedTool] | None = Field(None, max_length=MOST_TOOLS)


class ServerTool(WireModel):
    """A tool that is allowed. `called_as` is its name before models.

    `changed`: the server describes it otherwise than when it was allowed, or has it no more. It is off until
    it is allowed anew.
    """

    name: str
    called_as: str
    description: str
    reads_only: bool
    asks_first: bool
    digest: str
    state: Literal["allowed", "changed"]


class ToolServer(WireModel):
    """A server of tools, without its credential. `permitted`: the operator permits its address."""

    name: str
    url: str
    enabled: bool
    has_credential: bool
    permitted: bool
    tools: list[ServerTool]
    created_at: Moment
    updated_at: Moment


class ToolServerList(WireModel):
    """The servers of the workspace, by name."""

    items: list[ToolServer]


class DescribedTool(WireModel):
    """A tool as the server describes it now. `says_reads_only` is its own word, which proves nothing.

    `problem` says why it cannot be allowed.
    """

    name: str
    called_as: str
    description: str
    parameters: dict[str, Any]
    says_reads_only: bool
    digest: str
    state: Literal["new", "allowed", "changed"]
    problem: str | None = None


class ToolServerLook(WireModel):
    """What the server said: its tools, or a problem and who must act. `more`: it has tools beyond these."""

    tools: list[DescribedTool] = Field(default_factory=list)
    more: bool = False
    problem: str | None = None
    who_acts: Literal["administrator", "operator", "server"] | None = None


class KeptTool(WireModel):
    """An allowed tool as it lies in SQL: what the server said of it when it was allowed.

    `reads_only` and `asks_first` are the administrator's. `changed`: the server says something else since.
    """

    name: str
    called_as: str
    description: str
    parameters: dict[str, Any]
    digest: str
    reads_only: bool = False
    asks_first: bool = True
    changed: bool = False
