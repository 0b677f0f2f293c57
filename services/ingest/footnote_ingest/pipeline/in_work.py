"""A document that a stage works on, with its rows."""

from dataclasses import dataclass

from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_ingest.work.lease import LeasedDocument, LeaseLost
from footnote_ingest.work.resources import WorkResources


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
