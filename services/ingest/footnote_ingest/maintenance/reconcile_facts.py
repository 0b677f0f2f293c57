"""Comparing the facts of SQL with the lane of facts: strays go, and what lacks points is brought in again.

A stray that a worker is about to commit is written again by it. No chat model is asked for points.
"""

from collections.abc import Iterator

from sqlmodel import col, select

from footnote_ingest.maintenance.looks import Look
from footnote_ingest.maintenance.outdated_points import outdated, tell_anew
from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.store.fact_tables import FactJobRow, FactRow
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.engine import Database
from footnote_shared.vectors.filters import EVERYTHING, Match

_DOCUMENTS_AT_ONCE = 50


def stray_facts(
    work: WorkResources, lane: LaneIndex, workspace_id: str | None, after: str = ""
) -> Iterator[Look]:
    """Remove the points of all, or of one workspace, that belong to no fact."""
    live = _live(lane)
    if live is None:
        return
    within = EVERYTHING if workspace_id is None else Match("workspace_id", workspace_id)
    for page in live.pages(within, after):
        ids = {ref.id for ref in page}
        with work.database.read() as session:
            known = set(session.exec(select(FactRow.id).where(col(FactRow.id).in_(ids))))
        live.delete(sorted(ids - known))
        told = tell_anew(work, outdated(work.database, [ref for ref in page if ref.id in known]))
        yield Look(len(page), {"facts_without_row": len(ids - known), "vectors_outdated": told}, page[-1].id)


def lacking_facts(
    database: Database, lane: LaneIndex, workspace_id: str | None, after: str = ""
) -> Iterator[Look]:
    """Mark the facts that lack points, so that the next sweep brings them into the lane again."""
    live = _live(lane)
    ours = () if workspace_id is None else (col(FactJobRow.workspace_id) == workspace_id,)
    while live is not None:
        with database.read() as session:
            done = col(FactJobRow.status) == "completed", col(FactJobRow.document_id) > after, *ours
            in_order = select(FactJobRow.document_id).where(*done).order_by(col(FactJobRow.document_id))
            documents = list(session.exec(in_order.limit(_DOCUMENTS_AT_ONCE)))
            of_these = select(FactRow.id, FactRow.document_id).where(col(FactRow.document_id).in_(documents))
            owner = dict(session.exec(of_these).all())
        if not documents:
            return
        after = documents[-1]
        present = live.present(sorted(owner))
        lacking = sorted({document for fact, document in owner.items() if fact not in present})
        noted = _bring_in_again(database, lacking) if lacking else 0
        yield Look(len(documents), {"facts_without_vector": noted}, after)


def _live(lane: LaneIndex) -> LaneIndex | None:
    """The version of the lane that is live; None if there is none."""
    live = lane.live_version()
    if live is None:
        return None
    lane = lane.at(live.number)
    if live.number > 1:
        # Whoever made this version may have died before it removed the former one.
        lane.drop_version(live.number - 1)
    return lane


def _bring_in_again(database: Database, documents: list[str]) -> int:
    noted = 0
    with database.write() as session:
        statement = select(FactJobRow).where(col(FactJobRow.document_id).in_(documents))
        for job in session.exec(statement.with_for_update(skip_locked=True)):
            job.lane_digest = None
            session.add(job)
            noted += 1
    return noted
