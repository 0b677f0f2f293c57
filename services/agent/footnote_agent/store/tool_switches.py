"""Which tools a workspace has switched off for all of its avatars."""

from sqlmodel import col, select

from footnote_agent.store.tables import ToolSwitchRow
from footnote_shared.db.engine import ReadSession, WriteSession, lock_for_transaction
from footnote_shared.kernel.clock import now


def switched_off(session: ReadSession, workspace_id: str) -> frozenset[str]:
    """Names of the tools that models may not call in this workspace."""
    query = select(ToolSwitchRow.tool).where(
        col(ToolSwitchRow.workspace_id) == workspace_id, col(ToolSwitchRow.allowed).is_(False)
    )
    return frozenset(session.exec(query).all())


def switch_tool(session: WriteSession, workspace_id: str, tool: str, *, allowed: bool) -> None:
    """Switch a tool on or off. Turns that begin from now on follow it."""
    lock_for_transaction(session, "tools", workspace_id)
    row = session.get(ToolSwitchRow, (workspace_id, tool)) or ToolSwitchRow(
        workspace_id=workspace_id, tool=tool
    )
    row.allowed, row.updated_at = allowed, now()
    session.add(row)
