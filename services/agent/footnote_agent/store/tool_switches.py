"""Which tools a workspace has switched off for all of its avatars, and which ask a person first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Mapped
from sqlmodel import col

from footnote_agent.store.tables import ToolSwitchRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.audit_log import add_entry
from footnote_shared.db.engine import Database, ReadSession, WriteSession, lock_for_transaction
from footnote_shared.kernel.clock import now


@dataclass(frozen=True, slots=True)
class ToolSwitches:
    """Names of tools: those that models may not call, and those whose calls a person is asked about.

    `decided`: all that the workspace has said something about.
    """

    off: frozenset[str] = frozenset()
    ask_first: frozenset[str] = frozenset()
    decided: frozenset[str] = frozenset()


_TELLS: list[Mapped[Any]] = [
    col(ToolSwitchRow.tool),
    col(ToolSwitchRow.allowed),
    col(ToolSwitchRow.ask_first),
]
_OF_WORKSPACE = select(*_TELLS).where(col(ToolSwitchRow.workspace_id) == bindparam("workspace"))


def switches_of(session: ReadSession, workspace_id: str) -> ToolSwitches:
    """The switches of the workspace."""
    return _told(session.connection().execute(_OF_WORKSPACE, {"workspace": workspace_id}).all())


async def switches_now(database: Database, workspace_id: str) -> ToolSwitches:
    """The same as of now, which on SQLite is read on the spot: each turn waits for it."""
    rows = database.rows_at_once(_OF_WORKSPACE, {"workspace": workspace_id})
    if rows is None:
        return await database.read_async(lambda session: switches_of(session, workspace_id))
    return _told(rows)


def _told(rows: Sequence[Sequence[Any]]) -> ToolSwitches:
    return ToolSwitches(
        frozenset(tool for tool, allowed, _ in rows if not allowed),
        frozenset(tool for tool, _, ask_first in rows if ask_first),
        frozenset(tool for tool, _, _ in rows),
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
