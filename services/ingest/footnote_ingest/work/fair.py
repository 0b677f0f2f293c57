"""A fair share: a workspace has only so many documents in flight and delays no other for long (spec 3.6)."""

from sqlalchemy import func, text
from sqlmodel import col, select

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
    in_flight = select(func.count()).where(col(DocumentRow.workspace_id) == workspace_id, text(IN_FLIGHT))
    room = policy.in_flight - session.exec(in_flight).one()
    room = room if most is None else min(room, most)
    if room <= 0:
        return 0
    waiting = (
        select(DocumentRow)
        .where(col(DocumentRow.workspace_id) == workspace_id, text(UNDISPATCHED))
        .order_by(col(DocumentRow.id))
        .limit(room)
        .with_for_update(skip_locked=True)
    )
    rows = list(session.exec(waiting))
    for row in rows:
        row.dispatched_at = row.available_at = now()
        session.add(row)
    dispatcher.send_after_commit(session, Task.PARSE, [row.id for row in rows])
    return len(rows)


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
