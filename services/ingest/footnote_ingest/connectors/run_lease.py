"""Holding a run while a worker syncs, as documents are held (docs/adr/0001).

What a worker has done counts only if the run still carries its token at the commit. So a run that was taken
over, cancelled, or lost with its connector gets no second report from whoever held it before.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from types import TracebackType
from typing import Self

from sqlalchemy import ColumnElement, and_, or_, update
from sqlmodel import col, select

from footnote_ingest.hints.queues import Task
from footnote_ingest.store.connector_tables import ConnectorRow, ConnectorRunRow
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.kernel.ids import new_id
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)


class RunLost(Exception):
    """The run is no longer ours."""


@dataclass(frozen=True, slots=True)
class TakenRun:
    """A run and its connector as they were when the run was taken."""

    run: ConnectorRunRow
    connector: ConnectorRow


class RunLease:
    """One run in the hands of one worker. A heartbeat holds it while the `with` block runs."""

    def __init__(self, work: WorkResources, taken: TakenRun, token: str) -> None:
        self.taken = taken
        self._work = work
        self._token = token
        self._lost = threading.Event()
        self._stop = threading.Event()
        self._beat = threading.Thread(target=self._keep, name="run-lease", daemon=True)

    def __enter__(self) -> Self:
        self._beat.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._beat.join()

    @property
    def lost(self) -> bool:
        """Whether the run is no longer ours, as far as the heartbeat knows."""
        return self._lost.is_set()

    @contextmanager
    def commit(self) -> Iterator[tuple[WriteSession, ConnectorRunRow]]:
        """One transaction that counts only while the run is ours; raises RunLost otherwise.

        If the block lets go of the run (`put_off` or `end_run`), our work on it ends.
        """
        with self._work.database.write() as session:
            run = self._own(session)
            yield session, run
            self._keep_on(session, run)

    @contextmanager
    def commit_both(self) -> Iterator[tuple[WriteSession, ConnectorRunRow, ConnectorRow]]:
        """The same with the connector."""
        with self._work.database.write() as session:
            # The connector first, as everybody locks the two.
            connector = session.get(ConnectorRow, self.taken.connector.id, with_for_update=True)
            run = self._own(session)
            assert connector is not None, "a connector with a run that we hold is there"
            yield session, run, connector
            self._keep_on(session, run)

    def hand_back(self, *, after: timedelta | None = None, reason: str | None = None) -> None:
        """Let go of the run, for another worker to go on, or for a while with the reason why it has to wait.

        The try does not count.
        """
        with self.commit() as (session, run):
            run.attempts = max(0, run.attempts - 1)
            put_off(run, after, reason)
            if after is None:
                self._work.dispatcher.send_after_commit(session, Task.SYNC, [run.id])

    def _keep_on(self, session: WriteSession, run: ConnectorRunRow) -> None:
        if run.lease_token is not None:
            run.lease_until = now() + self._work.policy.lease
        session.add(run)

    def _own(self, session: WriteSession) -> ConnectorRunRow:
        ours = select(ConnectorRunRow).where(
            col(ConnectorRunRow.id) == self.taken.run.id, col(ConnectorRunRow.lease_token) == self._token
        )
        run = session.exec(ours.with_for_update()).first()
        if run is None:
            self._lost.set()
            raise RunLost
        return run

    def _keep(self) -> None:
        while not self._stop.wait(self._work.policy.heartbeat_s):
            try:
                with self._work.database.write() as session:
                    ours = and_(
                        col(ConnectorRunRow.id) == self.taken.run.id,
                        col(ConnectorRunRow.lease_token) == self._token,
                    )
                    moved = session.exec(
                        update(ConnectorRunRow)
                        .where(ours)
                        .values(lease_until=now() + self._work.policy.lease)
                    )
                    if moved.rowcount == 0:
                        self._lost.set()
                        return
            except Unavailable as error:
                # The next beat may come through; a commit finds out in any case whether the run is ours.
                _log.warning("run.heartbeat_missed", run=self.taken.run.id, reason=error.detail)


def take_run(work: WorkResources, run_id: str) -> RunLease | None:
    """Take the run, and count the try. None if it has ended, is held by another worker, or has to wait."""
    token = f"{work.worker}:{new_id()}"
    with work.database.write() as session:
        free = select(ConnectorRunRow).where(col(ConnectorRunRow.id) == run_id, due_run())
        run = session.exec(free.with_for_update(skip_locked=True)).first()
        if run is None or run.attempts >= work.policy.max_attempts:
            return None
        connector = session.get(ConnectorRow, run.connector_id)
        if connector is None:
            return None
        run.status = "running"
        run.started_at = run.started_at or now()
        run.attempts += 1
        run.reason = None
        run.lease_token, run.lease_until = token, now() + work.policy.lease
        session.add(run)
        session.flush()
        taken = TakenRun(run, connector)
    return RunLease(work, taken, token)


def release_runs_of(database: Database, worker: str) -> int:
    """Let go of the runs that this worker holds, and return how many. A worker calls this as it starts and
    as it stops."""
    with database.write() as session:
        mine = col(ConnectorRunRow.lease_token).startswith(f"{worker}:", autoescape=True)
        released = update(ConnectorRunRow).where(mine).values(lease_token=None, lease_until=now())
        return session.exec(released).rowcount


def due_run() -> ColumnElement[bool]:
    """Runs that have not ended, that nobody holds, and that have nothing to wait for.

    Those of a connector that is paused or deleted wait.
    """
    moment = now()
    stopped = select(ConnectorRow.id).where(
        or_(col(ConnectorRow.paused).is_(True), col(ConnectorRow.deleted_at).is_not(None))
    )
    return and_(
        col(ConnectorRunRow.ended_at).is_(None),
        col(ConnectorRunRow.available_at) <= moment,
        or_(col(ConnectorRunRow.lease_until).is_(None), col(ConnectorRunRow.lease_until) < moment),
        col(ConnectorRunRow.connector_id).not_in(stopped),
    )


def put_off(run: ConnectorRunRow, after: timedelta | None, reason: str | None) -> None:
    """Let the run wait, at the end of the queue or for a while."""
    run.status = "queued"
    run.reason = reason
    run.lease_token = run.lease_until = None
    run.available_at = now() + (after or timedelta())
    run.dispatched_at = now()
