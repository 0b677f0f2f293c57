"""The generation of a workspace: the number of its committed index changes. Caches have it in their keys."""

from sqlalchemy import Table, bindparam, select
from sqlmodel import SQLModel

from footnote_ingest.store.tables import GenerationRow
from footnote_shared.db.engine import Database, ReadSession, WriteSession, lock_for_transaction

_TABLE: Table = SQLModel.metadata.tables[str(GenerationRow.__tablename__)]
# Every search asks for it, and to build the statement would take longer than to run it.
_VALUE = select(_TABLE.c.value).where(_TABLE.c.workspace_id == bindparam("workspace_id"))


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


async def generation_now(database: Database, workspace_id: str) -> int:
    """The value as of now, for who needs nothing else."""
    row = await database.first_async(_VALUE, {"workspace_id": workspace_id})
    return int(row[0]) if row is not None else 0


def generation(session: ReadSession, workspace_id: str) -> int:
    """The value now; 0 before the first change."""
    return session.connection().execute(_VALUE, {"workspace_id": workspace_id}).scalar() or 0
