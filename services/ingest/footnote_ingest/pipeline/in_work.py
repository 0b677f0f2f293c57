"""A document that a stage works on, with its rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from sqlalchemy import bindparam
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_ingest.work.lease import LeasedDocument, LeaseLost
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.engine import ReadSession, WriteSession


@dataclass(frozen=True, slots=True)
class DocumentInWork:
    """A leased document and the version in work. Both rows are as they were after the document was taken."""

    leased: LeasedDocument
    row: DocumentRow
    version: VersionRow


def load(work: WorkResources, leased: LeasedDocument) -> DocumentInWork:
    """Read the rows; raises LeaseLost if one of them is gone."""
    with work.database.read() as session:
        row = session.get(DocumentRow, leased.id)
        version = session.get(VersionRow, (leased.id, leased.version))
    if row is None or version is None:
        raise LeaseLost
    return DocumentInWork(leased, row, version)


def load_all(work: WorkResources, documents: Sequence[LeasedDocument]) -> list[DocumentInWork]:
    """Read the rows of several documents together. A document one of whose rows is gone is missing."""
    with work.database.read() as session:
        rows = rows_of(session, documents)
        versions = versions_of(session, documents)
    return [
        DocumentInWork(leased, rows[leased.id], versions[leased])
        for leased in documents
        if leased.id in rows and leased in versions
    ]


def rows_of(session: ReadSession, documents: Sequence[LeasedDocument]) -> dict[str, DocumentRow]:
    """The rows of the documents by id, in one statement. One that is gone is missing."""
    given = {"ids": [leased.id for leased in documents]}
    return {row.id: row for row in session.exec(_rows_named(), params=given)}


def versions_of(
    session: ReadSession | WriteSession, documents: Sequence[LeasedDocument]
) -> dict[LeasedDocument, VersionRow]:
    """The versions in work, in one statement. One that is gone is missing."""
    given = {"ids": [leased.id for leased in documents]}
    found = {(row.document_id, row.version): row for row in session.exec(_versions_named(), params=given)}
    return {
        leased: found[leased.id, leased.version]
        for leased in documents
        if (leased.id, leased.version) in found
    }


@cache
def _rows_named() -> SelectOfScalar[DocumentRow]:
    return select(DocumentRow).where(col(DocumentRow.id).in_(bindparam("ids", expanding=True)))


@cache
def _versions_named() -> SelectOfScalar[VersionRow]:
    return select(VersionRow).where(col(VersionRow.document_id).in_(bindparam("ids", expanding=True)))
