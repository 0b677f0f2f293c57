"""Holding a version of a lane while a worker works on it, as documents are held (docs/adr/0001).

What a worker has done counts only if the version still carries its token at the commit. All that it writes to
the index may be written twice.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from types import TracebackType
from typing import Self

from sqlalchemy import ColumnElement, and_, or_, update
from sqlmodel import col, select

from footnote_ingest.hints.queues import Task
from footnote_ingest.store import lanes
from footnote_ingest.store.lane_tables import LaneRow, LaneVersionRow
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.kernel.ids import new_id
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)


class WorkLost(Exception):
    """The version is no longer ours: it was taken over, or somebody has cancelled it."""


class LaneLease:
    """One version in the hands of one worker, as it was when it was taken.

    A heartbeat holds it while the `with` block runs: to load a model can take longer than a lease.
    """

    def __init__(self, work: WorkResources, taken: LaneVersionRow, token: str) -> None:
        self.taken = taken
        self._work = work
        self._stop = threading.Event()
        self._beat = threading.Thread(target=self._keep_on, name="lane-lease", daemon=True)
        self._ours = and_(col(LaneVersionRow.id) == taken.id, col(LaneVersionRow.lease_token) == token)

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
            except WorkLost:
                # Whoever works finds out at the next commit, or before the next points are written.
                return
            except Unavailable as error:
                _log.warning("lane.heartbeat_missed", version=self.taken.number, reason=error.detail)

    def keep(self) -> None:
        """Hold it for as long again. Raises WorkLost if it is no longer ours."""
        with self._work.database.write() as session:
            until = now() + self._work.policy.lease
            if session.exec(update(LaneVersionRow).where(self._ours).values(lease_until=until)).rowcount == 0:
                raise WorkLost

    @contextmanager
    def commit(self) -> Iterator[tuple[WriteSession, LaneVersionRow]]:
        """One transaction that counts only while the version is ours; raises WorkLost otherwise."""
        with self.commit_with_lane() as (session, row, _):
            yield session, row

    @contextmanager
    def commit_with_lane(
        self, *, change: bool = False
    ) -> Iterator[tuple[WriteSession, LaneVersionRow, LaneRow]]:
        """The same with the lane, which is locked if it is to `change`."""
        with self._work.database.write() as session:
            # The lane first, as everybody locks the two.
            hold = lanes.locked if change else lanes.held
            lane = hold(session, self.taken.lane)
            row = session.exec(select(LaneVersionRow).where(self._ours).with_for_update()).first()
            if lane is None or row is None:
                raise WorkLost
            yield session, row, lane
            if row.lease_token is not None:
                row.lease_until = now() + self._work.policy.lease
            session.add(row)
            session.add(lane)

    def let_go(
        self, *, again: bool, after: timedelta | None = None, reason: str | None = None, counts: bool = False
    ) -> None:
        """Let go of it. With `again` another worker goes on at once, or after a while."""
        with self.commit() as (session, row):
            row.lease_token = row.lease_until = None
            row.attempts = row.attempts if counts else max(0, row.attempts - 1)
            keeps = row.status not in ("building", "checking", "switching", "live", "previous")
            row.reason = reason or (row.reason if keeps else None)
            row.available_at = now() + (after or timedelta())
            row.dispatched_at = now()
            if again and after is None:
                self._work.dispatcher.send_after_commit(session, Task.LANE, [row.id])


def take_version(work: WorkResources, version_id: str) -> LaneLease | None:
    """Take the version, and count the try. None if another worker holds it, or it has to wait."""
    token = f"{work.worker}:{new_id()}"
    with work.database.write() as session:
        free = select(LaneVersionRow).where(col(LaneVersionRow.id) == version_id, unheld())
        row = session.exec(free.with_for_update(skip_locked=True)).first()
        if row is None:
            return None
        row.attempts += 1
        row.lease_token, row.lease_until = token, now() + work.policy.lease
        session.add(row)
        session.flush()
        session.refresh(row)
    return LaneLease(work, row, token)


def release_versions_of(database: Database, worker: str) -> int:
    """Let go of the versions that this worker holds, and return how many. A worker calls this as it starts
    and as it stops."""
    with database.write() as session:
        mine = col(LaneVersionRow.lease_token).startswith(f"{worker}:", autoescape=True)
        released = update(LaneVersionRow).where(mine).values(lease_token=None, lease_until=now())
        return session.exec(released).rowcount


def unheld() -> ColumnElement[bool]:
    """Versions that nobody holds and that have nothing to wait for."""
    moment = now()
    return and_(
        col(LaneVersionRow.available_at) <= moment,
        or_(col(LaneVersionRow.lease_until).is_(None), col(LaneVersionRow.lease_until) < moment),
    )
