"""Lanes as people see them: what is live, and how far the next version is."""

from sqlalchemy import func
from sqlmodel import col, select

from footnote_ingest.contracts.lanes import Lane, LaneChecks, LaneVersionView
from footnote_ingest.lanes.steps import ENDED
from footnote_ingest.store.lane_tables import LaneChangeRow, LaneRow, LaneVersionRow
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.clock import now

_SHOWN = 10
"""Versions of a lane that are shown, the newest first."""


def lane_names(session: ReadSession) -> list[str]:
    """All lanes that have had vectors."""
    return list(session.exec(select(LaneRow.name).order_by(col(LaneRow.name))))


def lane_view(session: ReadSession | WriteSession, name: str, models: list[str]) -> Lane | None:
    """The lane with its latest versions. None if it never had vectors."""
    lane = session.get(LaneRow, name) if name.isprintable() else None
    if lane is None:
        return None
    statement = (
        select(LaneVersionRow)
        .where(col(LaneVersionRow.lane) == name)
        .order_by(col(LaneVersionRow.number).desc())
        .limit(_SHOWN)
    )
    counted = (
        select(LaneChangeRow.number, func.count())
        .where(col(LaneChangeRow.lane) == name)
        .group_by(col(LaneChangeRow.number))
    )
    waiting = dict(session.exec(counted).all())
    versions = [_version(row, waiting.get(row.number, 0)) for row in session.exec(statement)]
    return Lane(name=name, live=lane.live, models=models, versions=versions)


def _version(row: LaneVersionRow, changes: int) -> LaneVersionView:
    rate = row.rate if row.status == "building" else None
    begun_s = (now() - row.created_at).total_seconds()
    left = (row.chunks_total - row.chunks) * begun_s / row.chunks if rate and row.chunks else None
    return LaneVersionView(
        number=row.number,
        status=row.status,
        model=row.model,
        dimension=row.fingerprint["dimension"] if row.fingerprint is not None else None,
        terms=row.terms,
        documents=row.documents,
        documents_total=row.documents_total,
        chunks=row.chunks,
        chunks_total=row.chunks_total,
        embedded=row.embedded,
        changes=0 if row.status in ENDED else changes,
        takes_over=row.go,
        per_second=round(rate, 2) if rate else None,
        seconds_left=round(left, 1) if left is not None else None,
        checks=LaneChecks.model_validate(row.checks) if row.checks is not None else None,
        reason=row.reason,
        created_at=row.created_at,
        live_at=row.live_at,
        ended_at=row.ended_at,
    )
