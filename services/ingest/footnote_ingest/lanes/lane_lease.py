"""Holding a version of a lane while a worker works on it.

All that it writes to the index may be written twice.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta

from sqlmodel import col, select

from footnote_ingest.hints.queues import Task
from footnote_ingest.store import lanes
from footnote_ingest.store.lane_tables import LaneRow, LaneVersionRow
from footnote_ingest.store.leased_row import takeable
from footnote_ingest.work.resources import WorkResources
from footnote_ingest.work.row_lease import RowLease, WorkLost, take_row
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now


class LaneLease(RowLease[LaneVersionRow]):
    """One version in the hands of one worker. To load its model can take longer than a lease."""

    named = "lane"

    @property
    def subject(self) -> Mapping[str, object]:
        return {"version": self.taken.number}

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
            row = self.own(session)
            if lane is None:
                raise WorkLost
            yield session, row, lane
            self.hold_on(session, row)
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
    with work.database.write() as session:
        wanted = select(LaneVersionRow).where(col(LaneVersionRow.id) == version_id, takeable(LaneVersionRow))
        row = take_row(work, session, wanted)
    return LaneLease(work, row, version_id) if row is not None else None
