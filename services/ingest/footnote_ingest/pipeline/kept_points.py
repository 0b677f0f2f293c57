"""Points of a changed document that stay as they are: neither fetched, embedded nor written again (spec 3.5).

A point is of a chunk and its text. One that the live version has too says what it has to, but for places in
the document, which are read from SQL. It is written anew where what searches filter by may be another: the
type, the kind, or what waits to be told to the points. And it is where the same bytes are indexed again, as
somebody does who doubts the index.
"""

from collections.abc import Sequence

from sqlalchemy import and_
from sqlalchemy.orm import aliased
from sqlmodel import col, select

from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.store.tables import ChunkRow, DocumentRow, VersionRow
from footnote_ingest.work.lease import LeasedDocument
from footnote_shared.db.engine import ReadSession
from footnote_shared.kernel.ids import point_id

_LOOKED_UP_AT_ONCE = 1000


def unchanged_points(session: ReadSession, documents: Sequence[LeasedDocument]) -> set[str]:
    """The points that the live versions of these documents have and need not be written for the next ones."""
    changed = [leased.id for leased in documents if leased.version > 1]
    if not changed:
        return set()
    wanted, live = aliased(VersionRow), aliased(VersionRow)
    statement = (
        select(DocumentRow.id, DocumentRow.live_version, wanted.version)
        .join(wanted, col(wanted.document_id) == col(DocumentRow.id))
        .join(
            live,
            and_(
                col(live.document_id) == col(DocumentRow.id),
                col(live.version) == col(DocumentRow.live_version),
            ),
        )
        .where(
            col(DocumentRow.id).in_(changed),
            col(wanted.version) == col(DocumentRow.version),
            col(wanted.version) != col(live.version),
            col(wanted.sha256) != col(live.sha256),
            col(wanted.mime) == col(live.mime),
            col(DocumentRow.points_lag).is_(False),
        )
    )
    found: set[str] = set()
    for document_id, before, version in session.exec(statement).all():
        old, new = aliased(ChunkRow), aliased(ChunkRow)
        same = (
            select(new.chunk_id, new.embed_hash)
            .join(
                old,
                and_(
                    col(old.document_id) == col(new.document_id),
                    col(old.chunk_id) == col(new.chunk_id),
                    col(old.embed_hash) == col(new.embed_hash),
                    col(old.kind) == col(new.kind),
                ),
            )
            .where(
                col(new.document_id) == document_id,
                col(new.version) == version,
                col(old.version) == before,
                col(new.retired_at).is_(None),
                col(old.retired_at).is_(None),
            )
        )
        found |= {point_id(document_id, chunk_id, embed_hash) for chunk_id, embed_hash in session.exec(same)}
    return found


def still_there(lane: LaneIndex, points: set[str]) -> set[str]:
    """Those of the points that the lane has."""
    wanted, found = sorted(points), set[str]()
    for start in range(0, len(wanted), _LOOKED_UP_AT_ONCE):
        found |= lane.present(wanted[start : start + _LOOKED_UP_AT_ONCE])
    return found
