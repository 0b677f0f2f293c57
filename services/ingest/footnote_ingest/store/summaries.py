"""Summaries that a model wrote, in SQL: of which text, who sees them, and when they go."""

import hashlib
import json
from collections.abc import Collection, Sequence

from sqlalchemy import update
from sqlmodel import col, delete, select

from footnote_ingest.store.chunks_in_work import ChunkInWork, chunks_of_versions
from footnote_ingest.store.fact_tables import FactJobRow, SummaryRow
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.db.engine import Database, ReadSession, WriteSession

MOST_PASSAGES = 5
"""Passages of a document that a model is shown (spec 3.9)."""


def passages_of(chunks: Sequence[ChunkInWork]) -> list[ChunkInWork]:
    """The passages that a model is shown: the first ones of a document that are no code."""
    return [chunk for chunk in chunks if chunk.kind != "code" and chunk.text.strip()][:MOST_PASSAGES]


def digest_of(passages: Sequence[ChunkInWork]) -> str:
    """Changes with the passages that are read, and with nothing else."""
    named = json.dumps([(passage.chunk_id, passage.embed_hash) for passage in passages])
    return hashlib.sha256(named.encode()).hexdigest()[:32]


def live_summary(session: ReadSession, document: DocumentRow, allowed: Collection[str]) -> str | None:
    """What a model wrote of the live version. The caller sees the document.

    `allowed` are the classifications that may be read: one of others, written earlier, is not shown.
    """
    statement = (
        select(SummaryRow)
        .join(FactJobRow, col(FactJobRow.document_id) == col(SummaryRow.document_id))
        .where(
            col(SummaryRow.document_id) == document.id,
            col(SummaryRow.version) == document.live_version,
            col(FactJobRow.classification).in_(sorted(allowed)),
        )
    )
    row = session.exec(statement).first()
    return row.text if row is not None else None


def keep(session: WriteSession, document: DocumentRow, version: int, passages: str, text: str | None) -> None:
    """Have this be the summary of the version, in place of any other. None: it has none."""
    drop(session, [document.id])
    if text is not None:
        row = SummaryRow(
            document_id=document.id,
            workspace_id=document.workspace_id,
            version=version,
            passages=passages,
            text=text,
        )
        session.add(row)


def keep_for(session: WriteSession, document_id: str, version: int) -> None:
    """Have the summary be that of another version, whose passages are the same."""
    moved = update(SummaryRow).where(col(SummaryRow.document_id) == document_id).values(version=version)
    session.exec(moved.execution_options(synchronize_session=False))


def drop(session: WriteSession, document_ids: Collection[str]) -> None:
    """Delete what was written of these documents."""
    gone = delete(SummaryRow).where(col(SummaryRow.document_id).in_(sorted(document_ids)))
    session.exec(gone.execution_options(synchronize_session=False))


def drop_outdated(database: Database, document_id: str) -> None:
    """Delete a summary whose passages are not those of the live version: no text stays that was edited away.

    One whose passages are unchanged waits for the reading of the live version, which keeps it.
    """
    with database.read() as session:
        row = session.get(DocumentRow, document_id)
        kept = select(SummaryRow.version, SummaryRow.passages).where(
            col(SummaryRow.document_id) == document_id
        )
        found = session.exec(kept).first()
        if row is None or row.live_version is None or found is None or found[0] == row.live_version:
            return
        version, passages = found
        live = row.id, row.live_version
        chunks = chunks_of_versions(session, [live]).get(live, [])
        if digest_of(passages_of(chunks)) == passages:
            return
    outdated = col(SummaryRow.document_id) == document_id, col(SummaryRow.version) == version
    with database.write() as session:
        session.exec(delete(SummaryRow).where(*outdated).execution_options(synchronize_session=False))
