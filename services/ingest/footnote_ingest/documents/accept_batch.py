"""Accepting many files at once: each has its own outcome, and one transaction is committed for all."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from footnote_ingest.documents.accept import Acceptor
from footnote_ingest.documents.originals import forget
from footnote_ingest.documents.upload import Original, Upload, type_of
from footnote_ingest.parsing.sniff import HEAD_BYTES
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.contracts.document_batches import BatchOutcome, BatchOutcomes
from footnote_shared.contracts.documents import Document
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import WriteSession
from footnote_shared.db.idempotency import KeyedRequest, answer_once
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

    What is refused already keeps its place. Raises TryLater if a store does not answer: nothing is accepted
    then, and the request can be sent again with the same `Idempotency-Key`.
    """
    stored = [_store(acceptor, principal, item) if isinstance(item, FileOfBatch) else item for item in given]
    request = KeyedRequest.of(principal, key, "documents:batch", *(_fingerprint(item) for item in stored))

    def enter(session: WriteSession) -> BatchOutcomes:
        return answer_once(
            session, request, BatchOutcomes, lambda: _enter_all(acceptor, session, principal, stored)
        )[0]

    outcomes = acceptor.database.write_once_more(enter)
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


def _enter_all(
    acceptor: Acceptor,
    session: WriteSession,
    principal: Principal,
    stored: Sequence[_StoredFile | Refusal],
) -> BatchOutcomes:
    outcomes: dict[int, BatchOutcome] = {}
    entered: list[Document] = []
    # Two batches that hold the same documents lock them in the same order.
    for at in sorted(range(len(stored)), key=lambda at: _lock_order(stored[at])):
        item = stored[at]
        if isinstance(item, _StoredFile):
            try:
                with session.begin_nested():
                    document = acceptor.enter_one(session, principal, item.upload, item.original)
            except (CallerError, TooMany) as refused:
                item = refused
            else:
                entered.append(document)
                outcomes[at] = BatchOutcome(status=_ACCEPTED, document=document)
                continue
        outcomes[at] = BatchOutcome(status=item.status, problem=problem_of(item))
    acceptor.dispatch(session, principal, entered)
    return BatchOutcomes(items=[outcomes[at] for at in range(len(stored))])


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
