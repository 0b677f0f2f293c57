"""The gauges of ingest, which each run of the sweeper brings up to date."""

from collections.abc import Callable

from sqlalchemy import func, text
from sqlmodel import col, select

from footnote_ingest.hints.queues import Queue
from footnote_ingest.store.documents import oldest_waiting_s
from footnote_ingest.store.tables import UNSETTLED, DocumentRow
from footnote_ingest.work.stages import TRANSITIONS
from footnote_shared.db.engine import Database
from footnote_shared.db.tables import AvatarDeletionRow, WorkspaceDeletionRow
from footnote_shared.kernel.clock import now
from footnote_shared.telemetry import metrics


def report(database: Database, backlog: Callable[[Queue], int | None]) -> None:
    """Set the gauges: documents by status, how long the oldest has waited, and messages per queue."""
    with database.read() as session:
        counts = dict(
            session.exec(select(DocumentRow.status, func.count()).group_by(col(DocumentRow.status))).all()
        )
        waiting = oldest_waiting_s(session)
        document = select(func.min(DocumentRow.deleted_at)).where(
            text(UNSETTLED), col(DocumentRow.status) == "deleting"
        )
        asked = [session.exec(document).one()]
        for kind in (WorkspaceDeletionRow, AvatarDeletionRow):
            unended = select(func.min(kind.asked_at)).where(col(kind.gone_at).is_(None))
            asked.append(session.exec(unended).one())
    for status in TRANSITIONS:
        metrics.DOCUMENTS_BY_STAGE.labels(status).set(counts.get(status, 0))
    moment = now()
    metrics.OLDEST_WAITING.set(waiting or 0.0)
    waits = [(moment - one).total_seconds() for one in asked if one is not None]
    metrics.OLDEST_DELETION.set(max(waits, default=0.0))
    for queue in Queue:
        depth = backlog(queue)
        if depth is not None:
            metrics.QUEUE_DEPTH.labels(queue.value).set(depth)
    metrics.CENSUS_AT.set(moment.timestamp())
