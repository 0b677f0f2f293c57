"""Taking documents for a stage (docs/adr/0001).

To take is a short transaction of its own, so the attempt that it counts survives a crash of the worker.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy
from sqlalchemy import ColumnElement, Integer, and_, bindparam, func, not_, update
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from footnote_ingest.store.leased_row import takeable_then, then_of
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
    given = {**_given(work.policy, statuses), "hinted": hinted}
    # Most hints come when another one has brought their document along already. Such a look must not
    # wait for the database's one writer.
    with work.database.read() as session:
        wanted = [_one_of_hinted(), *([_one_untried(bounded=False)] if others else [])]
        if all(session.exec(statement, params=given).first() is None for statement in wanted):
            return Lease(work, token, [])
    with work.database.write() as session:
        # Whoever holds one of these rows holds it for a moment: to take it, or to renew a lease that has just
        # ended. A row that was skipped would wait for the sweeper.
        rows = _without_tried(work, session, list(session.exec(_hinted(), params=given)))
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
    given = {**_given(work.policy, statuses), "longest": short}
    # Most looks find nobody. They must not wait for the database's one writer, while a model stands still.
    with work.database.read() as session:
        lease.keep(set(session.exec(_ids_of_token(), params={"token": lease.token})))
        room = most - len(lease.held)
        if any(leased.attempt > 1 for leased in lease.held):
            return []
        if session.exec(_one_untried(bounded=room <= 0), params=given).first() is None:
            return []
    with work.database.write() as session:
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
        .where(_due(), col(DocumentRow.dispatched_at).is_not(None))
        .order_by(col(DocumentRow.stage_since))
        .limit(most)
    )
    return [WaitingDocument(*row) for row in session.execute(statement, _given(policy, statuses))]


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
    return LeasedDocument(
        row.id, row.workspace_id, row.version, row.status, row.attempts, row.chunks_in_work, row
    )


def _longest_waiting(
    session: WriteSession, policy: WorkPolicy, statuses: Sequence[Status]
) -> list[DocumentRow]:
    return list(session.exec(_waits_longest(), params=_given(policy, statuses)))


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
    given = {**_given(policy, statuses), "most": most, "but": but}
    if longest is not None:
        given["longest"] = longest
    return list(session.exec(_in_rounds(bounded=longest is not None), params=given))


def _given(policy: WorkPolicy, statuses: Sequence[Status]) -> dict[str, Any]:
    """What the statements below are given. To build them takes about as long as to run them."""
    return {**then_of(DocumentRow), "statuses": statuses, "tries": policy.max_attempts}


@cache
def _one_of_hinted() -> SelectOfScalar[str]:
    return select(DocumentRow.id).where(_named("hinted"), _due()).limit(1)


@cache
def _one_untried(*, bounded: bool) -> SelectOfScalar[str]:
    return select(DocumentRow.id).where(*_eligible(bounded=bounded)).limit(1)


@cache
def _hinted() -> SelectOfScalar[DocumentRow]:
    named = select(DocumentRow).where(_named("hinted"), _due())
    return named.order_by(col(DocumentRow.id)).with_for_update()


@cache
def _ids_of_token() -> SelectOfScalar[str]:
    return select(DocumentRow.id).where(col(DocumentRow.lease_token) == bindparam("token"))


@cache
def _waits_longest() -> SelectOfScalar[DocumentRow]:
    waiting = select(DocumentRow).where(_untried()).order_by(col(DocumentRow.stage_since))
    return waiting.limit(1).with_for_update(skip_locked=True)


@cache
def _in_rounds(*, bounded: bool) -> SelectOfScalar[DocumentRow]:
    age = col(DocumentRow.stage_since)
    length = col(DocumentRow.chunks_in_work)
    eligible = [*_eligible(bounded=bounded), not_(_named("but"))]
    number = func.row_number().over(partition_by=col(DocumentRow.workspace_id), order_by=(length, age))
    rounds = sqlalchemy.select(col(DocumentRow.id), number.label("number")).where(*eligible).subquery()
    statement = (
        select(DocumentRow)
        .join(rounds, rounds.c.id == col(DocumentRow.id))
        # Once more, because another worker may have taken a document after it was numbered.
        .where(*eligible)
        .order_by(rounds.c.number, length, age)
        .limit(bindparam("most", type_=Integer))
    )
    return statement.with_for_update(skip_locked=True, of=DocumentRow)


def _named(ids: str) -> ColumnElement[bool]:
    """Where the document is one of the list that the statement is given under this name."""
    return col(DocumentRow.id).in_(bindparam(ids, expanding=True))


def _eligible(*, bounded: bool) -> list[ColumnElement[bool]]:
    """What waits and was not tried yet; bounded: of no more chunks than the statement is given."""
    fits = [col(DocumentRow.chunks_in_work) <= bindparam("longest")] if bounded else []
    return [_untried(), *fits]


def _untried() -> ColumnElement[bool]:
    return and_(_due(), col(DocumentRow.dispatched_at).is_not(None), col(DocumentRow.attempts) == 0)


def _due() -> ColumnElement[bool]:
    return and_(
        col(DocumentRow.status).in_(bindparam("statuses", expanding=True)),
        takeable_then(DocumentRow),
        col(DocumentRow.attempts) < bindparam("tries"),
    )
