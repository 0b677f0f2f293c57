"""The tools that models may call here, and the switch that a workspace has for each (spec 5.5)."""

from fastapi import APIRouter

from footnote_agent.api.dependencies import Resources
from footnote_agent.store.server_tables import ToolServerRow
from footnote_agent.store.tool_servers import servers_of
from footnote_agent.store.tool_switches import ToolSwitches, switch_tool, switches_of
from footnote_agent.tools.all_tools import asking_first
from footnote_agent.tools.server_tools import tools_of
from footnote_agent.tools.tool import Tool
from footnote_shared.contracts.base import Request, WireModel
from footnote_shared.db.engine import ReadSession
from footnote_shared.kernel.errors import NotFound
from footnote_shared.web.dependencies import Admin, Edge, Reader

router = APIRouter(prefix="/v1/tools", tags=["tools"])


class ToolCard(WireModel):
    """A tool as the operator has it: `label` is the line that people see while it works.

    One that `changes` something can be told to ask whoever asks the question first.
    """

    name: str
    label: str
    description: str
    allowed: bool
    changes: bool
    ask_first: bool


class ToolList(WireModel):
    """The tools, in the order in which models are told of them."""

    items: list[ToolCard]


class ToolChange(Request):
    """Body of `PUT /v1/tools/{name}`. An absent `ask_first` stays as it is."""

    allowed: bool
    ask_first: bool | None = None


@router.get("", summary="The tools that models may call, and which of them the workspace has switched off")
async def list_tools(edge: Edge, resources: Resources, caller: Reader) -> ToolList:
    """First those of Footnote, then those of MCP servers that an administrator has allowed."""

    def read(session: ReadSession) -> tuple[ToolSwitches, list[ToolServerRow]]:
        return switches_of(session, caller.workspace_id), servers_of(session, caller.workspace_id)

    known, rows = await edge.database.read_async(read)
    added = {tool.name: tool for row in rows for tool in tools_of(resources.servers, row)}
    tools = {**resources.tools, **added}
    asking = asking_first(tools, known, None)
    return ToolList(
        items=[
            _card(tool, allowed=tool.name not in known.off, ask_first=tool.name in asking)
            for tool in tools.values()
        ]
    )


@router.put("/{name}", summary="Switch a tool on or off for the workspace")
async def put_tool(
    name: str, change: ToolChange, edge: Edge, resources: Resources, caller: Admin
) -> ToolCard:
    """Turns that begin from now on follow it. What the operator has switched off stays off.
    A tool of an MCP server is switched by `PUT /v1/tool-servers/{name}`.

    A tool that asks first pauses its turn until somebody has answered `POST /v1/turns/{id}:approve`.
    """
    tool = resources.tools.get(name)
    if tool is None:
        raise NotFound
    asks = await edge.database.write_async(
        lambda session: switch_tool(
            session,
            caller,
            tool.name,
            allowed=change.allowed,
            ask_first=change.ask_first,
            asks_by_itself=tool.asks_first,
        )
    )
    return _card(tool, allowed=change.allowed, ask_first=asks)


def _card(tool: Tool, *, allowed: bool, ask_first: bool) -> ToolCard:
    return ToolCard(
        name=tool.name,
        label=tool.label,
        description=tool.spec.description,
        allowed=allowed,
        changes=tool.changes,
        ask_first=ask_first,
    )
