"""Asking both versions the same queries before the switch, and what their results have in common.

Both legs are searched and fused by rank, within the workspace that the query belongs to. Nothing but numbers
leaves this comparison.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import col, func, select

from footnote_ingest.contracts.lanes import MOST_QUERIES
from footnote_ingest.lanes.bring import LaneTarget
from footnote_ingest.lanes.rankings import DEPTH, difference, documents_of, fused, mean, ndcg
from footnote_ingest.lanes.recorded_queries import RecordedQueries
from footnote_ingest.store.lane_tables import LaneQueriesRow
from footnote_ingest.store.tables import ChunkRow, DocumentRow
from footnote_shared.db.engine import Database
from footnote_shared.embedding import sparse
from footnote_shared.kernel.ids import point_id
from footnote_shared.security.keyring import KeyDestroyed
from footnote_shared.vectors.filters import Filter, Match
from footnote_shared.vectors.protocol import HybridQuery

_OWN_QUERIES = 50
"""Queries that are asked where none are given: titles, as far as too few were recorded."""

_PER_LEG = 3 * DEPTH


@dataclass(frozen=True, slots=True)
class LaneQuery:
    """A query, whose documents it searches, and the documents that answer it, if somebody has said so."""

    text: str
    workspace_id: str
    relevant: tuple[str, ...] = ()
    recorded: bool = False


def queries_for(database: Database, version_id: str, recorded: RecordedQueries) -> list[LaneQuery]:
    """The queries that were given for it, in the workspace of whoever gave them, or else those that were
    recorded, each in its own, and titles where there are few. Given queries of a workspace that was destroyed
    count as none.
    """
    with database.read() as session:
        try:
            given = session.get(LaneQueriesRow, version_id)
        except KeyDestroyed:
            given = None
        if given is not None:
            asked = given.workspace_id
            return [LaneQuery(one["query"], asked, tuple(one["relevant"])) for one in given.queries]
    asked_for = [LaneQuery(*one, recorded=True) for one in recorded.some(database, MOST_QUERIES)]
    lacking = _OWN_QUERIES - len(asked_for)
    return asked_for if lacking <= 0 else [*asked_for, *_titles(database, lacking)]


def _titles(database: Database, most: int) -> list[LaneQuery]:
    with database.read() as session:
        statement = (
            select(DocumentRow.title, DocumentRow.workspace_id)
            .where(col(DocumentRow.live_version).is_not(None), col(DocumentRow.deleted_at).is_(None))
            .where(col(DocumentRow.chunk_count) > 0)
            .order_by(func.random())
            .limit(most)
        )
        return [LaneQuery(title, workspace) for title, workspace in session.exec(statement) if title.strip()]


def compare(live: LaneTarget, following: LaneTarget, queries: Sequence[LaneQuery]) -> dict[str, Any]:
    """The figures of `LaneChecks` that are found by asking."""
    differences, judged = [], []
    for asked in queries:
        before, owners_before = _results(live, asked)
        after, owners_after = _results(following, asked)
        found = difference(before, after)
        if found is not None:
            differences.append(found)
        if asked.relevant:
            judged.append(
                (
                    ndcg(documents_of(before, owners_before), asked.relevant),
                    ndcg(documents_of(after, owners_after), asked.relevant),
                )
            )
    moves = [one.rank_change for one in differences if one.rank_change is not None]
    return {
        "queries": len(queries),
        "recorded": sum(asked.recorded for asked in queries),
        "overlap": mean([one.overlap for one in differences]),
        "first_kept": mean([float(one.first_kept) for one in differences]),
        "rank_change": mean(moves),
        "judged": len(judged),
        "ndcg_live": mean([before for before, _ in judged]),
        "ndcg_next": mean([after for _, after in judged]),
    }


def _results(target: LaneTarget, asked: LaneQuery) -> tuple[list[str], dict[str, str]]:
    """The points that a version finds, best first, and the document of each."""
    own: Filter = Match("workspace_id", asked.workspace_id)
    hits = target.lane.search(
        HybridQuery(
            target.embedder.embed_query(asked.text),
            sparse.embed_query(asked.text, target.terms),
            _PER_LEG,
            own,
            own,
            bare=True,
        )
    )
    owners = {hit.id: hit.ref.document_id for hit in (*hits.dense, *hits.sparse)}
    return fused([[hit.id for hit in leg] for leg in (hits.dense, hits.sparse)]), owners


def sample(database: Database, target: LaneTarget, most: int) -> tuple[int, float | None]:
    """Embed some chunks once more; return how many, and their least cosine with what is stored."""
    with database.read() as session:
        shown = (
            select(ChunkRow)
            .join(DocumentRow, col(DocumentRow.id) == col(ChunkRow.document_id))
            .where(col(ChunkRow.version) == col(DocumentRow.live_version), col(ChunkRow.retired_at).is_(None))
            .where(col(DocumentRow.deleted_at).is_(None))
        )
        some = (
            select(DocumentRow.id)
            .where(col(DocumentRow.live_version).is_not(None), col(DocumentRow.deleted_at).is_(None))
            .order_by(func.random())
            .limit(most)
        )
        ids = list(session.exec(some))
        chunks = list(session.exec(shown.where(col(ChunkRow.document_id).in_(ids)).limit(10 * most)))
    return _likeness(target, chunks[:: max(1, len(chunks) // most)][:most])


def _likeness(target: LaneTarget, chunks: Sequence[ChunkRow]) -> tuple[int, float | None]:
    points = {point_id(chunk.document_id, chunk.chunk_id, chunk.embed_hash): chunk for chunk in chunks}
    stored = target.lane.vectors(list(points))
    there = [point for point in points if point in stored]
    if not there:
        return 0, None
    made = target.embedder.embed_documents([points[point].embed_text for point in there])
    return len(there), min(
        float(stored[point].dense @ vector) for point, vector in zip(there, made, strict=True)
    )
