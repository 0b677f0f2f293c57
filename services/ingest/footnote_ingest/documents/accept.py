"""Accepting: bytes and row are durable before the caller gets an answer.

Everything else happens later (spec 3.1).
"""

import hashlib
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import IO, Protocol

from anyio import fail_after, to_thread
from sqlmodel import col, select

from footnote_ingest.documents.access import set_visibility
from footnote_ingest.documents.identity import existing
from footnote_ingest.documents.legal_hold import UnderLegalHold
from footnote_ingest.documents.new_documents import NewDocuments, first_row, may_be_made_apart
from footnote_ingest.documents.originals import forget, hold_original
from footnote_ingest.documents.parts import family
from footnote_ingest.documents.provenance import follow_source, set_readers
from footnote_ingest.documents.upload import Original, Upload, type_of
from footnote_ingest.documents.versions import add_version
from footnote_ingest.documents.view import document_view
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.parsing.sniff import HEAD_BYTES
from footnote_ingest.store import folders
from footnote_ingest.store.documents import DocumentInFolder
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work import stages
from footnote_ingest.work.fair import dispatch_next
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.protocol import BlobStore, StoredBlob
from footnote_shared.contracts.documents import Document
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, WriteSession, lock_for_transaction
from footnote_shared.db.idempotency import KeyedRequest, answer_once
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import CallerError, NotFound, TooMany, TryLater
from footnote_shared.telemetry import metrics

_PIECE = 1 << 20
_TYPE_WITHIN_S = 5.0
"""Looking through the first bytes takes milliseconds; a server that needs longer has no thread free."""


class DocumentQuota(Protocol):
    """Says whether there is room for one more document, and for its bytes."""

    def take(self, session: WriteSession, workspace_id: str, unwritten: int = 0) -> None:
        """Count one more; raises TooMany or TooLarge if there is no room for it.

        `unwritten`: as many documents were accepted that no statement finds yet.
        """

    def take_bytes(self, session: WriteSession, workspace_id: str, size: int, unwritten: int = 0) -> None:
        """Count a file of `size` bytes; raises TooMany if there is no room for it.

        `unwritten`: documents of so many bytes were accepted that no statement finds yet.
        """


@dataclass(frozen=True, slots=True)
class Acceptor:
    """Takes uploads for one process. Every method is safe to race with itself.

    An upload of a session is deleted `session_kept` after it was last handed in.

    Raises UnsupportedType, with the list of types, for a file that no parser reads. A file that is empty,
    encrypted or broken is accepted and fails with its reason: its owner finds it in the listing.
    """

    database: Database
    blobs: BlobStore
    dispatcher: Dispatcher
    policy: WorkPolicy
    quota: DocumentQuota
    session_kept: timedelta = timedelta(hours=24)

    async def accept_file(
        self,
        principal: Principal,
        upload: Upload,
        content: IO[bytes],
        max_bytes: int,
        idempotency_key: str | None = None,
    ) -> Document:
        """Accept a file; return the document that it is a version of.

        The file is read at most three times: a short one at once, and a long one piece by piece.
        """
        beginning, mime = await _looked_at_in_time(content, upload)

        async def store() -> StoredBlob:
            if len(beginning) <= min(_PIECE, max_bytes):
                return await to_thread.run_sync(self._put, principal, beginning)
            return await self.blobs.put_stream(
                lambda sha256: blob_keys.original(principal.workspace_id, sha256), _pieces(content), max_bytes
            )

        stored = await store()
        original = Original(stored.sha256, stored.size, mime)

        def enter() -> tuple[Document, bool]:
            document = self._enter_or_forget(principal, upload, original, idempotency_key)
            return document, self.blobs.exists(stored.key)

        document, are_there = await to_thread.run_sync(enter, limiter=self.database.writing)
        if not are_there:
            # The last version of the same bytes was removed between our write and our commit
            # (`originals.forget`).
            await store()
        return document

    def accept_bytes(
        self, principal: Principal, upload: Upload, content: bytes, idempotency_key: str | None = None
    ) -> Document:
        """Accept bytes that are in memory."""
        mime = type_of(content[: HEAD_BYTES + 1], upload)
        stored = self._put(principal, content)
        original = Original(stored.sha256, stored.size, mime)
        document = self._enter_or_forget(principal, upload, original, idempotency_key)
        if not self.blobs.exists(stored.key):
            self.blobs.put(stored.key, content)
        return document

    def _put(self, principal: Principal, content: bytes) -> StoredBlob:
        sha256 = hashlib.sha256(content).hexdigest()
        key = blob_keys.original(principal.workspace_id, sha256)
        self.blobs.put(key, content)
        return StoredBlob(key, len(content), sha256)

    def _enter_or_forget(
        self, principal: Principal, upload: Upload, original: Original, idempotency_key: str | None
    ) -> Document:
        """`enter`; if the upload is refused, its bytes go again, unless a version needs them."""
        try:
            return self.enter(principal, upload, original, idempotency_key)
        except (CallerError, TooMany):
            forget(self.database, self.blobs, principal.workspace_id, [original.sha256])
            raise

    def enter(
        self, principal: Principal, upload: Upload, original: Original, idempotency_key: str | None = None
    ) -> Document:
        """Make the row for bytes that are already durable.

        Uploads that wait for SQLite's one writer are committed together.
        """
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

        def work(session: WriteSession) -> Document:
            document = self.enter_one(session, principal, upload, original)
            self.dispatch(session, principal, [document])
            return document

        def enter(session: WriteSession) -> Document:
            return answer_once(session, request, Document, lambda: work(session))[0]

        return self.database.write_together(enter)

    def dispatch(self, session: WriteSession, principal: Principal, entered: Sequence[Document]) -> None:
        """Put what was entered in flight, as far as there is room."""
        if any(document.status == "queued" for document in entered):
            dispatch_next(session, self.dispatcher, self.policy, principal.workspace_id)

    def enter_one(
        self, session: WriteSession, principal: Principal, upload: Upload, original: Original
    ) -> Document:
        """Make the row for bytes that are already durable. It waits until it is dispatched."""
        # Uploads of the same identity wait here for each other: the later one finds the document of the
        # earlier one.
        lock_for_transaction(session, "document", principal.workspace_id, upload.identity)
        hold_original(session, principal.workspace_id, original.sha256)
        row = existing(session, principal, upload.identity, upload.visibility, lock=True)
        if row is None and may_be_made_apart(upload):
            made = NewDocuments(session, principal)
            document = self.make_one(made, upload, original)
            made.write()
            return document
        if row is not None and upload.visibility is not None:
            set_visibility(session, self.dispatcher, principal, row, upload.identity, upload.visibility)
        if row is not None and _unchanged(row, upload, original):
            row.attributes = dict(upload.metadata) or row.attributes
            stages.note(session, row, "skipped", "The same bytes were handed in again.")
            metrics.ACCEPTED.labels("unchanged").inc()
        elif row is not None and row.legal_hold and row.sha256 != original.sha256:
            if upload.connector_id is None:
                raise UnderLegalHold("The document is under legal hold: it takes no other text.")
            # Its readers follow the source all the same. The sync sees that these bytes were not taken.
            stages.note(session, row, "skipped", "Under legal hold: what its source says now was not taken.")
        else:
            self.quota.take_bytes(session, principal.workspace_id, original.size)
            metrics.ACCEPTED.labels("new" if row is None else "version").inc()
            if row is None:
                parent = _parent(session, upload)
                self.quota.take(session, principal.workspace_id)
                row = _first(session, principal, upload, parent)
            add_version(session, row, upload, original)
        if upload.session_id is not None:
            ends = now() + self.session_kept
            for member in family(session, row):
                member.expires_at = ends
        if upload.connector_id is not None:
            follow_source(session, self.dispatcher, row, upload)
        session.flush()
        return document_view(DocumentInFolder(row, folders.path_of(session, row.folder_id)))

    def make_one(self, made: NewDocuments, upload: Upload, original: Original) -> Document:
        """Add the document of an upload that is a version of none. Raises TooMany, and adds nothing."""
        workspace_id = made.principal.workspace_id
        documents, size = made.unwritten
        self.quota.take_bytes(made.session, workspace_id, original.size, size)
        self.quota.take(made.session, workspace_id, documents)
        metrics.ACCEPTED.labels("new").inc()
        return made.add(upload, original)


