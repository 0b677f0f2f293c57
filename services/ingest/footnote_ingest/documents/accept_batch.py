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
from footnote_ingest.documents.originals import forget
from footnote_ingest.documents.upload import Original, Upload, type_of
from footnote_ingest.parsing.sniff import HEAD_BYTES
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import WriteSession
from footnote_shared.db.idempotency import KeyedRequest, keep_answer, kept_answer
from footnote_shared.kernel.errors import CallerError, TooMany
from footnote_shared.kernel.problem_document import problem_of

_ACCEPTED = 202


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
    stored = [_store(acceptor, principal, item) if isinstance(item, FileOfBatch) else item for item in given]
    request = KeyedRequest.of(principal, key, "documents:batch", *(_fingerprint(item) for item in stored))
    batch = _Batch(acceptor, principal, stored, request)
    while len(batch.done) < len(stored):
        batch.done |= acceptor.database.write_once_more(batch.enter_some, gives_way=True)
    outcomes = _in_order(batch.done)
    _look_after_bytes(acceptor, principal, stored, outcomes)
    return outcomes


def _store(acceptor: Acceptor, principal: Principal, item: FileOfBatch) -> _StoredFile | Refusal:
    """Make the bytes durable; or say why they are refused."""
    item.content.seek(0)
    content = item.content.read()
    try:
        mime = type_of(content[: HEAD_BYTES + 1], item.upload)
    except CallerError as refused:
        return refused
    original = Original(hashlib.sha256(content).hexdigest(), len(content), mime)
    acceptor.blobs.put(blob_keys.original(principal.workspace_id, original.sha256), content)
    return _StoredFile(item.upload, original, item.content)


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
        # Two batches that hold the same documents lock them in the same order.
        for at in sorted(range(len(self.stored)), key=lambda at: _lock_order(self.stored[at])):
            if at in self.done:
                continue
            if outcomes and time.monotonic() >= until:
                break
            outcomes[at] = self._enter(session, self.stored[at])
        entered = [outcome.document for outcome in outcomes.values() if outcome.document is not None]
        self.acceptor.dispatch(session, self.principal, entered)
        if len(self.done) + len(outcomes) == len(self.stored):
            keep_answer(session, self.request, _in_order(self.done | outcomes))
        return outcomes

    def _enter(self, session: WriteSession, item: _StoredFile | Refusal) -> BatchOutcome:
        if isinstance(item, _StoredFile):
            try:
                with session.begin_nested():
                    document = self.acceptor.enter_one(session, self.principal, item.upload, item.original)
            except (CallerError, TooMany) as refused:
                item = refused
            else:
                return BatchOutcome(status=_ACCEPTED, document=document)
        return BatchOutcome(status=item.status, problem=problem_of(item))


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
