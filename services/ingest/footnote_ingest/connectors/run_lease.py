"""Holding a run of a connector while a worker syncs.

So a run that was taken over, cancelled, or lost with its connector gets no second report from whoever held it
before.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from sqlalchemy import ColumnElement, and_, or_
from sqlmodel import col, select

from footnote_ingest.hints.queues import Task
from footnote_ingest.store.connector_tables import ConnectorRow, ConnectorRunRow
from footnote_ingest.store.leased_row import takeable
from footnote_ingest.work.resources import WorkResources
from footnote_ingest.work.row_lease import RowLease, take_row
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now


class RunLease(RowLease[ConnectorRunRow]):
    """One run in the hands of one worker, with its `connector` as it was when the run was taken."""

    named = "run"

    def __init__(self, work: WorkResources, taken: ConnectorRunRow, connector: ConnectorRow) -> None:
        super().__init__(work, taken, taken.id)
        self.connector = connector

    @contextmanager
    def commit(self) -> Iterator[tuple[WriteSession, ConnectorRunRow]]:
        """One transaction that counts only while the run is ours; raises WorkLost otherwise.

        If the block lets go of the run (`put_off` or `end_run`), our work on it ends.
        """
        with self._work.database.write() as session:
            run = self.own(session)
            yield session, run
            self.hold_on(session, run)

    @contextmanager
    def commit_both(self) -> Iterator[tuple[WriteSession, ConnectorRunRow, ConnectorRow]]:
        """The same with the connector."""
        with self._work.database.write() as session:
            # The connector first, as everybody locks the two.
            connector = session.get(ConnectorRow, self.connector.id, with_for_update=True)
            run = self.own(session)
            assert connector is not None, "a connector with a run that we hold is there"
            yield session, run, connector
            self.hold_on(session, run)

    def hand_back(self, *, after: timedelta | None = None, reason: str | None = None) -> None:
        """Let go of the run, for another worker to go on, or for a while with the reason why it has to wait.

        The try does not count.
        """
        with self.commit() as (session, run):
            run.attempts = max(0, run.attempts - 1)
            put_off(run, after, reason)
            if after is None:
                self._work.dispatcher.send_after_commit(session, Task.SYNC, [run.id])


def take_run(work: WorkResources, run_id: str) -> RunLease | None:
    """Take the run, and count the try. None if it has ended, is held by another worker, or has to wait."""
    with work.database.write() as session:
        left = col(ConnectorRunRow.attempts) < work.policy.max_attempts
        wanted = select(ConnectorRunRow).where(col(ConnectorRunRow.id) == run_id, due_run(), left)
        run = take_row(work, session, wanted)
        if run is None:
            return None
        connector = session.get(ConnectorRow, run.connector_id)
        assert connector is not None, "a run goes with its connector"
        run.status = "running"
        run.started_at = run.started_at or now()
        run.reason = None
    return RunLease(work, run, connector)


def due_run() -> ColumnElement[bool]:
    """Runs that have not ended, that nobody holds, and that have nothing to wait for.

    Those of a connector that is paused or deleted wait.
    """
    stopped = select(ConnectorRow.id).where(
        or_(col(ConnectorRow.paused).is_(True), col(ConnectorRow.deleted_at).is_not(None))
    )
    return and_(
        col(ConnectorRunRow.ended_at).is_(None),
        takeable(ConnectorRunRow),
        col(ConnectorRunRow.connector_id).not_in(stopped),
    )


def put_off(run: ConnectorRunRow, after: timedelta | None, reason: str | None) -> None:
    """Let the run wait, at the end of the queue or for a while."""
    run.status = "queued"
    run.reason = reason
    run.lease_token = run.lease_until = None
    run.available_at = now() + (after or timedelta())
    run.dispatched_at = now()
