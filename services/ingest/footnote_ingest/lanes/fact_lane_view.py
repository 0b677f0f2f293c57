"""The lane of facts as people see it: it takes the model of the documents' lane by itself (docs/adr/0063)."""

from collections.abc import Collection

from sqlalchemy import and_, case, func
from sqlmodel import col, select

from footnote_ingest.contracts.lanes import Lane, LaneVersionView
from footnote_ingest.store import lanes
from footnote_ingest.store.fact_tables import FactJobRow, FactRow
from footnote_ingest.store.lane_tables import LaneVersionRow
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.db.engine import ReadSession


def fact_lane_view(session: ReadSession, name: str, documents: str, allowed: Collection[str]) -> Lane | None:
    """How many documents have been read, with their facts by the model that documents are searched with.

    `documents` is the lane that it follows, and its version has the number of that lane's live one. None
    where nothing may be read for facts, or nothing was to be.
    """
    live = lanes.live_version(session, documents)
    if live is None or not allowed:
        return None
    version, _ = live
    made = session.exec(
        select(LaneVersionRow).where(
            col(LaneVersionRow.lane) == documents, col(LaneVersionRow.number) == version.number
        )
    ).one()
    job, facts = col(FactJobRow.document_id), func.count(col(FactRow.id))
    is_done = and_(
        col(FactJobRow.status) == "completed", col(FactJobRow.lane_digest) == version.fingerprint.digest
    )
    each = (
        select(case((is_done, True), else_=False).label("done"), col(FactJobRow.status), facts.label("facts"))
        .join(DocumentRow, col(DocumentRow.id) == job)
        .outerjoin(FactRow, col(FactRow.document_id) == job)
        .where(
            col(FactJobRow.classification).in_(sorted(allowed)),
            col(FactJobRow.status) != "failed",
            col(DocumentRow.deleted_at).is_(None),
        )
        .group_by(job, is_done, col(FactJobRow.status))
        .subquery()
    )
    counted = select(each.c.done, func.count(), func.coalesce(func.sum(each.c.facts), 0)).group_by(
        each.c.done
    )
    found = {bool(done): (int(count), int(of_them)) for done, count, of_them in session.exec(counted)}
    read, facts_in = found.get(True, (0, 0))
    waiting, facts_out = found.get(False, (0, 0))
    if read + waiting == 0:
        return None
    shown = LaneVersionView(
        number=version.number,
        status="building" if waiting else "live",
        model=made.model,
        dimension=version.fingerprint.dimension,
        documents=read,
        documents_total=read + waiting,
        chunks=facts_in,
        chunks_total=facts_in + facts_out,
        takes_over=bool(waiting),
        reason=f"{read} of {read + waiting} documents are read, with {facts_in} facts." if waiting else None,
        created_at=made.created_at,
        live_at=made.live_at,
    )
    return Lane(name=name, live=version.number, models=[made.model], versions=[shown], follows=documents)
