"""Which tools a workspace has switched off for all of its avatars, and which ask a person first."""

from dataclasses import dataclass

from sqlmodel import col, select

from footnote_agent.store.tables import ToolSwitchRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.audit_log import add_entry
from footnote_shared.db.engine import ReadSession, WriteSession, lock_for_transaction
from footnote_shared.kernel.clock import now


@dataclass(frozen=True, slots=True)
class ToolSwitches:
    """Names of tools: those that models may not call, and those whose calls a person is asked about.

    `decided`: all that the workspace has said something about.
    """

    off: frozenset[str] = frozenset()
    ask_first: frozenset[str] = frozenset()
    decided: frozenset[str] = frozenset()


def switches_of(session: ReadSession, workspace_id: str) -> ToolSwitches:
    """The switches of the workspace."""
    rows = session.exec(select(ToolSwitchRow).where(col(ToolSwitchRow.workspace_id) == workspace_id)).all()
    return ToolSwitches(
        frozenset(row.tool for row in rows if not row.allowed),
        frozenset(row.tool for row in rows if row.ask_first),
        frozenset(row.tool for row in rows),
    )


def switch_tool(
    session: WriteSession,
    caller: Principal,
    tool: str,
    *,
    allowed: bool,
    ask_first: bool | None = None,
    asks_by_itself: bool = False,
) -> bool:
    """Switch a tool, and note a change in the audit log. None leaves as it is whether it asks first.

    Turns that begin from now on follow it. Returns whether it asks first.
    """
    lock_for_transaction(session, "tools", caller.workspace_id)
    row = session.get(ToolSwitchRow, (caller.workspace_id, tool))
    before = None if row is None else _said(row)
    row = row or ToolSwitchRow(workspace_id=caller.workspace_id, tool=tool, ask_first=asks_by_itself)
    row.allowed, row.updated_at = allowed, now()
    if ask_first is not None:
        row.ask_first = ask_first
    session.add(row)
    session.flush()
    if _said(row) != before:
        add_entry(session, caller, "tool.switched", tool, before=before, after=_said(row))
    return row.ask_first


def _said(row: ToolSwitchRow) -> dict[str, bool]:
    return {"allowed": row.allowed, "ask_first": row.ask_first}
