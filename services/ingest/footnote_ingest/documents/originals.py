"""The bytes of accepted versions. A workspace keeps the same bytes once, however many versions share them."""

from collections.abc import Iterable

from sqlmodel import col, select

from footnote_ingest.store.tables import VersionRow
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.db.engine import Database, WriteSession, lock_for_transaction


def hold_original(session: WriteSession, workspace_id: str, sha256: str) -> None:
    """Keep these bytes from being removed until the transaction ends."""
    lock_for_transaction(session, "original", workspace_id, sha256)


def forget(database: Database, blobs: BlobStore, workspace_id: str, hashes: Iterable[str]) -> int:
    """Remove those of the bytes that no version needs; return how many.

    This is the one place where a transaction is open during a call of the object store: no upload of the same
    bytes may come between the look and the removal. An upload whose bytes are removed just before its commit
    notices that after the commit and writes them again (`accept.py`).
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