def _parent(session: WriteSession, upload: Upload) -> DocumentRow | None:
    """The message that an attachment was found in; None for any other upload.

    The message stays as it is until the transaction ends. Raises NotFound if it has been deleted.
    """
    if upload.parent_id is None:
        return None
    alive = select(DocumentRow).where(
        col(DocumentRow.id) == upload.parent_id, col(DocumentRow.deleted_at).is_(None)
    )
    found = session.exec(alive.with_for_update(read=True)).first()
    if found is None:
        raise NotFound
    return found


def _first(
    session: WriteSession, principal: Principal, upload: Upload, parent: DocumentRow | None
) -> DocumentRow:
    """A new row. An attachment is seen by whoever sees its message, and comes from where that comes from.

    With the message of a session it ends with that.
    """
    visibility = parent.visibility if parent is not None else upload.visibility or "workspace"
    folder = folders.ensure(session, principal.workspace_id, upload.folder)
    session_id = parent.session_id if parent is not None else upload.session_id
    row = first_row(principal, upload, folder, visibility)
    row.session_id = session_id
    if session_id is not None:
        row.source_type = "anonymous"
    if parent is not None:
        row.expires_at, row.connector_id, row.url = parent.expires_at, parent.connector_id, parent.url
    groups = parent.reader_groups if parent is not None else upload.reader_groups
    if groups is not None:
        set_readers(session, row, groups)
    session.add(row)
    return row


def _unchanged(row: DocumentRow, upload: Upload, original: Original) -> bool:
    same_title = upload.title is None or upload.title == row.title
    return row.sha256 == original.sha256 and row.status != "failed" and same_title


async def _pieces(content: IO[bytes]) -> AsyncIterator[bytes]:
    await to_thread.run_sync(content.seek, 0)
    while piece := await to_thread.run_sync(content.read, _PIECE):
        yield piece


async def _looked_at_in_time(content: IO[bytes], upload: Upload) -> tuple[bytes, str]:
    """The first piece of the file, with one byte more if there is more, and `type_of` it.

    Both are found beside the event loop. Raises TryLater if that takes too long; the thread is left behind.
    """

    def look() -> tuple[bytes, str]:
        content.seek(0)
        beginning = content.read(_PIECE + 1)
        return beginning, type_of(beginning[: HEAD_BYTES + 1], upload)

    try:
        with fail_after(_TYPE_WITHIN_S):
            return await to_thread.run_sync(look, abandon_on_cancel=True)
    except TimeoutError as error:
        raise TryLater("The server is too busy to look at the file.", retry_after=2) from error
