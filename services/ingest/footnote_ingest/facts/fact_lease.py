"""Holding the facts of a document while a worker reads them, as documents are held (docs/adr/0001).

What a worker has done counts only if the work still carries its token at the commit.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from types import TracebackType
from typing import Self

from sqlalchemy import ColumnElement, and_, or_, update
from sqlmodel import col, select

from footnote_ingest.store.fact_tables import FactJobRow
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.kernel.ids import new_id
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)


class FactsLost(Exception):
    """The facts are no longer ours to read: the document has changed or gone, or another worker took over."""


class FactLease:
    """The facts of one document in the hands of one worker. A heartbeat holds them in the `with` block."""

    def __init__(self, work: WorkResources, taken: FactJobRow, token: str) -> None:
        self.taken = taken
        self._work = work
        self._stop = threading.Event()
        self._beat = threading.Thread(target=self._keep_on, name="fact-lease", daemon=True)
        self._ours = and_(
            col(FactJobRow.document_id) == taken.document_id, col(FactJobRow.lease_token) == token
        )

    def __enter__(self) -> Self:
        self._beat.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._beat.join()

    def _keep_on(self) -> None:
        while not self._stop.wait(self._work.policy.heartbeat_s):
            try:
                self.keep()
            except FactsLost:
                # Whoever works finds out at the commit.
                return
            except Unavailable as error:
                _log.warning("facts.heartbeat_missed", document=self.taken.document_id, reason=error.detail)

    def keep(self) -> None:
        """Hold it for as long again. Raises FactsLost if it is no longer ours."""
        with self._work.database.write() as session:
            until = now() + self._work.policy.lease
            if session.exec(update(FactJobRow).where(self._ours).values(lease_until=until)).rowcount == 0:
                raise FactsLost

    @contextmanager
    def commit(self) -> Iterator[tuple[WriteSession, DocumentRow, FactJobRow]]:
        """One transaction that ends the work and counts only while it is ours; raises FactsLost otherwise.

        The document is locked first, as everybody locks the two.
        """
        with self._work.database.write() as session:
            row = session.get(DocumentRow, self.taken.document_id, with_for_update=True)
            job = session.exec(select(FactJobRow).where(self._ours).with_for_update()).first()
            if row is None or job is None or row.deleted_at is not None or row.live_version != job.version:
                raise FactsLost
            yield session, row, job
            job.lease_token = job.lease_until = job.dispatched_at = None
            session.add(job)

    def let_go(self, after: timedelta) -> None:
        """Let go of it without having done anything. The try does not count."""
        with self._work.database.write() as session:
            job = session.exec(select(FactJobRow).where(self._ours).with_for_update()).first()
            if job is None:
                return
            job.lease_token = job.lease_until = job.dispatched_at = None
            job.attempts = max(0, job.attempts - 1)
            job.available_at = now() + after
            session.add(job)


def take_facts(work: WorkResources, document_id: str) -> FactLease | None:
    """Take the facts of a document, and count the try. None if another worker holds them, or they wait."""
    token = f"{work.worker}:{new_id()}"
    with work.database.write() as session:
        mine = col(FactJobRow.document_id) == document_id
        free = select(FactJobRow).where(mine, unheld(), col(FactJobRow.dispatched_at).is_not(None))
        job = session.exec(free.with_for_update(skip_locked=True)).first()
        if job is None:
            return None
        job.attempts += 1
        job.lease_token, job.lease_until = token, now() + work.policy.lease
        session.add(job)
        session.flush()
        session.refresh(job)
    return FactLease(work, job, token)


def release_facts_of(database: Database, worker: str) -> int:
    """Let go of what this worker holds, and return how much. A worker calls this as it starts and stops."""
    with database.write() as session:
        mine = col(FactJobRow.lease_token).startswith(f"{worker}:", autoescape=True)
        released = update(FactJobRow).where(mine).values(lease_token=None, lease_until=now())
        return session.exec(released).rowcount


def unheld() -> ColumnElement[bool]:
    """Work that nobody holds and that has nothing to wait for."""
    moment = now()
    return and_(
        col(FactJobRow.available_at) <= moment,
        or_(col(FactJobRow.lease_until).is_(None), col(FactJobRow.lease_until) < moment),
    )
