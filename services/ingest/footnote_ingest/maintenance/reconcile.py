"""Comparing SQL with the vector index (spec 3.6).

Points that nothing refers to are removed. Documents that lack points are indexed anew.
"""

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import and_, or_
from sqlmodel import col, select

from footnote_ingest.documents.retry import reindex
from footnote_ingest.maintenance.reconcile_facts import reconcile_facts
from footnote_ingest.pipeline.live_lane import turn_to_live
from footnote_ingest.pipeline.remove import RemoveResources
from footnote_ingest.store.tables import ChunkRow, DocumentRow
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import Conflict, Misconfigured
from footnote_shared.kernel.ids import point_id
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger
from footnote_shared.vectors.filters import EVERYTHING, Match
from footnote_shared.vectors.protocol import PointRef

_log = logger(__name__)
_DOCUMENTS_AT_ONCE = 200
_CHUNKS_AT_ONCE = 1000
_REPAIRED_AT_MOST = 500
"""How many documents one run queues, so that a lost index does not fill the queue. The next run goes on."""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """How many orphan points were removed, and how many incomplete documents were queued again.

    `without_bytes` are incomplete too, but the bytes that they would be made from are gone.
    """

    orphans: int
    incomplete: int
    without_bytes: int = 0


def reconcile(work: WorkResources, resources: RemoveResources, workspace_id: str | None = None) -> Reconciled:
    """Compare everything once, or what belongs to one workspace, page by page.

    Safe beside workers, because a version in work counts as needed.
    """
    turn_to_live(work.database, resources.lane, even_closed=True)
    has_lane = True
    orphans = 0
    try:
        orphans = _remove_orphans(work.database, resources, workspace_id)
    except Misconfigured as error:
        # There is no lane before the first document, nor where all vectors were lost.
        _log.info("reconcile.no_lane", reason=error.detail)
        has_lane = False
    incomplete, without_bytes = _repair_incomplete(work, resources, workspace_id, has_lane=has_lane)
    strays, lacking = reconcile_facts(work.database, resources.facts, workspace_id)
    orphans += strays
    incomplete += lacking
    metrics.ORPHANS.labels("point").inc(orphans)
    metrics.ORPHANS.labels("document").inc(incomplete)
    _log.info("reconcile.done", orphans=orphans, incomplete=incomplete)
    return Reconciled(orphans, incomplete, without_bytes)


def _remove_orphans(database: Database, resources: RemoveResources, workspace_id: str | None) -> int:
    removed = 0
    within = EVERYTHING if workspace_id is None else Match("workspace_id", workspace_id)
    for page in resources.lane.pages(within):
        orphans = {ref.id for ref in page} - _needed(database, page)
        resources.lane.delete(sorted(orphans))
        removed += len(orphans)
    return removed


def _needed(database: Database, page: list[PointRef]) -> set[str]:
    """The points that belong to the live version of a document or to the one in work."""
    used = or_(
        col(ChunkRow.version) == col(DocumentRow.live_version),
        col(ChunkRow.version) == col(DocumentRow.version),
    )
    statement = (
        select(ChunkRow.document_id, ChunkRow.chunk_id, ChunkRow.embed_hash)
        .join(DocumentRow, and_(col(DocumentRow.id) == col(ChunkRow.document_id), used))
        .where(
            col(ChunkRow.chunk_id).in_({ref.chunk_id for ref in page}), col(DocumentRow.deleted_at).is_(None)
        )
    )
    with database.read() as session:
        return {
            point_id(document_id, chunk_id, embed_hash)
            for document_id, chunk_id, embed_hash in session.exec(statement)
        }


def _repair_incomplete(
    work: WorkResources, resources: RemoveResources, workspace_id: str | None, *, has_lane: bool
) -> tuple[int, int]:
    repaired = without_bytes = 0
    after = ""
    ours = () if workspace_id is None else (col(DocumentRow.workspace_id) == workspace_id,)
    while repaired < _REPAIRED_AT_MOST:
        with work.database.read() as session:
            settled = (
                col(DocumentRow.status) == "indexed",
                col(DocumentRow.deleted_at).is_(None),
                col(DocumentRow.id) > after,
                *ours,
            )
            ids = list(
                session.exec(
                    select(DocumentRow.id)
                    .where(*settled)
                    .order_by(col(DocumentRow.id))
                    .limit(_DOCUMENTS_AT_ONCE)
                )
            )
        if not ids:
            break
        after = ids[-1]
        for document_id in sorted(_lacking(work.database, resources, ids, has_lane=has_lane)):
            outcome = _index_anew(work, document_id)
            repaired += outcome == "queued"
            without_bytes += outcome == "without bytes"
    return repaired, without_bytes


def _lacking(database: Database, resources: RemoveResources, ids: list[str], *, has_lane: bool) -> set[str]:
    """Those of the documents whose live version lacks a point."""
    statement = (
        select(ChunkRow.document_id, ChunkRow.chunk_id, ChunkRow.embed_hash)
        .join(
            DocumentRow,
            and_(
                col(DocumentRow.id) == col(ChunkRow.document_id),
                col(ChunkRow.version) == col(DocumentRow.live_version),
            ),
        )
        .where(col(DocumentRow.id).in_(ids), col(ChunkRow.retired_at).is_(None))
    )
    with database.read() as session:
        owner = {point_id(*row): row[0] for row in session.exec(statement)}
    points = list(owner)
    present: set[str] = set()
    for start in range(0, len(points) if has_lane else 0, _CHUNKS_AT_ONCE):
        present |= resources.lane.present(points[start : start + _CHUNKS_AT_ONCE])
    return {owner[point] for point in points if point not in present}


def _index_anew(
    work: WorkResources, document_id: str
) -> Literal["queued", "without bytes", "changed meanwhile"]:
    with work.database.write() as session:
        row = session.get(DocumentRow, document_id, with_for_update=True)
        if row is None or row.status != "indexed":
            return "changed meanwhile"
        try:
            reindex(session, work.dispatcher, work.policy, row)
        except Conflict:
            _log.warning("reconcile.bytes_missing", document=document_id)
            return "without bytes"
    return "queued"
