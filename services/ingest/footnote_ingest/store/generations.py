"""The generation of a workspace: the number of its committed index changes. Caches have it in their keys."""

from sqlmodel import select

from footnote_ingest.store.tables import GenerationRow
from footnote_shared.db.engine import ReadSession, WriteSession, lock_for_transaction


def raise_generation(session: WriteSession, workspace_id: str) -> int:
    """Count one more change in the transaction that makes it; return the new value."""
    lock_for_transaction(session, "generation", workspace_id)
    row = session.get(GenerationRow, workspace_id)
    if row is None:
        row = GenerationRow(workspace_id=workspace_id, value=0)
    row.value += 1
    session.add(row)
    session.flush()
    return row.value


def generation(session: ReadSession, workspace_id: str) -> int:
    """The value now; 0 before the first change."""
    return (
        session.exec(select(GenerationRow.value).where(GenerationRow.workspace_id == workspace_id)).first()
        or 0
    )
