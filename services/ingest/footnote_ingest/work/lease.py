"""Claiming documents for a stage, and holding them while working (docs/adr/0001).

A claim is a short transaction of its own: the attempt it counts survives a crash of the worker. A result is committed only
while the lease token is still the claim's (fencing), so a worker that was paused for longer than its lease, or whose version
was superseded or deleted, cannot publish.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from sqlalchemy import ColumnElement, and_, or_, update
from sqlmodel import col, select

from footnote_ingest.parsing.failures import ParseFailed
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work import stages
from footnote_ingest.work.failures import failure_of
from footnote_ingest.work.fair import dispatch_next
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.contracts.documents import Status
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import FootnoteError, Unavailable
from footnote_shared.kernel.ids import new_id
from footnote_shared.tasks.dispatch import Dispatcher
from footnote_shared.telemetry import context, metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)


class LeaseLost(Exception):
    """The document is not ours any more: superseded, deleted, or taken over. Whatever was done for it is dropped."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A document as it was when it was claimed."""

    id: str
    workspace_id: str
    version: int
    status: Status
    attempt: int


@dataclass(frozen=True, slots=True)
class Bench:
    """What every stage works with. `worker` names the process in its leases."""

    database: Database
    dispatcher: Dispatcher
    policy: WorkPolicy
    worker: str


class Lease:
    """Claimed documents, held by a heartbeat while the `with` block runs.

    What the block raises is recorded on every document that is still held: put back with back-off, or failed. Errors that
    Footnote raises on purpose end there; anything unforeseen goes on to the caller after it has been recorded.
    """

    def __init__(self, bench: Bench, token: str, claimed: Sequence[Claimed]) -> None:
        self.claimed = list(claimed)
        self._bench = bench
        self._token = token
        self._held = {item.id: item for item in claimed}
        self._stop = threading.Event()
        self._beat = threading.Thread(target=self._keep, name="lease", daemon=True)
        self._since = {item.id: time.monotonic() for item in claimed}

    def __enter__(self) -> Self:
        if self._held:
            self._beat.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._stop.set()
        if self._beat.is_alive():
            self._beat.join()
        if error is None or isinstance(error, LeaseLost):
            return True
        for item in list(self._held.values()):
            self.give_up(item, error)
        return isinstance(error, FootnoteError | ParseFailed)

    @property
    def held(self) -> list[Claimed]:
        """What is still ours, as far as the heartbeat knows."""
        return list(self._held.values())

    @contextmanager
    def commit(self, item: Claimed) -> Iterator[tuple[WriteSession, DocumentRow]]:
        """One transaction that counts only while the document is ours; raises LeaseLost otherwise.

        Where it lets go of the document (`stages.hand_over`, `publish`, `fail`), our work on it ends.
        """
        with self._bench.database.write() as session:
            row = self._own(session, item)
            if row is None:
                self._held.pop(item.id, None)
                raise LeaseLost
            stage = row.status
            yield session, row
            ended, released = row.status != stage, row.lease_token is None
        if ended:
            seconds = time.monotonic() - self._since[item.id]
            metrics.STAGE_SECONDS.labels(stage).observe(seconds)
            _log.info(
                "document.stage_done",
                document=item.id,
                version=item.version,
                stage=stage,
                seconds=round(seconds, 3),
            )
            self._since[item.id] = time.monotonic()
        if released:
            self._held.pop(item.id, None)

    def give_up(self, item: Claimed, error: BaseException) -> None:
        """Record that the try did not succeed, if the document is still ours, and let go of it."""
        failure = failure_of(error)
        self._held.pop(item.id, None)
        _log.warning(
            "document.try_failed",
            document=item.id,
            code=failure.code,
            reason=failure.reason,
            attempt=item.attempt,
        )
        try:
            with self._bench.database.write() as session:
                row = self._own(session, item)
                if row is None:
                    return
                stages.put_back(session, row, failure, self._bench.policy)
                if row.status == "failed":
                    dispatch_next(session, self._bench.dispatcher, self._bench.policy, row.workspace_id)
        except Unavailable:
            # The lease runs out by itself, and the sweeper finds the document.
            _log.warning("document.not_released", document=item.id)

    def _own(self, session: WriteSession, item: Claimed) -> DocumentRow | None:
        statement = select(DocumentRow).where(
            col(DocumentRow.id) == item.id, col(DocumentRow.lease_token) == self._token
        )
        return session.exec(statement.with_for_update()).first()

    def _keep(self) -> None:
        while not self._stop.wait(self._bench.policy.heartbeat_s):
            try:
                with self._bench.database.write() as session:
                    ours = and_(
                        col(DocumentRow.lease_token) == self._token, col(DocumentRow.id).in_(list(self._held))
                    )
                    kept = session.exec(
                        update(DocumentRow)
                        .where(ours)
                        .values(lease_until=now() + self._bench.policy.lease)
                        .returning(col(DocumentRow.id))
                    )
                    alive = set(kept.scalars())
            except Unavailable:
                _log.warning("lease.not_extended", documents=len(self._held))
                continue
            for lost in set(self._held) - alive:
                self._held.pop(lost, None)


def claim(bench: Bench, statuses: Sequence[Status], document_id: str, *, others: int = 0) -> Lease:
    """The hinted document, and up to `others` more that wait in the same stage; what cannot be had is not in the lease.

    Documents that have been tried before are never taken as `others`: one that kills its worker must not take the rest
    with it.
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
        claimed = []
        for row in rows:
            if row.status == "queued":
                stages.advance(session, row, "extracting")
            row.attempts += 1
            row.dispatched_at = row.dispatched_at or now()
            row.lease_token = token
            row.lease_until = now() + bench.policy.lease
            session.add(row)
            claimed.append(Claimed(row.id, row.workspace_id, row.version, row.status, row.attempts))
    if claimed:
        context.workspace_id.set(claimed[0].workspace_id)
        context.subject.set(claimed[0].id)
    return Lease(bench, token, claimed)


def release_leases_of(database: Database, worker: str) -> int:
    """Let go of what an earlier life of this worker held. Called at its start, before it claims anything."""
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
