"""MCP servers of a workspace: queries and changes, each change with its entry in the audit log."""

from collections.abc import Collection, Iterable
from typing import Any

from sqlmodel import col, select

from footnote_agent.contracts.tool_servers import KeptTool
from footnote_agent.store.server_tables import ToolServerRow
from footnote_shared.contracts.base import from_any_release
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.audit_log import add_entry
from footnote_shared.db.engine import ReadSession, WriteSession, lock_for_transaction
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import NotFound


def credential_place(workspace_id: str, name: str) -> str:
    """Where the credential of a server belongs: moved to another one it does not open."""
    return f"tool_servers/{workspace_id}/{name}/credential"


def servers_of(session: ReadSession | WriteSession, workspace_id: str) -> list[ToolServerRow]:
    """The servers of the workspace, by name."""
    rows = select(ToolServerRow).where(col(ToolServerRow.workspace_id) == workspace_id)
    return list(session.exec(rows.order_by(col(ToolServerRow.name))))


def server_named(session: ReadSession | WriteSession, caller: Principal, name: str) -> ToolServerRow:
    """A server of the caller's workspace. Raises NotFound."""
    row = session.get(ToolServerRow, (caller.workspace_id, name))
    if row is None:
        raise NotFound
    return row


def kept_tools(row: ToolServerRow) -> list[KeptTool]:
    """The tools that were allowed."""
    return [from_any_release(KeptTool, tool) for tool in row.tools]


def lock_servers(session: WriteSession, workspace_id: str) -> None:
    """Let nobody else change servers of the workspace until the transaction ends."""
    lock_for_transaction(session, "tool_servers", workspace_id)


def keep_server(
    session: WriteSession,
    caller: Principal,
    row: ToolServerRow,
    before: dict[str, Any] | None,
    *,
    new_credential: bool,
) -> None:
    """Store a server. `before` is what `said_of` told of it, None for a new one.

    `new_credential`: it was given one, which may stand in the place of another that looks the same.
    """
    row.updated_at = now()
    session.add(row)
    session.flush()
    after = said_of(row) | ({"new_credential": True} if new_credential else {})
    if after != before:
        add_entry(session, caller, "tool_server.set", row.name, before=before, after=after)


def delete_server(session: WriteSession, caller: Principal, name: str) -> None:
    """Delete a server with its credential. Raises NotFound."""
    lock_servers(session, caller.workspace_id)
    row = server_named(session, caller, name)
    add_entry(session, caller, "tool_server.deleted", name, before=said_of(row), after=None)
    session.delete(row)


def mark_changed(
    session: WriteSession, caller: Principal, name: str, digests: Collection[tuple[str, str]]
) -> None:
    """Switch tools off whose description is another than that of the digest under which they were allowed.

    `digests`: names of tools, each with the digest that is out of date. One that was allowed anew meanwhile
    stays.
    """
    lock_servers(session, caller.workspace_id)
    row = session.get(ToolServerRow, (caller.workspace_id, name))
    if row is None:
        return
    outdated = [tool for tool in kept_tools(row) if not tool.changed and (tool.name, tool.digest) in digests]
    if not outdated:
        return
    row.tools = plain_tools(
        tool.model_copy(update={"changed": tool.changed or tool in outdated}) for tool in kept_tools(row)
    )
    session.add(row)
    names = sorted(tool.name for tool in outdated)
    add_entry(session, caller, "tool_server.changed", name, before=None, after={"tools": names})


def plain_tools(tools: Iterable[KeptTool]) -> list[dict[str, Any]]:
    """The tools as they are stored."""
    return [tool.model_dump(mode="json") for tool in tools]


def said_of(row: ToolServerRow) -> dict[str, Any]:
    """What the audit log says of a server: no credential, and nothing of its address behind the path."""
    return {
        "url": row.url.partition("?")[0],
        "enabled": row.enabled,
        "has_credential": bool(row.credential),
        "tools": {
            tool.name: {"digest": tool.digest, "reads_only": tool.reads_only, "asks_first": tool.asks_first}
            for tool in kept_tools(row)
        },
    }
