"""Accepting many files at once: each has its own outcome.

One transaction is committed for all, or on SQLite for as many as go into a few milliseconds: nobody else can
write meanwhile.
"""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO

from footnote_ingest.contracts.document_batches import BatchOutcome, BatchOutcomes
from footnote_ingest.documents.accept import Acceptor
from footnote_ingest.documents.identity import stored_forms
from footnote_ingest.documents.new_documents import NewDocuments, may_be_made_apart
from footnote_ingest.documents.originals import forget, hold_original
from footnote_ingest.documents.upload import Original, Upload, type_of
from footnote_ingest.parsing.sniff import HEAD_BYTES
from footnote_ingest.store.documents import taken_among
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.contracts.documents import Document
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import WriteSession, lock_for_transaction
from footnote_shared.db.idempotency import KeyedRequest, keep_answer, kept_answer
from footnote_shared.kernel.errors import CallerError, TooMany
from footnote_shared.kernel.problem_document import problem_of

_ACCEPTED = 202

_BYTES_TOGETHER = 4 * 2**20
"""Bytes of files that are held in memory until they are made durable together."""

_LOOKED_UP_AT_ONCE = 32
"""Files of which one statement tells what there is already."""


@dataclass(frozen=True, slots=True)
class FileOfBatch:
    """One file of a batch, and what its sender says of it."""

    upload: Upload
    content: IO[bytes]


@dataclass(frozen=True, slots=True)
class _StoredFile:
    upload: Upload
    original: Original
    content: IO[bytes]


Refusal = CallerError | TooMany
"""Why one file was not accepted. The others go on."""


def accept_batch(
    acceptor: Acceptor, principal: Principal, given: Sequence[FileOfBatch | Refusal], key: str | None = None
) -> BatchOutcomes:
    """Accept the files; return the outcome of each, in the order given. What is accepted is durable then.

    What is refused already keeps its place. Raises TryLater if a store does not answer. The request can be
    sent again then with the same `Idempotency-Key`: a file that was accepted has the same bytes, and gets no
    other version.
    """
    stored = _store_all(acceptor, principal, given)
    request = KeyedRequest.of(principal, key, "documents:batch", *(_fingerprint(item) for item in stored))
    batch = _Batch(acceptor, principal, stored, request)
    while len(batch.done) < len(stored):
        batch.done |= acceptor.database.write_once_more(batch.enter_some, gives_way=True)
    outcomes = _in_order(batch.done)
    _look_after_bytes(acceptor, principal, stored, outcomes)
    return outcomes


def _store_all(
    acceptor: Acceptor, principal: Principal, given: Sequence[FileOfBatch | Refusal]
) -> list[_StoredFile | Refusal]:
    """Make the bytes of the files durable, those of several together; or say why they are refused."""
    stored: list[_StoredFile | Refusal] = []
    waiting: dict[str, bytes] = {}
    for item in given:
        if not isinstance(item, FileOfBatch):
            stored.append(item)
            continue
        content, read = _read(item)
        stored.append(read)
        if isinstance(read, _StoredFile):
            waiting[blob_keys.original(principal.workspace_id, read.original.sha256)] = content
        if sum(map(len, waiting.values())) > _BYTES_TOGETHER:
            acceptor.blobs.put_all(waiting)
            waiting.clear()
    acceptor.blobs.put_all(waiting)
    return stored


def _read(item: FileOfBatch) -> tuple[bytes, _StoredFile | Refusal]:
    """The bytes of the file and what they show, or why it is refused."""
    item.content.seek(0)
    content = item.content.read()
    try:
        mime = type_of(content[: HEAD_BYTES + 1], item.upload)
    except CallerError as refused:
        return content, refused
    original = Original(hashlib.sha256(content).hexdigest(), len(content), mime)
    return content, _StoredFile(item.upload, original, item.content)


def _in_order(outcomes: Mapping[int, BatchOutcome]) -> BatchOutcomes:
    return BatchOutcomes(items=[outcomes[at] for at in range(len(outcomes))])


