"""Accepting: bytes and row are durable before the caller gets an answer; everything else happens later (spec 3.1)."""

import hashlib
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from anyio import to_thread
from sqlmodel import col, select

from footnote_ingest.documents import access
from footnote_ingest.documents.originals import hold_original
from footnote_ingest.documents.quota import Quota
from footnote_ingest.documents.view import document_view
from footnote_ingest.parsing.failures import ParseFailed
from footnote_ingest.parsing.formats import SUPPORTED_NAMES
from footnote_ingest.parsing.sniff import HEAD_BYTES, sniff
from footnote_ingest.store import folders
from footnote_ingest.store.documents import Placed
from footnote_ingest.store.tables import ROOT, DocumentRow, VersionRow
from footnote_ingest.work import stages
from footnote_ingest.work.fair import dispatch_next
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.protocol import BlobStore, StoredBlob
from footnote_shared.contracts.documents import Document, SourceType, Visibility
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, WriteSession, lock_for_transaction
from footnote_shared.db.idempotency import KeyedRequest, answer_once
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict, NotFound, UnsupportedType
from footnote_shared.tasks.dispatch import Dispatcher
from footnote_shared.telemetry import metrics

_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Upload:
    """What somebody hands in, but for the bytes. `title` None means that the document's own title is taken.

    `folder` is normalised. `parent_id` is the document that this one was found in (an attachment), whose visibility it
    shares. `visibility` None leaves a document as it is; a new one is then the workspace's.
    """

    filename: str
    declared_mime: str = ""
    title: str | None = None
    folder: str = ROOT
    external_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source_type: SourceType = "upload"
    parent_id: str | None = None
    visibility: Visibility | None = None

    @property
    def identity(self) -> str:
        """What makes a later upload a new version of the same document (spec 9.2)."""
        return identity(self.folder, self.filename, self.external_id, self.parent_id)


@dataclass(frozen=True, slots=True)
class Original:
    """Bytes that are in the object store, and the media type that they show."""

    sha256: str
    size: int
    mime: str


@dataclass(frozen=True, slots=True)
class Acceptor:
    """Takes uploads for one process; every method is safe to race with itself.

    Raises UnsupportedType with the list of types for what cannot be read at all. A file that is empty, encrypted or broken
    is accepted and fails with its reason, so that it stands in the listing where its owner looks.
    """

    database: Database
    blobs: BlobStore
    dispatcher: Dispatcher
    policy: WorkPolicy
    quota: Quota

    async def accept_file(
        self,
        principal: Principal,
        upload: Upload,
        content: IO[bytes],
        max_bytes: int,
        idempotency_key: str | None = None,
    ) -> Document:
        """The document that the file is now, or will be, a version of. The file is read twice at most, piece by piece."""
        head = await to_thread.run_sync(_head, content)
        mime = type_of(head, upload)

        async def store() -> StoredBlob:
            return await self.blobs.put_stream(
                lambda sha256: blob_keys.original(principal.workspace_id, sha256), _pieces(content), max_bytes
            )

        stored = await store()
        original = Original(stored.sha256, stored.size, mime)
        document = await to_thread.run_sync(self.enter, principal, upload, original, idempotency_key)
        if not await to_thread.run_sync(self.blobs.exists, stored.key):
            # The last version of the same bytes was removed between our write and our commit (`originals.forget`).
            await store()
        return document

    def accept_bytes(
        self, principal: Principal, upload: Upload, content: bytes, idempotency_key: str | None = None
    ) -> Document:
        """The same for bytes in memory."""
        mime = type_of(content[: HEAD_BYTES + 1], upload)
        original = Original(hashlib.sha256(content).hexdigest(), len(content), mime)
        key = blob_keys.original(principal.workspace_id, original.sha256)
        self.blobs.put(key, content)
        document = self.enter(principal, upload, original, idempotency_key)
        if not self.blobs.exists(key):
            self.blobs.put(key, content)
        return document

    def enter(
        self, principal: Principal, upload: Upload, original: Original, idempotency_key: str | None = None
    ) -> Document:
        """Make the row, in one transaction, for bytes that are durable already."""
        request = KeyedRequest.of(
            principal,
            idempotency_key,
            "documents",
            original.sha256,
            upload.identity,
            upload.title or "",
            json.dumps(dict(upload.metadata), sort_keys=True),
            upload.visibility or "",
        )
        with self.database.write() as session:
            return answer_once(
                session, request, Document, lambda: self._enter(session, principal, upload, original)
            )[0]

    def _enter(
        self, session: WriteSession, principal: Principal, upload: Upload, original: Original
    ) -> Document:
        # Twins wait here for each other: the later one finds the document of the earlier.
        lock_for_transaction(session, "document", principal.workspace_id, upload.identity)
        hold_original(session, principal.workspace_id, original.sha256)
        row = access.existing(session, principal, upload.identity, upload.visibility, lock=True)
        if row is not None and upload.visibility is not None:
            access.set_visibility(
                session, self.dispatcher, principal, row, upload.identity, upload.visibility
            )
        if row is not None and _unchanged(row, upload, original):
            row.attributes = dict(upload.metadata) or row.attributes
            stages.note(session, row, "skipped", "The same bytes were handed in again.")
            metrics.ACCEPTED.labels("unchanged").inc()
        else:
            metrics.ACCEPTED.labels("new" if row is None else "version").inc()
            if row is None:
                visibility = _parents_visibility(session, upload) or upload.visibility or "workspace"
                self.quota.take(session, principal.workspace_id)
                row = _first(session, principal, upload, visibility)
            _add_version(session, row, upload, original)
            dispatch_next(session, self.dispatcher, self.policy, principal.workspace_id)
        session.flush()
        return document_view(Placed(row, folders.path_of(session, row.folder_id)))


