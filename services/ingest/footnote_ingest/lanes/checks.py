"""The checks of a version before it may become the live one: it has every point, and no other."""

from dataclasses import dataclass

from sqlalchemy import and_, func
from sqlmodel import col, select

from footnote_ingest.contracts.lanes import LaneChecks
from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.store.chunks import LIVE
from footnote_ingest.store.lane_tables import LaneVersionRow
from footnote_ingest.store.tables import ChunkRow, DocumentRow
from footnote_shared.db.engine import Database, ReadSession
from footnote_shared.kernel.ids import point_id
from footnote_shared.vectors.protocol import PointRef

LEAST_COSINE = 0.99
"""The cosine of what is stored and what the model makes of the same text now. An embedder keeps 0.99999; this
leaves room for a worker whose runtime computes in fewer bits."""


@dataclass(frozen=True, slots=True)
class Totals:
    """The documents that readers see, and their chunks."""

    documents: int
    chunks: int


def totals(session: ReadSession) -> Totals:
    """Counted in SQL."""
    seen = col(DocumentRow.live_version).is_not(None), col(DocumentRow.deleted_at).is_(None)
    counted = select(func.count(), func.coalesce(func.sum(DocumentRow.chunk_count), 0)).where(*seen)
    documents, chunks = session.exec(counted.select_from(DocumentRow)).one()
    return Totals(documents, int(chunks))


def following_documents(session: ReadSession, cursor: str, most: int) -> list[str]:
    """The documents that readers see, in the order of their ids, behind the cursor."""
    statement = select(DocumentRow.id).where(
        col(DocumentRow.id) > cursor,
        col(DocumentRow.live_version).is_not(None),
        col(DocumentRow.deleted_at).is_(None),
    )
    return list(session.exec(statement.order_by(col(DocumentRow.id)).limit(most)))


def lacking(database: Database, lane: LaneIndex, document_ids: list[str]) -> list[str]:
    """The documents of which the version lacks a point."""
    statement = (
        select(ChunkRow.document_id, ChunkRow.chunk_id, ChunkRow.embed_hash)
        .join(DocumentRow, LIVE)
        .where(col(DocumentRow.id).in_(document_ids))
    )
    with database.read() as session:
        owner = {point_id(*row): row[0] for row in session.exec(statement)}
    return sorted({owner[point] for point in owner.keys() - lane.present(list(owner))})


def remove_orphans(database: Database, lane: LaneIndex) -> int:
    """Remove the points that belong to nothing that is shown or being indexed; return how many."""
    removed = 0
    for page in lane.pages():
        orphans = sorted({ref.id for ref in page} - _needed(database, page))
        lane.delete(orphans)
        removed += len(orphans)
    return removed


def _needed(database: Database, page: list[PointRef]) -> set[str]:
    used = col(ChunkRow.version).in_([col(DocumentRow.live_version), col(DocumentRow.version)])
    statement = (
        select(ChunkRow.document_id, ChunkRow.chunk_id, ChunkRow.embed_hash)
        .join(DocumentRow, and_(col(DocumentRow.id) == col(ChunkRow.document_id), used))
        .where(
            col(ChunkRow.chunk_id).in_({ref.chunk_id for ref in page}), col(DocumentRow.deleted_at).is_(None)
        )
    )
    with database.read() as session:
        return {point_id(*row) for row in session.exec(statement)}


def too_long(session: ReadSession, max_tokens: int) -> int:
    """How many chunks that are shown have more tokens than the model reads."""
    statement = select(func.count()).select_from(ChunkRow).join(DocumentRow, LIVE)
    return session.exec(
        statement.where(col(ChunkRow.tokens) > max_tokens, col(DocumentRow.deleted_at).is_(None))
    ).one()


def verdict(row: LaneVersionRow, checks: LaneChecks) -> str | None:
    """Why the version does not take over by itself; None if it may."""
    if checks.cut:
        return f"The model reads less than {checks.cut} of the chunks hold: the ends of these are not found."
    if checks.overlap is not None and checks.overlap < row.min_overlap:
        return (
            f"The results overlap by {checks.overlap:.2f} with those of the live version, and "
            f"{row.min_overlap:.2f} was asked for."
        )
    before, after = checks.ndcg_live, checks.ndcg_next
    if before is not None and after is not None and after < before:
        return f"By the judgements it is worse: nDCG@10 is {after:.3f}, and {before:.3f} of the live version."
    return None