@dataclass(slots=True)
class _Batch:
    """`done` has the outcomes that are committed, by place."""

    acceptor: Acceptor
    principal: Principal
    stored: Sequence[_StoredFile | Refusal]
    request: KeyedRequest | None
    done: dict[int, BatchOutcome] = field(default_factory=dict)

    def enter_some(self, session: WriteSession) -> dict[int, BatchOutcome]:
        """The outcomes, by place, of the files that this transaction enters: at least one that is not done.

        With the last of them the answer is kept for an equal request. If one was quicker, its answer counts.
        """
        kept = kept_answer(session, self.request, BatchOutcomes)
        if kept is not None:
            return dict(enumerate(kept.items))
        until = time.monotonic() + self.acceptor.database.held_s
        outcomes: dict[int, BatchOutcome] = {}
        made = NewDocuments(session, self.principal)
        # Two batches that hold the same documents lock them in the same order.
        left = sorted(
            (at for at in range(len(self.stored)) if at not in self.done),
            key=lambda at: _lock_order(self.stored[at]),
        )
        for start in range(0, len(left), _LOOKED_UP_AT_ONCE):
            some = left[start : start + _LOOKED_UP_AT_ONCE]
            if outcomes and time.monotonic() >= until:
                break
            taken = self._taken(session, [self.stored[at] for at in some])
            for at in some:
                if outcomes and time.monotonic() >= until:
                    break
                outcomes[at] = self._enter(made, taken, self.stored[at])
        made.write()
        entered = [outcome.document for outcome in outcomes.values() if outcome.document is not None]
        self.acceptor.dispatch(session, self.principal, entered)
        if len(self.done) + len(outcomes) == len(self.stored):
            keep_answer(session, self.request, _in_order(self.done | outcomes))
        return outcomes

    def _taken(self, session: WriteSession, items: Sequence[_StoredFile | Refusal]) -> set[str]:
        """The identities that documents have already, among those of these files. The files are locked."""
        wanted: list[str] = []
        for item in items:
            if isinstance(item, _StoredFile):
                lock_for_transaction(session, "document", self.principal.workspace_id, item.upload.identity)
                wanted += stored_forms(self.principal, item.upload.identity)
        return taken_among(session, self.principal.workspace_id, wanted)

    def _enter(self, made: NewDocuments, taken: set[str], item: _StoredFile | Refusal) -> BatchOutcome:
        if isinstance(item, _StoredFile):
            forms = stored_forms(self.principal, item.upload.identity)
            known = made.has_any_of(forms) or not taken.isdisjoint(forms)
            try:
                if known or not may_be_made_apart(item.upload):
                    document = self._enter_apart(made, item)
                else:
                    hold_original(made.session, self.principal.workspace_id, item.original.sha256)
                    document = self.acceptor.make_one(made, item.upload, item.original)
            except (CallerError, TooMany) as refused:
                item = refused
            else:
                return BatchOutcome(status=_ACCEPTED, document=document)
        return BatchOutcome(status=item.status, problem=problem_of(item))

    def _enter_apart(self, made: NewDocuments, item: _StoredFile) -> Document:
        """Enter what may be refused half-way: a version, or what makes more than a document."""
        # It may be one of a document that waits to be written.
        made.write()
        with made.session.begin_nested():
            return self.acceptor.enter_one(made.session, self.principal, item.upload, item.original)


def _lock_order(item: _StoredFile | Refusal) -> str:
    return item.upload.identity if isinstance(item, _StoredFile) else ""


def _fingerprint(item: _StoredFile | Refusal) -> str:
    if not isinstance(item, _StoredFile):
        return item.detail
    upload = item.upload
    parts = (upload.identity, upload.title, upload.visibility, dict(upload.metadata), item.original.sha256)
    return json.dumps(parts, sort_keys=True)


def _look_after_bytes(
    acceptor: Acceptor,
    principal: Principal,
    stored: Sequence[_StoredFile | Refusal],
    outcomes: BatchOutcomes,
) -> None:
    """Remove the bytes of refused files, and write again what was removed just before our commit."""
    refused: list[str] = []
    for item, outcome in zip(stored, outcomes.items, strict=True):
        if not isinstance(item, _StoredFile):
            continue
        key = blob_keys.original(principal.workspace_id, item.original.sha256)
        if outcome.document is None:
            refused.append(item.original.sha256)
        elif not acceptor.blobs.exists(key):
            item.content.seek(0)
            acceptor.blobs.put(key, item.content.read())
    if refused:
        forget(acceptor.database, acceptor.blobs, principal.workspace_id, refused)
