"""Taking documents for a stage (docs/adr/0001).

To take is a short transaction of its own, so the attempt that it counts survives a crash of the worker.
"""

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy
from sqlalchemy import ColumnElement, and_, func, update
from sqlmodel import col, select

from footnote_ingest.store.leased_row import takeable
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work import stages
from footnote_ingest.work.lease import Lease, LeasedDocument
from footnote_ingest.work.policy import WorkPolicy
from footnote_ingest.work.resources import WorkResources
from footnote_shared.contracts.documents import Status
from footnote_shared.db.engine import Database, ReadSession, WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id
from footnote_shared.telemetry import context

_SHORT_BESIDE = 8
"""Short documents that are taken at once beyond what a lease may hold."""


class WaitingDocument(NamedTuple):
    """A document that is in flight and held by nobody. `size` is in bytes, `chunks` belong to its stage."""

    id: str
    workspace_id: str
    status: Status
    mime: str
    size: int
    chunks: int


def take(
    work: WorkResources,
    statuses: Sequence[Status],
    *hinted: str,
    others: int = 0,
    longest: int | None = None,
) -> Lease:
    """Take the hinted documents, and up to `others` more that wait in the same stage.

    `longest` is the most chunks that one of the others may have.
    The others come from the workspaces one by one, and the shortest document of each comes first. A
    document that cannot be taken is missing from the lease, which may therefore be empty. A document that
    has been tried before is taken by itself: if it kills its worker, it must not take the rest of a batch
    with it. Of several hinted ones it is sent a hint of its own.
    """
    token = f"{work.worker}:{new_id()}"
    hint_holds = and_(col(DocumentRow.id).in_(hinted), _due(work.policy, statuses))
    # Most hints come when another one has brought their document along already. Such a look must not
    # wait for the database's one writer.
    with work.database.read() as session:
        wanted = [hint_holds, *([_untried(work.policy, statuses)] if others else [])]
        looks = (session.exec(select(DocumentRow.id).where(where).limit(1)).first() for where in wanted)
        if all(found is None for found in looks):
            return Lease(work, token, [])
    with work.database.write() as session:
        # Whoever holds one of these rows holds it for a moment: to take it, or to renew a lease that has just
        # ended. A row that was skipped would wait for the sweeper.
        due = select(DocumentRow).where(hint_holds).order_by(col(DocumentRow.id)).with_for_update()
        rows = _without_tried(work, session, list(session.exec(due)))
        if others and (not rows or rows[0].attempts == 0):
            rows += _round_robin(session, work.policy, statuses, others, but=hinted, longest=longest)
        taken = [_hold(session, work.policy, row, token) for row in rows]
    if taken:
        context.workspace_id.set(taken[0].workspace_id)
        context.subject.set(taken[0].id)
    return Lease(work, token, taken)


def take_more(
    work: WorkResources, lease: Lease, statuses: Sequence[Status], most: int, *, short: int
) -> list[LeasedDocument]:
    """Take documents that have come to wait since, into a lease that holds others; return the new ones.

    The lease holds at most `most` documents, the one that has waited longest among them, so that none waits
    for ever. Documents of at most `short` chunks are taken even then. Documents of the lease that are no
    longer ours are dropped at once.
    """
    with work.database.write() as session:
        ours = select(DocumentRow.id).where(col(DocumentRow.lease_token) == lease.token)
        lease.keep(set(session.exec(ours)))
        held = lease.held
        if any(leased.attempt > 1 for leased in held):
            return []
        room = most - len(held)
        rows = _longest_waiting(session, work.policy, statuses) if room > 0 else []
        but = [row.id for row in rows]
        if room > 1:
            rows += _round_robin(session, work.policy, statuses, room - 1, but=but)
        if room <= 1:
            rows += _round_robin(session, work.policy, statuses, _SHORT_BESIDE, but=but, longest=short)
        taken = [_hold(session, work.policy, row, lease.token) for row in rows]
    lease.join(taken)
    return taken


