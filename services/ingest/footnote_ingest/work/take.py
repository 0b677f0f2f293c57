"""Taking documents for a stage (docs/adr/0001).

To take is a short transaction of its own, so the attempt that it counts survives a crash of the worker.
"""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, and_, or_, update
from sqlmodel import col, select

from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work import stages
from footnote_ingest.work.bench import Bench
from footnote_ingest.work.lease import Lease, LeasedDocument
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.contracts.documents import Status
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id
from footnote_shared.telemetry import context


def take(bench: Bench, statuses: Sequence[Status], document_id: str, *, others: int = 0) -> Lease:
    """Take the hinted document, and up to `others` more that wait in the same stage.

    A document that cannot be taken is missing from the lease, which may therefore be empty. A document that
    has been tried before is never one of the `others`: if it kills its worker, it must not take the rest of a
    batch with it.
    """
    token = f"{bench.worker}:{new_id()}"
    with bench.database.write() as session:
        hinted = select(DocumentRow).where(col(DocumentRow.id) == document_id, _due(bench.policy, statuses))
        rows = list(session.exec(hinted.with_for_update(skip_locked=True)))
        if others and (not rows or rows[0].attempts == 0):
            more = (
                select(DocumentRow)
                .where(_due(bench.policy, statuses), col(DocumentRow.dispatched_at).is_not(None))
                .where(col(DocumentRow.attempts) == 0, col(DocumentRow.id) != document_id)
                .order_by(col(DocumentRow.stage_since))
                .limit(others)
                .with_for_update(skip_locked=True)
            )
            rows += session.exec(more)
        taken = []
        for row in rows:
            if row.status == "queued":
                stages.advance(session, row, "extracting")
            row.attempts += 1
            row.dispatched_at = row.dispatched_at or now()
            row.lease_token = token
            row.lease_until = now() + bench.policy.lease
            session.add(row)
            taken.append(LeasedDocument(row.id, row.workspace_id, row.version, row.status, row.attempts))
    if taken:
        context.workspace_id.set(taken[0].workspace_id)
        context.subject.set(taken[0].id)
    return Lease(bench, token, taken)


def release_leases_of(database: Database, worker: str) -> int:
    """Let go of what an earlier life of this worker held, and return how many documents that were.

    A worker calls this when it starts, before it takes anything.
    """
    with database.write() as session:
        mine = col(DocumentRow.lease_token).startswith(f"{worker}:", autoescape=True)
        result = session.exec(update(DocumentRow).where(mine).values(lease_token=None, lease_until=now()))
        return int(result.rowcount)


def _due(policy: WorkPolicy, statuses: Sequence[Status]) -> ColumnElement[bool]:
    return and_(
        col(DocumentRow.status).in_(statuses),
        or_(col(DocumentRow.lease_until).is_(None), col(DocumentRow.lease_until) < now()),
        col(DocumentRow.available_at) <= now(),
        col(DocumentRow.attempts) < policy.max_attempts,
    )
