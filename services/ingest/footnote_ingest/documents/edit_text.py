"""A new version of a document of plain text: its text anew, or with a part of it replaced."""

import hashlib

from footnote_ingest.documents.accept import Acceptor
from footnote_ingest.documents.originals import forget, hold_original
from footnote_ingest.documents.upload import Original, Upload
from footnote_ingest.documents.versions import add_version
from footnote_ingest.documents.view import document_view
from footnote_ingest.store import documents
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.contracts.documents import Document
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.text_files import TextEdit
from footnote_shared.db.engine import WriteSession
from footnote_shared.db.idempotency import KeyedRequest, answer_once, kept_answer
from footnote_shared.kernel.errors import (
    CallerError,
    Conflict,
    FieldError,
    InvalidRequest,
    TooLarge,
    TooMany,
    UnsupportedType,
)
from footnote_shared.kernel.without_numbers import numbers_in

MOST_BYTES = 1 << 20
"""Largest text that is edited, before and after, in bytes of UTF-8."""

_TEXTS = frozenset({"application/json", "application/yaml", "application/toml"})


def edit_text(
    acceptor: Acceptor, principal: Principal, document_id: str, edit: TextEdit, key: str | None
) -> Document:
    """Make the next version of the document. The same key makes it once.

    Raises NotFound for a document that the caller does not see, UnsupportedType for one that is no plain
    text, TooLarge, and Conflict where it comes from elsewhere, does not hold the text once, or is changed by
    somebody else meanwhile.
    """
    request = KeyedRequest.of(principal, key, "edit", document_id, edit)
    if request is not None:
        made = acceptor.database.write_once_more(lambda session: kept_answer(session, request, Document))
        if made is not None:
            return made
    with acceptor.database.read() as session:
        found = documents.get(session, principal, document_id)
        row, unchanged = found.row, document_view(found)
    before = _bytes_of(acceptor, row)
    after = edited(before, edit)
    if after == before:
        return unchanged
    original = Original(hashlib.sha256(after).hexdigest(), len(after), row.mime)
    stored = blob_keys.original(principal.workspace_id, original.sha256)
    acceptor.blobs.put(stored, after)

    def enter(session: WriteSession) -> Document:
        def work() -> Document:
            return _next_version(session, acceptor, principal, row, original, edit)

        return answer_once(session, request, Document, work)[0]

    try:
        document = acceptor.database.write_once_more(enter)
    except (CallerError, TooMany):
        forget(acceptor.database, acceptor.blobs, principal.workspace_id, [original.sha256])
        raise
    if not acceptor.blobs.exists(stored):
        # The last version of the same bytes was removed between our write and our commit.
        acceptor.blobs.put(stored, after)
    return document


def edited(content: bytes, edit: TextEdit) -> bytes:
    """The bytes after the edit. Pure. Raises as `edit_text` does."""
    if edit.text is not None and edit.old is None:
        after = edit.text.encode("utf-8", "replace")
        if len(after) > MOST_BYTES:
            raise _too_large()
        return after
    if edit.old is None or edit.text is not None:
        wrong = FieldError("old", "is needed, or `text`, and not both")
        raise InvalidRequest("Not valid: old.", errors=[wrong])
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _no_text() from error
    old, new = edit.old, edit.new
    times = text.count(old)
    if not times and "\r\n" in text:
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
        times = text.count(old)
    if not times:
        raise Conflict("The document does not hold this text. Nothing was changed.")
    if times > 1 and not edit.everywhere:
        raise Conflict(f"The document holds this text {times} times. Nothing was changed.")
    most = len(text) + times * (len(new) - len(old))
    if most > MOST_BYTES:
        raise _too_large()
    made = text.replace(old, new)
    if edit.no_numbers and numbers_in(made) > numbers_in(text):
        raise Conflict("The edit would leave a number that reads as a citation. Nothing was changed.")
    after = made.encode("utf-8", "replace")
    if len(after) > MOST_BYTES:
        raise _too_large()
    return after


def _bytes_of(acceptor: Acceptor, row: DocumentRow) -> bytes:
    """The bytes that were accepted last. Raises what `edit_text` raises."""
    if row.connector_id is not None or row.parent_id is not None:
        raise Conflict("The document comes from elsewhere: a connector, or the message that it lies in.")
    if not (row.mime.startswith("text/") or row.mime in _TEXTS):
        raise _no_text()
    if row.size > MOST_BYTES:
        raise _too_large()
    return acceptor.blobs.get(blob_keys.original(row.workspace_id, row.sha256))


def _next_version(
    session: WriteSession,
    acceptor: Acceptor,
    principal: Principal,
    seen: DocumentRow,
    original: Original,
    edit: TextEdit,
) -> Document:
    hold_original(session, principal.workspace_id, original.sha256)
    found = documents.get(session, principal, seen.id, lock=True)
    row = found.row
    if row.sha256 != seen.sha256:
        raise Conflict("Somebody else has changed the document meanwhile. Nothing was changed.")
    acceptor.quota.take_bytes(session, principal.workspace_id, original.size)
    upload = Upload(
        filename=row.filename,
        declared_mime=row.mime,
        title=row.title if row.title_given else None,
        metadata={**row.attributes, **edit.metadata},
    )
    add_version(session, row, upload, original)
    session.flush()
    document = document_view(found)
    acceptor.dispatch(session, principal, [document])
    return document


def _no_text() -> UnsupportedType:
    return UnsupportedType("Only files of plain text can be edited.")


def _too_large() -> TooLarge:
    return TooLarge(f"A text of more than {MOST_BYTES} bytes is not edited.")
