"""Whom and what facts name, in SQL: only what the caller is shown, as facts are."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_
from sqlmodel import col, select

from footnote_ingest.store.fact_tables import FactEntityRow, FactJobRow, FactRow
from footnote_ingest.store.facts import LIVE
from footnote_ingest.store.scope import visible_documents
from footnote_ingest.store.tables import ChunkRow, DocumentRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession


@dataclass(frozen=True, slots=True)
class ShownEntityRow:
    """An entity with the fact that names it and the title of its document."""

    entity: FactEntityRow
    fact: FactRow
    title: str


def of_document(session: ReadSession, principal: Principal, document_id: str) -> list[ShownEntityRow]:
    """Those of a document's facts that the caller is shown."""
    return _rows(session, principal, col(FactRow.document_id) == document_id)


def by_name(
    session: ReadSession, principal: Principal, hashes: Sequence[str], allowed: Collection[str], most: int
) -> list[ShownEntityRow]:
    """The latest ones of these names that the caller is shown, of documents of allowed classifications."""
    named = and_(
        col(FactEntityRow.workspace_id) == principal.workspace_id, col(FactEntityRow.name_hash).in_(hashes)
    )
    read = select(FactJobRow.document_id).where(
        col(FactJobRow.document_id) == col(FactRow.document_id),
        col(FactJobRow.classification).in_(sorted(allowed)),
    )
    return _rows(session, principal, and_(named, read.exists()), most)


def _rows(
    session: ReadSession, principal: Principal, chosen: ColumnElement[bool], most: int | None = None
) -> list[ShownEntityRow]:
    statement = (
        select(FactEntityRow, FactRow, DocumentRow.title)
        .join(FactRow, col(FactRow.id) == col(FactEntityRow.fact_id))
        .join(DocumentRow, col(DocumentRow.id) == col(FactRow.document_id))
        .join(ChunkRow, LIVE)
        .where(chosen, visible_documents(principal))
        .order_by(col(FactEntityRow.id).desc())
    )
    if most is not None:
        statement = statement.limit(most)
    return [ShownEntityRow(*row) for row in session.exec(statement)]
