"""Which documents have lost bytes that SQL names: what was read from them, or the file itself."""

from dataclasses import dataclass

from sqlalchemy import and_
from sqlmodel import col, select

from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.db.engine import Database


@dataclass(frozen=True, slots=True)
class LostBytes:
    """Ids of documents: `texts` cannot be read any more, and of `originals` the file is gone.

    A document whose file was given up on purpose is none of `originals`.
    """

    texts: set[str]
    originals: set[str]


def lost_bytes(database: Database, blobs: BlobStore, ids: list[str]) -> LostBytes:
    """Look for the bytes of the live versions of these documents."""
    live = (
        select(VersionRow)
        .join(
            DocumentRow,
            and_(
                col(VersionRow.document_id) == col(DocumentRow.id),
                col(VersionRow.version) == col(DocumentRow.live_version),
            ),
        )
        .where(col(DocumentRow.id).in_(ids), col(DocumentRow.status) == "indexed")
    )
    with database.read() as session:
        versions = list(session.exec(live))
    lost = LostBytes(set(), set())
    for version in versions:
        read = blob_keys.elements(version.workspace_id, version.document_id, version.version)
        if not blobs.exists(read):
            lost.texts.add(version.document_id)
        file = blob_keys.original(version.workspace_id, version.sha256)
        if version.needs_bytes and not blobs.exists(file):
            lost.originals.add(version.document_id)
    if lost.texts or lost.originals:
        # Whoever deletes or replaces a document commits before its bytes go: that was no gap.
        with database.read() as session:
            still = {(version.document_id, version.version) for version in session.exec(live)}
        gone = {one.document_id for one in versions if (one.document_id, one.version) not in still}
        lost.texts.difference_update(gone)
        lost.originals.difference_update(gone)
    return lost
