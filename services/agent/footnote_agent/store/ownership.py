"""Whose rows a caller sees. Only this file says so: every query over a caller's rows goes through `owned`.

A thread belongs to one avatar, like a mailbox. Other avatars of the workspace do not see it, but
for answers that were shared with all of them.
"""

from typing import TypeVar

from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from footnote_agent.store.automation_tables import AutomationRow, AutomationRunRow
from footnote_agent.store.tables import (
    AnswerRecordRow,
    ApprovalRow,
    MessageRow,
    MoveRow,
    ThreadRow,
    TurnRow,
)
from footnote_shared.contracts.identity import Principal

Row = TypeVar(
    "Row",
    ThreadRow,
    TurnRow,
    MessageRow,
    MoveRow,
    AnswerRecordRow,
    ApprovalRow,
    AutomationRow,
    AutomationRunRow,
)


def owned(table: type[Row], caller: Principal) -> SelectOfScalar[Row]:
    """A query over the rows of this table that are the caller's."""
    return select(table).where(
        col(table.workspace_id) == caller.workspace_id, col(table.avatar_id) == caller.avatar_id
    )


def shared(caller: Principal) -> SelectOfScalar[MessageRow]:
    """A query over the answers that an avatar of the caller's workspace has shared with all of it."""
    return select(MessageRow).where(
        col(MessageRow.workspace_id) == caller.workspace_id, col(MessageRow.shared_at).is_not(None)
    )
