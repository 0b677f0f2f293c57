"""Comparing SQL with the vector index (spec 3.6).

Points that nothing refers to are removed. Documents that lack points are indexed anew.
"""

from dataclasses import dataclass

from sqlalchemy import and_, or_
from sqlmodel import col, select

from footnote_ingest.documents.retry import reindex
from footnote_ingest.pipeline.remove import RemoveResources
from footnote_ingest.store.tables import ChunkRow, DocumentRow
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import Conflict, Misconfigured
from footnote_shared.kernel.ids import point_id
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger
from footnote_shared.vectors.protocol import PointRef

_log = logger(__name__)
_DOCUMENTS_AT_ONCE = 200
_CHUNKS_AT_ONCE = 1000
_REPAIRED_AT_MOST = 500
"""How many documents one run queues, so that a lost index does not fill the queue. The next run goes on."""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """How many orphan points were removed, and how many incomplete documents were queued again."""

    orphans: int
    incomplete: int


def reconcile(work: WorkResources, resources: RemoveResources) -> Reconciled:
    """Compare everything once, page by page.

    Safe beside workers, because a version in work counts as needed.
    """
    try:
        orphans = _remove_orphans(work.database, resources)
    except Misconfigured as error:
        # There is no lane before the first document.
        _log.info("reconcile.no_lane", reason=error.detail)
        return Reconciled(0, 0)
    incomplete = _repair_incomplete(work, resources)
    metrics.ORPHANS.labels("point").inc(orphans)
    metrics.ORPHANS.labels("document").inc(incomplete)
    _log.info("reconcile.done", orphans=orphans, incomplete=incomplete)
    return Reconciled(orphans, incomplete)


def _remove_orphans(database: Database, resources: RemoveResources) -> int:
    removed = 0
    for page in resources.lane.pages():
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


def _repair_incomplete(work: WorkResources, resources: RemoveResources) -> int:
    repaired = 0
    after = ""
    while repaired < _REPAIRED_AT_MOST:
        with work.database.read() as session:
            settled = (
                col(DocumentRow.status) == "indexed",
                col(DocumentRow.deleted_at).is_(None),
                col(DocumentRow.id) > after,
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
        for document_id in sorted(_lacking(work.database, resources, ids)):
            repaired += _index_anew(work, document_id)
    return repaired


def _lacking(database: Database, resources: RemoveResources, ids: list[str]) -> set[str]:
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
    for start in range(0, len(points), _CHUNKS_AT_ONCE):
        present |= resources.lane.present(points[start : start + _CHUNKS_AT_ONCE])
    return {owner[point] for point in points if point not in present}


def _index_anew(work: WorkResources, document_id: str) -> int:
    with work.database.write() as session:
        row = session.get(DocumentRow, document_id, with_for_update=True)
        if row is None or row.status != "indexed":
            return 0
        try:
            reindex(session, work.dispatcher, work.policy, row)
        except Conflict:
            _log.warning("reconcile.bytes_missing", document=document_id)
            return 0
    return 1
