"""Which blobs of documents nothing in SQL names any more.

Every blob but the originals belongs to one version of one document. What a document says is needed while
readers see the version or a worker works on it; staged vectors only while a worker does.
"""

from collections.abc import Sequence

from sqlmodel import col, select

from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.stages import IN_WORK
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.keys import DocumentKey
from footnote_shared.contracts.documents import Status
from footnote_shared.db.engine import ReadSession


def unneeded(session: ReadSession, keys: Sequence[str]) -> list[str]:
    """Those of the keys that can go for good. `session` must have begun after the keys were listed.

    The row of a document is committed before its first blob is written, and no version comes back: a retry
    is a new one. So a blob that is not needed now is never needed again.
    """
    found = {key: about for key in keys if (about := blob_keys.parsed(key)) is not None}
    statement = select(
        DocumentRow.id, DocumentRow.live_version, DocumentRow.version, DocumentRow.status
    ).where(
        col(DocumentRow.id).in_({about.document_id for about in found.values()}),
        col(DocumentRow.deleted_at).is_(None),
    )
    states = {row[0]: row[1:] for row in session.exec(statement)}
    return [
        key
        for key, about in found.items()
        if about.document_id not in states or not _needed(about, *states[about.document_id])
    ]


def _needed(about: DocumentKey, live_version: int | None, version: int, status: Status) -> bool:
    in_work = about.version == version and status in IN_WORK
    return in_work or (about.kind != "vectors" and about.version == live_version)
