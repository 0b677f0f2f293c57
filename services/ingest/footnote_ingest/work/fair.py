"""A fair share: a workspace has only so many documents in flight and delays no other for long (spec 3.6)."""

from functools import cache
from typing import Any

from sqlalchemy import Integer, bindparam, func, text, update
from sqlalchemy import select as sql_select
from sqlalchemy.sql.dml import ReturningUpdate
from sqlmodel import SQLModel, col, select
from sqlmodel.sql.expression import SelectOfScalar

from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.store.tables import IN_FLIGHT, UNDISPATCHED, DocumentRow
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.db.tables import UtcDateTime
from footnote_shared.kernel.clock import now


def dispatch_next(
    session: WriteSession,
    dispatcher: Dispatcher,
    policy: WorkPolicy,
    workspace_id: str,
    *,
    most: int | None = None,
) -> int:
    """Put the workspace's oldest waiting documents in flight, as far as there is room; return how many.

    `most` bounds how many this call may put in flight. The hints are sent after the commit.
    """
    of_workspace = {"workspace_id": workspace_id}
    room = policy.in_flight - session.exec(_count_in_flight(), params=of_workspace).one()
    room = room if most is None else min(room, most)
    if room <= 0:
        return 0
    given = {"tenant": workspace_id, "room": room, "moment": now()}
    ids = sorted(session.connection().execute(_put_in_flight(), given).scalars())
    if ids:
        dispatcher.send_after_commit(session, Task.PARSE, ids)
    return len(ids)


@cache
def _count_in_flight() -> SelectOfScalar[int]:
    """Every upload asks this. To build it takes as long as to run it."""
    of_workspace = col(DocumentRow.workspace_id) == bindparam("workspace_id")
    return select(func.count()).where(of_workspace, text(IN_FLIGHT))


@cache
def _put_in_flight() -> ReturningUpdate[Any]:
    """The oldest that wait, in one statement: which they are is chosen, and locked, once."""
    documents = SQLModel.metadata.tables[str(DocumentRow.__tablename__)]
    waiting = documents.c.workspace_id == bindparam("tenant"), text(UNDISPATCHED)
    oldest = sql_select(documents.c.id).where(*waiting).order_by(documents.c.id)
    chosen = oldest.limit(bindparam("room", type_=Integer)).with_for_update(skip_locked=True).cte("chosen")
    moment = bindparam("moment", type_=UtcDateTime())
    return (
        update(documents)
        .where(documents.c.id.in_(sql_select(chosen.c.id)))
        .values(available_at=moment, dispatched_at=moment)
        .returning(documents.c.id)
    )


def waiting_workspaces(session: ReadSession) -> list[str]:
    """The workspaces in which documents wait to be sent.

    Each costs one index probe, however many documents wait.
    """
    found: list[str] = []
    while True:
        following = select(func.min(DocumentRow.workspace_id)).where(
            text(UNDISPATCHED), col(DocumentRow.workspace_id) > (found[-1] if found else "")
        )
        workspace_id = session.exec(following).one()
        if workspace_id is None:
            return found
        found.append(workspace_id)
