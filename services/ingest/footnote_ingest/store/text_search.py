"""Finding a text as it is written, in chunks of live versions."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Text, or_, type_coerce
from sqlmodel import col, select

from footnote_ingest.store.letter_case import folded
from footnote_ingest.store.scope import at_or_below, in_memory, visible_documents
from footnote_ingest.store.tables import ROOT, ChunkRow, DocumentRow, FolderRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession

LOOKED_AT = 2000
"""Sealed chunks that one search opens: each costs some microseconds, and the search holds a connection."""


@dataclass(frozen=True, slots=True)
class FoundTexts:
    """Chunks with their documents and the paths of these. `partial`: older ones were not looked at."""

    chunks: list[tuple[ChunkRow, DocumentRow, str]]
    partial: bool


def chunks_with(
    session: ReadSession,
    principal: Principal,
    text: str,
    folder: str,
    document_ids: Sequence[str] | None,
    limit: int,
    looked_at: int = LOOKED_AT,
) -> FoundTexts:
    """Chunks that hold the text, newest documents first.

    Those of memory are left out. Where texts are sealed, those of the newest documents are looked through,
    `looked_at` chunks at most.
    """
    shown, wanted = folded(type_coerce(col(ChunkRow.text), Text), text)
    statement = (
        select(ChunkRow, DocumentRow, FolderRow.path)
        .join(DocumentRow, col(DocumentRow.id) == col(ChunkRow.document_id))
        .outerjoin(FolderRow, col(FolderRow.id) == col(DocumentRow.folder_id))
        .where(
            visible_documents(principal),
            in_memory(principal, memory=False),
            col(ChunkRow.version) == col(DocumentRow.live_version),
            col(ChunkRow.retired_at).is_(None),
            or_(col(ChunkRow.sealed).is_not(None), shown.contains(wanted, autoescape=True)),
        )
    )
    if folder != ROOT:
        statement = statement.where(at_or_below(folder))
    if document_ids is not None:
        statement = statement.where(col(DocumentRow.id).in_(document_ids))
    ordered = statement.order_by(col(DocumentRow.id).desc(), col(ChunkRow.ordinal))
    found: list[tuple[ChunkRow, DocumentRow, str]] = []
    for place, (chunk, row, path) in enumerate(session.exec(ordered.limit(looked_at + 1))):
        if place == looked_at:
            return FoundTexts(found, partial=True)
        if chunk.sealed is None or text.lower() in chunk.text.lower():
            found.append((chunk, row, path or ROOT))
            if len(found) == limit:
                break
    return FoundTexts(found, partial=False)
