"""Comparing the facts of SQL with the lane of facts: strays go, and what lacks points is brought in again."""

from sqlmodel import col, select

from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.store.fact_tables import FactJobRow, FactRow
from footnote_shared.db.engine import Database
from footnote_shared.vectors.filters import EVERYTHING, Match

_DOCUMENTS_AT_ONCE = 50


def reconcile_facts(database: Database, lane: LaneIndex, workspace_id: str | None) -> tuple[int, int]:
    """Compare all, or one workspace; return how many strays went and how many documents lacked points.

    A stray that a worker is about to commit is written again by it. No chat model is asked for points.
    """
    live = lane.live_version()
    if live is None:
        return 0, 0
    lane = lane.at(live.number)
    if live.number > 1:
        # Whoever made this version may have died before it removed the former one.
        lane.drop_version(live.number - 1)
    return _remove_strays(database, lane, workspace_id), _note_lacking(database, lane, workspace_id)


def _remove_strays(database: Database, lane: LaneIndex, workspace_id: str | None) -> int:
    removed = 0
    within = EVERYTHING if workspace_id is None else Match("workspace_id", workspace_id)
    for page in lane.pages(within):
        ids = {ref.id for ref in page}
        with database.read() as session:
            known = set(session.exec(select(FactRow.id).where(col(FactRow.id).in_(ids))))
        lane.delete(sorted(ids - known))
        removed += len(ids - known)
    return removed


def _note_lacking(database: Database, lane: LaneIndex, workspace_id: str | None) -> int:
    """Have the facts of these documents brought into the lane again by the next sweep."""
    noted, after = 0, ""
    ours = () if workspace_id is None else (col(FactJobRow.workspace_id) == workspace_id,)
    while True:
        with database.read() as session:
            done = col(FactJobRow.status) == "completed", col(FactJobRow.document_id) > after, *ours
            in_order = select(FactJobRow.document_id).where(*done).order_by(col(FactJobRow.document_id))
            documents = list(session.exec(in_order.limit(_DOCUMENTS_AT_ONCE)))
            of_these = select(FactRow.id, FactRow.document_id).where(col(FactRow.document_id).in_(documents))
            owner = dict(session.exec(of_these).all())
        if not documents:
            return noted
        after = documents[-1]
        present = lane.present(sorted(owner))
        lacking = sorted({document for fact, document in owner.items() if fact not in present})
        if not lacking:
            continue
        with database.write() as session:
            statement = select(FactJobRow).where(col(FactJobRow.document_id).in_(lacking))
            for job in session.exec(statement.with_for_update(skip_locked=True)):
                job.lane_digest = None
                session.add(job)
                noted += 1
