"""Comparing SQL with the vector index (spec 3.6).

Points that nothing refers to are removed. Documents that lack points are indexed anew. Each look is a page,
and no transaction is open between two of them.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from sqlalchemy import and_, or_
from sqlmodel import col, select

from footnote_ingest.documents.retry import reindex
from footnote_ingest.maintenance.looks import Look
from footnote_ingest.maintenance.lost_bytes import lost_bytes
from footnote_ingest.maintenance.outdated_points import outdated, tell_anew
from footnote_ingest.maintenance.reconcile_facts import lacking_facts, stray_facts
from footnote_ingest.maintenance.reconcile_rows import differing_rows
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
"""How many documents one run of the clock queues, so that a lost index does not fill the queue. The next run
goes on."""


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
    found: Counter[str] = Counter()
    for look in chain(
        differing_rows(work, workspace_id),
        stray_points(work, resources, workspace_id),
        _some_incomplete(work, resources, workspace_id),
        stray_facts(work, resources.facts, workspace_id),
        lacking_facts(work.database, resources.facts, workspace_id),
    ):
        found.update(look.found)
    orphans = found["vectors_without_row"] + found["facts_without_row"]
    incomplete = found["rows_without_vector"] + found["facts_without_vector"]
    note(found)
    _log.info("reconcile.done", orphans=orphans, incomplete=incomplete)
    return Reconciled(orphans, incomplete, found["rows_without_bytes"])


def note(found: Counter[str]) -> None:
    """Count what was found, for the dashboards."""
    metrics.ORPHANS.labels("point").inc(found["vectors_without_row"] + found["facts_without_row"])
    lacking = ("rows_without_vector", "facts_without_vector", "texts_lost")
    metrics.ORPHANS.labels("document").inc(sum(found[name] for name in lacking))
    differing = (
        "rows_left",
        "parts_without_document",
        "passages_lost",
        "readers_differed",
        "kept_texts_differed",
    )
    metrics.ORPHANS.labels("row").inc(sum(found[name] for name in differing))
    metrics.ORPHANS.labels("payload").inc(found["vectors_outdated"])


def stray_points(
    work: WorkResources, resources: RemoveResources, workspace_id: str | None, after: str = ""
) -> Iterator[Look]:
    """Remove the points that belong to no version that readers see or a worker works on."""
    turn_to_live(work.database, resources.lane, even_closed=True)
    within = EVERYTHING if workspace_id is None else Match("workspace_id", workspace_id)
    try:
        for page in resources.lane.pages(within, after):
            strays = {ref.id for ref in page} - _needed(work.database, page)
            resources.lane.delete(sorted(strays))
            told = tell_anew(work, outdated(work.database, [ref for ref in page if ref.id not in strays]))
            found = {"vectors_without_row": len(strays), "vectors_outdated": told}
            yield Look(len(page), found, page[-1].id)
    except Misconfigured as error:
        # There is no lane before the first document, nor where all vectors were lost.
        _log.info("reconcile.no_lane", reason=error.detail)


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


def _some_incomplete(
    work: WorkResources, resources: RemoveResources, workspace_id: str | None
) -> Iterator[Look]:
    """What the clock compares in one run. It does not look for each blob: a bucket answers one at a time."""
    queued = 0
    for look in incomplete_documents(work, resources, workspace_id, and_bytes=False):
        yield look
        queued += look.found["rows_without_vector"]
        if queued >= _REPAIRED_AT_MOST:
            return


def incomplete_documents(
    work: WorkResources,
    resources: RemoveResources,
    workspace_id: str | None,
    after: str = "",
    *,
    and_bytes: bool = True,
) -> Iterator[Look]:
    """Index documents anew that lack points, or, `and_bytes`, what was read from them."""
    turn_to_live(work.database, resources.lane, even_closed=True)
    while True:
        with work.database.read() as session:
            settled = [
                col(DocumentRow.status) == "indexed",
                col(DocumentRow.deleted_at).is_(None),
                col(DocumentRow.id) > after,
            ]
            if workspace_id is not None:
                settled.append(col(DocumentRow.workspace_id) == workspace_id)
            in_order = select(DocumentRow.id).where(*settled).order_by(col(DocumentRow.id))
            ids = list(session.exec(in_order.limit(_DOCUMENTS_AT_ONCE)))
        if not ids:
            return
        after = ids[-1]
        lost = lost_bytes(work.database, resources.blobs, ids) if and_bytes else None
        lacking = _lacking(work.database, resources, ids)
        found: Counter[str] = Counter()
        for document_id in sorted(lacking | (lost.texts if lost is not None else set())):
            if lost is not None and document_id in lost.originals:
                found["rows_without_bytes"] += 1
                continue
            outcome = _index_anew(work, document_id)
            queued_for = "rows_without_vector" if document_id in lacking else "texts_lost"
            found[queued_for] += outcome == "queued"
            found["rows_without_bytes"] += outcome == "without bytes"
        if lost is not None:
            found["originals_lost"] += len(lost.originals - lacking - lost.texts)
        yield Look(len(ids), found, after)


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
    try:
        for start in range(0, len(points), _CHUNKS_AT_ONCE):
            present |= resources.lane.present(points[start : start + _CHUNKS_AT_ONCE])
    except Misconfigured as error:
        _log.info("reconcile.no_lane", reason=error.detail)
        present = set()
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
