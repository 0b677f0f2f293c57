"""Whose rows a caller sees. Only this file says so: every query over a caller's rows goes through `owned`.

A thread belongs to one avatar, like a mailbox. Other avatars of the workspace do not see it, but
for answers that were shared with all of them.
"""

from functools import cache
from typing import TypeVar

from sqlalchemy import bindparam
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
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.ids import is_id

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

RowWithId = TypeVar("RowWithId", ThreadRow, TurnRow)


def owned(table: type[Row], caller: Principal) -> SelectOfScalar[Row]:
    """A query over the rows of this table that are the caller's."""
    return select(table).where(
        col(table.workspace_id) == caller.workspace_id, col(table.avatar_id) == caller.avatar_id
    )


@cache
def _owned_by_id(table: type[RowWithId]) -> SelectOfScalar[RowWithId]:
    """The caller's row with an id. Built once: each turn asks it several times."""
    return select(table).where(
        col(table.workspace_id) == bindparam("owner_workspace"),
        col(table.avatar_id) == bindparam("owner_avatar"),
        col(table.id) == bindparam("row_id"),
    )


def find_owned(
    session: ReadSession | WriteSession, table: type[RowWithId], caller: Principal, row_id: str
) -> RowWithId | None:
    """The row with this id if it is the caller's."""
    if not is_id(row_id):
        return None
    return session.exec(_owned_by_id(table), params=_named(caller, row_id)).first()


def _named(caller: Principal, row_id: str) -> dict[str, str]:
    return {"owner_workspace": caller.workspace_id, "owner_avatar": caller.avatar_id, "row_id": row_id}


def shared(caller: Principal) -> SelectOfScalar[MessageRow]:
    """A query over the answers that an avatar of the caller's workspace has shared with all of it."""
    return select(MessageRow).where(
        col(MessageRow.workspace_id) == caller.workspace_id, col(MessageRow.shared_at).is_not(None)
    )