def identity(folder: str, filename: str, external_id: str | None, parent_id: str | None = None) -> str:
    """`external_id` where there is one, else the place of the file."""
    if parent_id is not None:
        return f"part:{parent_id}:{filename}"
    return f"external:{external_id}" if external_id is not None else f"file:{folder.rstrip('/')}/{filename}"


def queue_again(session: WriteSession, row: DocumentRow, detail: str, *, title: str | None = None) -> None:
    """The same bytes as a new version, perhaps under another title: all is read, cut and embedded anew; equal text keeps its
    ids and vectors."""
    last = session.get(VersionRow, (row.id, row.version))
    if last is None or not last.needs_bytes:
        raise Conflict("The bytes of this document are no longer there; upload it again.")
    row.settle_at = now()
    row.version += 1
    session.add(
        VersionRow(
            document_id=row.id, version=row.version, workspace_id=row.workspace_id, title=title or last.title, filename=last.filename,
            mime=last.mime, declared_mime=last.declared_mime, size=last.size, sha256=last.sha256,
        )
    )  # fmt: skip
    stages.begin(session, row, detail)


def type_of(head: bytes, upload: Upload) -> str:
    """The media type that the first `HEAD_BYTES` show; one byte more tells that the file goes on."""
    try:
        return sniff(
            head[:HEAD_BYTES], upload.filename, upload.declared_mime, complete=len(head) <= HEAD_BYTES
        ).mime
    except ParseFailed as failed:
        if failed.code in ("unsupported", "not_text"):
            listed = "" if SUPPORTED_NAMES in failed.reason else f" Supported: {SUPPORTED_NAMES}."
            raise UnsupportedType(failed.reason + listed) from failed
        return upload.declared_mime.partition(";")[0].strip().lower() or "application/octet-stream"


def _parents_visibility(session: WriteSession, upload: Upload) -> Visibility | None:
    """Who sees the document that this one was found in, which stays as it is until the transaction ends; None where there is
    no such document, NotFound where it has been deleted."""
    if upload.parent_id is None:
        return None
    alive = select(DocumentRow).where(
        col(DocumentRow.id) == upload.parent_id, col(DocumentRow.deleted_at).is_(None)
    )
    found = session.exec(alive.with_for_update(read=True)).first()
    if found is None:
        raise NotFound
    return found.visibility


def _first(
    session: WriteSession, principal: Principal, upload: Upload, visibility: Visibility
) -> DocumentRow:
    folder = folders.ensure(session, principal.workspace_id, upload.folder)
    row = DocumentRow(
        workspace_id=principal.workspace_id,
        avatar_id=principal.avatar_id,
        folder_id=folder.id if folder else None,
        parent_id=upload.parent_id,
        identity=access.stored_identity(upload.identity, visibility, principal.avatar_id),
        visibility=visibility,
        external_id=upload.external_id,
        title=upload.title or upload.filename,
        title_given=upload.title is not None,
        filename=upload.filename,
        mime="",
        size=0,
        sha256="",
        source_type=upload.source_type,
    )
    session.add(row)
    return row


def _add_version(session: WriteSession, row: DocumentRow, upload: Upload, original: Original) -> None:
    again = row.version > 0
    if again and row.version != row.live_version:
        # Nobody ever saw the version that this one supersedes: what is left of it goes soon.
        row.settle_at = now()
    row.version += 1
    row.title_given = upload.title is not None
    row.title = upload.title or (row.title if again else upload.filename)
    row.filename, row.mime, row.size, row.sha256 = (
        upload.filename,
        original.mime,
        original.size,
        original.sha256,
    )
    row.attributes = dict(upload.metadata)
    session.add(row)
    session.flush()
    session.add(
        VersionRow(
            document_id=row.id, version=row.version, workspace_id=row.workspace_id, title=row.title, filename=row.filename,
            mime=row.mime, declared_mime=upload.declared_mime, size=row.size, sha256=row.sha256,
        )
    )  # fmt: skip
    stages.begin(session, row, f"Version {row.version} was accepted." if again else "Accepted.")


def _unchanged(row: DocumentRow, upload: Upload, original: Original) -> bool:
    same_title = upload.title is None or upload.title == row.title
    return row.sha256 == original.sha256 and row.status != "failed" and same_title


def _head(content: IO[bytes]) -> bytes:
    content.seek(0)
    return content.read(HEAD_BYTES + 1)


async def _pieces(content: IO[bytes]) -> AsyncIterator[bytes]:
    await to_thread.run_sync(content.seek, 0)
    while piece := await to_thread.run_sync(content.read, _PIECE):
        yield piece
