"""The bytes of accepted versions, kept once per workspace however many versions are of the same bytes."""

from collections.abc import Iterable

from sqlmodel import col, select

from footnote_ingest.store.tables import VersionRow
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.db.engine import Database, WriteSession, lock_for_transaction


def hold_original(session: WriteSession, workspace_id: str, sha256: str) -> None:
    """Keep the removal of these bytes away until the transaction ends."""
    lock_for_transaction(session, "original", workspace_id, sha256)


def forget(database: Database, blobs: BlobStore, workspace_id: str, hashes: Iterable[str]) -> int:
    """Remove those bytes that no version needs; returns how many.

    The one place where a transaction is open over a call of the object store: looking and removing must not be parted by
    an upload of the same bytes. An upload whose bytes are removed just before its commit finds that out after it, and writes
    them again (`accept`).
    """
    removed = 0
    for sha256 in set(hashes):
        with database.write() as session:
            hold_original(session, workspace_id, sha256)
            needed = select(VersionRow.document_id).where(
                col(VersionRow.workspace_id) == workspace_id,
                col(VersionRow.sha256) == sha256,
                col(VersionRow.needs_bytes).is_(True),
            )
            if session.exec(needed.limit(1)).first() is None:
                blobs.delete([blob_keys.original(workspace_id, sha256)])
                removed += 1
    return removed
