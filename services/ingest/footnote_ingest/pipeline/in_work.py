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
    """A leased document and the version in work."""

    leased: LeasedDocument
    version: VersionRow

    @property
    def row(self) -> DocumentRow:
        """The row of the document as it was when it was taken."""
        return self.leased.row


def load(work: WorkResources, leased: LeasedDocument) -> DocumentInWork:
    """Read the version; raises LeaseLost if it is gone."""
    with work.database.read() as session:
        version = session.get(VersionRow, (leased.id, leased.version))
    if version is None:
        raise LeaseLost
    return DocumentInWork(leased, version)


def load_all(work: WorkResources, documents: Sequence[LeasedDocument]) -> list[DocumentInWork]:
    """Read the versions of several documents together. A document whose version is gone is missing."""
    with work.database.read() as session:
        versions = versions_of(session, documents)
    return [DocumentInWork(leased, versions[leased]) for leased in documents if leased in versions]


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
def _versions_named() -> SelectOfScalar[VersionRow]:
    return select(VersionRow).where(col(VersionRow.document_id).in_(bindparam("ids", expanding=True)))
