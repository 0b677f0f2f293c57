"""The audit log: entries are added in the transaction of the change that they tell, and never changed."""

from typing import Any

from sqlmodel import col, select

from footnote_shared.contracts.audit import AuditAction, AuditEntry
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.db.tables import AuditRow


def add_entry(
    session: WriteSession, caller: Principal, action: AuditAction, subject: str, *, before: Any, after: Any
) -> None:
    """Note what the caller changed. `before` and `after` are JSON values without secrets; None: not set."""
    session.add(
        AuditRow(
            workspace_id=caller.workspace_id,
            avatar_id=caller.avatar_id,
            action=action,
            subject=subject,
            before=before,
            after=after,
        )
    )


def list_entries(
    session: ReadSession, caller: Principal, limit: int, before_id: str | None
) -> list[AuditEntry]:
    """Entries of the caller's workspace, the newest first, at most `limit`, older than the one named."""
    query = select(AuditRow).where(col(AuditRow.workspace_id) == caller.workspace_id)
    if before_id is not None:
        query = query.where(col(AuditRow.id) < before_id)
    rows = session.exec(query.order_by(col(AuditRow.id).desc()).limit(limit)).all()
    return [
        AuditEntry(
            id=row.id,
            at=row.at,
            avatar_id=row.avatar_id,
            action=row.action,
            subject=row.subject,
            before=row.before,
            after=row.after,
        )
        for row in rows
    ]
