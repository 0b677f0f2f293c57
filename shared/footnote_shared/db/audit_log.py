"""The audit log: entries are added in the transaction of the act that they tell, and never changed."""

from datetime import timedelta
from typing import Any

from sqlmodel import col, delete, select

from footnote_shared.contracts.audit import OPERATOR, AuditAction, AuditEntry, AuditQuery
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.db.tables import AuditRow, AvatarRow
from footnote_shared.kernel.clock import now

KEPT = timedelta(days=400)
"""How long an entry is kept: a year, and time to look at it."""

_LONGEST_SUBJECT = 500


def add_entry(
    session: WriteSession, caller: Principal, action: AuditAction, subject: str, *, before: Any, after: Any
) -> None:
    """Note what the caller did. `before` and `after` are JSON values without secrets; None: not set."""
    session.add(
        AuditRow(
            workspace_id=caller.workspace_id,
            avatar_id=caller.avatar_id,
            action=action,
            subject=subject[:_LONGEST_SUBJECT],
            before=before,
            after=after,
        )
    )


def operator_of(workspace_id: str) -> Principal:
    """Whoever works on this workspace from the command line of the server, for the log."""
    return Principal(workspace_id=workspace_id, avatar_id=OPERATOR, scopes=frozenset())


def list_entries(
    session: ReadSession,
    caller: Principal,
    limit: int,
    before_id: str | None,
    asked: AuditQuery | None = None,
) -> list[AuditEntry]:
    """Entries of the caller's workspace, the newest first, at most `limit`, older than the one named."""
    named = (col(AvatarRow.id) == col(AuditRow.avatar_id)) & (
        col(AvatarRow.workspace_id) == col(AuditRow.workspace_id)
    )
    query = (
        select(AuditRow, AvatarRow.name)
        .join(AvatarRow, named, isouter=True)
        .where(col(AuditRow.workspace_id) == caller.workspace_id)
    )
    if before_id is not None:
        query = query.where(col(AuditRow.id) < before_id)
    if asked is not None and asked.action is not None:
        query = query.where(col(AuditRow.action).in_(asked.action))
    if asked is not None and asked.avatar_id is not None:
        query = query.where(col(AuditRow.avatar_id) == asked.avatar_id)
    if asked is not None and asked.subject is not None:
        query = query.where(col(AuditRow.subject) == asked.subject)
    if asked is not None and asked.at_from is not None:
        query = query.where(col(AuditRow.at) >= asked.at_from)
    if asked is not None and asked.at_to is not None:
        query = query.where(col(AuditRow.at) <= asked.at_to)
    rows = session.exec(query.order_by(col(AuditRow.id).desc()).limit(limit)).all()
    return [
        AuditEntry(
            id=row.id,
            at=row.at,
            avatar_id=row.avatar_id,
            avatar=name,
            action=row.action,
            subject=row.subject,
            before=row.before,
            after=row.after,
        )
        for row, name in rows
    ]


def forget_old_entries(session: WriteSession, most: int) -> int:
    """Delete some of the entries that are older than they are kept, at most `most`. Returns how many."""
    old = select(AuditRow.id).where(col(AuditRow.at) < now() - KEPT).limit(most)
    return int(session.exec(delete(AuditRow).where(col(AuditRow.id).in_(old))).rowcount)