def waiting_longest(
    session: ReadSession, policy: WorkPolicy, statuses: Sequence[Status], most: int
) -> list[WaitingDocument]:
    """Documents that are in flight and held by nobody, the one that has waited longest first."""
    columns = (
        col(DocumentRow.id),
        col(DocumentRow.workspace_id),
        col(DocumentRow.status),
        col(DocumentRow.mime),
        col(DocumentRow.size),
        col(DocumentRow.chunks_in_work),
    )
    statement = (
        sqlalchemy.select(*columns)
        .where(_due(policy, statuses), col(DocumentRow.dispatched_at).is_not(None))
        .order_by(col(DocumentRow.stage_since))
        .limit(most)
    )
    return [WaitingDocument(*row) for row in session.execute(statement)]


def release_leases_of(database: Database, worker: str, *, try_counts: bool = True) -> int:
    """Let go of all that this worker holds, and return how many documents that were.

    A worker calls this when it starts, before it takes anything: an earlier life of it died with them, and
    the try counts. It calls this when it stops, too: then the try does not.
    """
    given_back = 0 if try_counts else 1
    with database.write() as session:
        mine = col(DocumentRow.lease_token).startswith(f"{worker}:", autoescape=True)
        tries = col(DocumentRow.attempts) - given_back
        in_order = select(DocumentRow.id).where(mine).order_by(col(DocumentRow.id)).with_for_update()
        ids = list(session.exec(in_order))
        released = update(DocumentRow).where(col(DocumentRow.id).in_(ids))
        session.exec(released.values(lease_token=None, lease_until=now(), attempts=tries))
        return len(ids)


def _without_tried(work: WorkResources, session: WriteSession, rows: list[DocumentRow]) -> list[DocumentRow]:
    """Those of the rows that can be worked on together: one, or several of which none has been tried before.

    A hint is sent for each of the others.
    """
    together = [row for row in rows if row.attempts == 0] or rows[:1]
    for row in rows:
        if row not in together:
            work.dispatcher.send_after_commit(session, stages.TASK_OF[row.status], [row.id])
    return together


def _hold(session: WriteSession, policy: WorkPolicy, row: DocumentRow, token: str) -> LeasedDocument:
    """Write the lease into the row, and count the attempt."""
    if row.status == "queued":
        stages.advance(session, row, "extracting")
    row.attempts += 1
    row.dispatched_at = row.dispatched_at or now()
    row.lease_token = token
    row.lease_until = now() + policy.lease
    session.add(row)
    return LeasedDocument(row.id, row.workspace_id, row.version, row.status, row.attempts, row.chunks_in_work)


def _longest_waiting(
    session: WriteSession, policy: WorkPolicy, statuses: Sequence[Status]
) -> list[DocumentRow]:
    statement = select(DocumentRow).where(_untried(policy, statuses)).order_by(col(DocumentRow.stage_since))
    return list(session.exec(statement.limit(1).with_for_update(skip_locked=True)))


def _round_robin(
    session: WriteSession,
    policy: WorkPolicy,
    statuses: Sequence[Status],
    most: int,
    *,
    but: Sequence[str],
    longest: int | None = None,
) -> list[DocumentRow]:
    """Documents that wait: the shortest of each workspace, then the second of each, and so on.

    `longest` is the most chunks that a document may have.
    """
    age = col(DocumentRow.stage_since)
    length = col(DocumentRow.chunks_in_work)
    eligible = [_untried(policy, statuses), col(DocumentRow.id).not_in(but)]
    if longest is not None:
        eligible.append(length <= longest)
    number = func.row_number().over(partition_by=col(DocumentRow.workspace_id), order_by=(length, age))
    rounds = select(DocumentRow.id, number.label("number")).where(*eligible).subquery()
    statement = (
        select(DocumentRow)
        .join(rounds, rounds.c.id == col(DocumentRow.id))
        # Once more, because another worker may have taken a document after it was numbered.
        .where(*eligible)
        .order_by(rounds.c.number, length, age)
        .limit(most)
    )
    return list(session.exec(statement.with_for_update(skip_locked=True, of=DocumentRow)))


def _untried(policy: WorkPolicy, statuses: Sequence[Status]) -> ColumnElement[bool]:
    return and_(
        _due(policy, statuses), col(DocumentRow.dispatched_at).is_not(None), col(DocumentRow.attempts) == 0
    )


def _due(policy: WorkPolicy, statuses: Sequence[Status]) -> ColumnElement[bool]:
    return and_(
        col(DocumentRow.status).in_(statuses),
        takeable(DocumentRow),
        col(DocumentRow.attempts) < policy.max_attempts,
    )
