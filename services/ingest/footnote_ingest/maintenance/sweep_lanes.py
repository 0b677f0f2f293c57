"""The sweeper's part of lanes: work whose hint or worker was lost, changes to follow, and former versions."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import and_, func, or_
from sqlmodel import col, select

from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Queue, Task
from footnote_ingest.lanes.steps import ENDED, end_version
from footnote_ingest.store import lanes
from footnote_ingest.store.lane_tables import LaneChangeRow, LaneVersionRow
from footnote_ingest.store.leased_row import takeable
from footnote_ingest.work.policy import WorkPolicy
from footnote_ingest.work.row_lease import lost_hint
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.telemetry import metrics

_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class SweptLanes:
    """What one sweep did: versions that were sent again, and former versions that were given up."""

    again: int
    retired: int


def sweep_lanes(
    database: Database,
    dispatcher: Dispatcher,
    policy: WorkPolicy,
    backlog: Callable[[Queue], int | None],
    keep: timedelta,
) -> SweptLanes:
    """Sweep once. `keep` is how long a former version stays for a rollback. Safe to race with itself."""
    retired = _retire(database, keep)
    idle = backlog(Queue.EMBED) == 0
    with database.write() as session:
        again = _send_again(session, dispatcher, policy, idle=idle)
    _report(database)
    return SweptLanes(again, retired)


def _send_again(session: WriteSession, dispatcher: Dispatcher, policy: WorkPolicy, *, idle: bool) -> int:
    """Send versions that have work and that nobody holds, if their hint is lost or seems to be."""
    changed = (
        select(LaneChangeRow.id)
        .where(
            col(LaneChangeRow.lane) == col(LaneVersionRow.lane),
            col(LaneChangeRow.number) == col(LaneVersionRow.number),
        )
        .exists()
    )
    status = col(LaneVersionRow.status)
    has_work = or_(
        status.in_(("building", "checking", "switching")),
        and_(status == "ready", col(LaneVersionRow.go).is_(True)),
        and_(status.in_(ENDED), col(LaneVersionRow.dropped_at).is_(None)),
        and_(status.in_(("ready", "live", "previous")), changed),
    )
    due = takeable(LaneVersionRow), lost_hint(LaneVersionRow, policy, idle=idle)
    statement = select(LaneVersionRow).where(has_work, *due).limit(_AT_ONCE)
    rows = list(session.exec(statement.with_for_update(skip_locked=True)))
    for row in rows:
        row.dispatched_at = now()
        row.lease_token = row.lease_until = None
        session.add(row)
    dispatcher.send_after_commit(session, Task.LANE, [row.id for row in rows])
    return len(rows)


def _retire(database: Database, keep: timedelta) -> int:
    """Give up former versions that were kept for long enough. The next sweep has them removed."""
    with database.read() as session:
        live_at = (
            select(LaneVersionRow.lane, func.max(LaneVersionRow.live_at).label("at"))
            .where(col(LaneVersionRow.status) == "live")
            .group_by(col(LaneVersionRow.lane))
            .subquery()
        )
        statement = (
            select(LaneVersionRow.id, LaneVersionRow.lane)
            .join(live_at, live_at.c.lane == col(LaneVersionRow.lane))
            .where(col(LaneVersionRow.status) == "previous", live_at.c.at < now() - keep)
        )
        due = list(session.exec(statement).all())
    for version_id, name in due:
        with database.write() as session:
            lane = lanes.locked(session, name)
            row = session.get(LaneVersionRow, version_id, with_for_update=True)
            if lane is not None and row is not None and row.status == "previous":
                end_version(lane, row, "retired")
                session.add(lane)
                session.add(row)
    return len(due)


def _report(database: Database) -> None:
    """The gauges of the version that is being built, and of the changes that wait."""
    with database.read() as session:
        statement = select(LaneVersionRow).where(
            col(LaneVersionRow.status).in_(("building", "checking", "ready", "switching"))
        )
        row = session.exec(statement.limit(1)).first()
        waiting = session.exec(select(func.count()).select_from(LaneChangeRow)).one()
    metrics.LANE_CHUNKS.labels("done").set(row.chunks if row is not None else 0)
    metrics.LANE_CHUNKS.labels("total").set(row.chunks_total if row is not None else 0)
    building = row is not None and row.status == "building"
    metrics.LANE_RATE.set((row.rate or 0.0) if row is not None and building else 0.0)
    metrics.LANE_CHANGES.set(waiting)
