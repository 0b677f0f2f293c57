"""The part of SQL in the deletion of a workspace: every table that the database has (ADR 0066)."""

from collections.abc import Callable

from sqlalchemy import select as sql_select
from sqlalchemy import update
from sqlmodel import col, delete

from footnote_ingest.maintenance.erased_stores import forget_streams, stop_turns
from footnote_ingest.maintenance.erasure import Erasure
from footnote_ingest.store.lane_tables import LaneChangeRow, LaneVersionRow
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.store.workspace_rows import OwnedRows, drop, rows_of_workspace, some_of
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.db.tables import WorkspaceRow

ASKED_BY = frozenset({str(LaneVersionRow.__tablename__)})
"""Tables of the deployment, whose `workspace_id` says who asked for the row."""

TURNS = "turns"
"""The agent's table of turns: by their ids Redis keeps their streams."""

AT_ONCE = 500
"""Rows of a table that one transaction removes."""

Alongside = Callable[[WriteSession, list[str]], None]
"""What the transaction that removes these documents does as well."""

_RUNNING = "running"


def drop_rows(erasure: Erasure) -> None:
    """Remove the rows of the workspace in portions, those that others hang on last, and then its own.

    Raises IntegrityError where somebody has added one meanwhile.
    """
    database, workspace_id = erasure.work.database, erasure.subject_id
    with database.read() as session:
        owned = rows_of_workspace(session.connection(), workspace_id, ASKED_BY)
    for table in owned:
        while drop_some(erasure, table, _forget_changes):
            erasure.check_slice()
    with database.write() as session:
        erasure.scrub(session)
        # From here on nobody can add a row that belongs to the workspace by a foreign key.
        row = session.get(WorkspaceRow, workspace_id, with_for_update=True)
        for table in owned:
            late = some_of(session.connection(), table, AT_ONCE)
            erasure.note_rows(session, table.name, drop(session.connection(), table, late))
        mine = col(LaneVersionRow.workspace_id) == workspace_id
        session.exec(update(LaneVersionRow).where(mine).values(workspace_id=""))
        if row is not None:
            session.delete(row)
            erasure.note_rows(session, str(WorkspaceRow.__tablename__), 1)


def drop_some(erasure: Erasure, owned: OwnedRows, alongside: Alongside) -> bool:
    """Remove a portion of a table; return whether there may be more."""
    with erasure.work.database.read() as session:
        chosen = some_of(session.connection(), owned, AT_ONCE)
        running = _running(session, owned) if owned.name == TURNS else []
    if not chosen:
        return False
    if owned.name == TURNS:
        stop_turns(erasure, running)
        forget_streams(erasure, [key for (key,) in chosen])
    with erasure.work.database.write(gives_way=True) as session:
        erasure.scrub(session)
        if owned.name == DocumentRow.__tablename__:
            alongside(session, [key for (key,) in chosen])
        if running:
            erasure.note_turns(session, running)
        erasure.note_rows(session, owned.name, drop(session.connection(), owned, chosen))
    return len(chosen) == AT_ONCE


def _forget_changes(session: WriteSession, document_ids: list[str]) -> None:
    session.exec(delete(LaneChangeRow).where(col(LaneChangeRow.document_id).in_(document_ids)))


def _running(session: ReadSession, owned: OwnedRows) -> list[str]:
    """The turns of the owner that somebody works on."""
    table = owned.table
    found = sql_select(table.c.id).where(owned.mine, table.c.status == _RUNNING)
    return list(session.connection().execute(found).scalars())
