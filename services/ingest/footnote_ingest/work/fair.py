"""A fair share: a workspace has only so many documents in flight and delays no other for long (spec 3.6)."""

from functools import cache

from sqlalchemy import Integer, bindparam, func, text
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.store.tables import IN_FLIGHT, UNDISPATCHED, DocumentRow
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.db.engine import ReadSession, WriteSession
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
    given: dict[str, str | int] = {"workspace_id": workspace_id}
    room = policy.in_flight - session.exec(_count_in_flight(), params=given).one()
    room = room if most is None else min(room, most)
    if room <= 0:
        return 0
    rows = list(session.exec(_oldest_waiting(), params={**given, "room": room}))
    for row in rows:
        row.dispatched_at = row.available_at = now()
        session.add(row)
    dispatcher.send_after_commit(session, Task.PARSE, [row.id for row in rows])
    return len(rows)


@cache
def _count_in_flight() -> SelectOfScalar[int]:
    """Every upload asks this. To build it takes as long as to run it."""
    of_workspace = col(DocumentRow.workspace_id) == bindparam("workspace_id")
    return select(func.count()).where(of_workspace, text(IN_FLIGHT))


@cache
def _oldest_waiting() -> SelectOfScalar[DocumentRow]:
    of_workspace = col(DocumentRow.workspace_id) == bindparam("workspace_id")
    waiting = select(DocumentRow).where(of_workspace, text(UNDISPATCHED)).order_by(col(DocumentRow.id))
    return waiting.limit(bindparam("room", type_=Integer)).with_for_update(skip_locked=True)


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
