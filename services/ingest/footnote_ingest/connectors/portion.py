"""Some items of a run, gathered outside of any transaction and then entered in one.

The documents, what is known of the items, the report and the place to go on are committed together. So a run
that is killed loses only what it had not committed, and counts nothing twice.
"""

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlmodel import col, select

from footnote_ingest.connectors.protocol import FetchedItem, SourceItem
from footnote_ingest.documents.accept import Acceptor
from footnote_ingest.documents.originals import forget
from footnote_ingest.documents.paths import has_controls, normalise, plain_name
from footnote_ingest.documents.upload import Original, Upload, media_type, type_of
from footnote_ingest.parsing.sniff import HEAD_BYTES
from footnote_ingest.store.connector_tables import ConnectorItemRow, ConnectorRow, ConnectorRunRow
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.contracts.documents import Document
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.clock import now, rfc3339
from footnote_shared.kernel.errors import CallerError, TooMany
from footnote_shared.vectors.visibility import OWNERS_GROUP

MOST_NOTES = 100
"""Items of one report that are named with their reasons. All of them are counted."""

_LONGEST_ID = 2000
"""Bytes of an item's id: more do not fit into an index of PostgreSQL."""

_LONGEST_REASON = 500
_LONGEST_TITLE = 500
_LONGEST_AUTHOR = 500
_LONGEST_URL = 2000
_UNDER_HOLD = "Its document is under legal hold and stays as it was. It is tried again by the next sync."


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of an item: its row, and its document if that is alive."""

    row: ConnectorItemRow
    document: DocumentRow | None


@dataclass(frozen=True, slots=True)
class Stored:
    """An item whose bytes are durable."""

    item: SourceItem
    revision: str
    upload: Upload
    original: Original
    content: bytes
    token: str | None


@dataclass(slots=True)
class Portion:
    """What became of items so far. `bytes` were fetched for them."""

    stored: list[Stored] = field(default_factory=list)
    unchanged: list[tuple[SourceItem, str]] = field(default_factory=list)
    skipped: list[tuple[SourceItem, str, str]] = field(default_factory=list)
    failed: list[tuple[SourceItem, str]] = field(default_factory=list)
    gone: list[SourceItem] = field(default_factory=list)
    bytes: int = 0

    def __bool__(self) -> bool:
        return bool(self.stored or self.unchanged or self.skipped or self.failed or self.gone)


def known_items(
    session: ReadSession | WriteSession, connector_id: str, ids: Collection[str]
) -> dict[str, Known]:
    """What is known of the items, by id."""
    # What cannot be written down was never known.
    written = [item_id for item_id in ids if not has_controls(item_id)]
    statement = (
        select(ConnectorItemRow, DocumentRow)
        .outerjoin(
            DocumentRow,
            (col(DocumentRow.id) == col(ConnectorItemRow.document_id))
            & col(DocumentRow.deleted_at).is_(None),
        )
        .where(col(ConnectorItemRow.connector_id) == connector_id, col(ConnectorItemRow.item_id).in_(written))
    )
    return {row.item_id: Known(row, document) for row, document in session.exec(statement)}


def unfit(item: SourceItem) -> str | None:
    """Why no document can be made of an item that is named like this; None if one can."""
    if not item.id or has_controls(item.id):
        return "Its id is empty or holds control characters."
    if len(item.id.encode()) > _LONGEST_ID:
        return f"Its id is longer than {_LONGEST_ID} bytes."
    if any(not group or has_controls(group) or group.startswith(OWNERS_GROUP) for group in item.groups or ()):
        return "One of the groups that may read it has no valid name."
    return None


def revision_of(item: SourceItem, content: bytes | None = None) -> str | None:
    """A digest of all that the source says of the item, and of its content where it says nothing of that.

    None if only the content can tell, which is not there yet.
    """
    told = item.revision
    if told is None:
        if content is None:
            return None
        told = hashlib.sha256(content).hexdigest()
    facts = {
        "content": told,
        "title": item.title,
        "url": item.url,
        "folder": item.folder,
        "author": item.author,
        "groups": None if item.groups is None else sorted(item.groups),
        "metadata": dict(item.metadata),
        "updated_at": rfc3339(item.updated_at) if item.updated_at else None,
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def store(acceptor: Acceptor, connector: ConnectorRow, fetched: FetchedItem) -> Stored:
    """Make the content durable. Raises CallerError for one that cannot be a document."""
    item = fetched.item
    folder = normalise(f"{connector.folder}/{item.folder}")
    title = " ".join((item.title or "").split())[:_LONGEST_TITLE] or None
    author = item.author[:_LONGEST_AUTHOR] if item.author and not has_controls(item.author) else None
    about = {"author": author, "updated_at": rfc3339(item.updated_at) if item.updated_at else None}
    upload = Upload(
        filename=plain_name(fetched.filename) or plain_name(title) or "unnamed",
        declared_mime=media_type(fetched.mime),
        title=title if title and not has_controls(title) else None,
        folder=folder,
        external_id=item.id,
        metadata={**item.metadata, **{name: value for name, value in about.items() if value is not None}},
        source_type="connector",
        connector_id=connector.id,
        url=_address(item.url),
        reader_groups=None if item.groups is None else tuple(item.groups),
    )
    mime = type_of(fetched.content[: HEAD_BYTES + 1], upload)
    original = Original(hashlib.sha256(fetched.content).hexdigest(), len(fetched.content), mime)
    acceptor.blobs.put(blob_keys.original(connector.workspace_id, original.sha256), fetched.content)
    revision = revision_of(item, fetched.content)
    assert revision is not None, "the content tells"
    return Stored(item, revision, upload, original, fetched.content, fetched.token)


def _address(url: str | None) -> str | None:
    """The address if a browser may be led there."""
    if url is None or len(url) > _LONGEST_URL or has_controls(url):
        return None
    return url if url.startswith(("https://", "http://")) else None


def enter(
    session: WriteSession,
    acceptor: Acceptor,
    connector: ConnectorRow,
    run: ConnectorRunRow,
    portion: Portion,
    mark: str,
) -> list[str]:
    """Enter the portion, and add it to the report; return the hashes of bytes that were refused.

    `mark` is what the items are marked as seen with.
    """
    ids = [stored.item.id for stored in portion.stored]
    ids += [item.id for item, _ in portion.unchanged]
    ids += [item.id for item, _, _ in portion.skipped]
    ids += [item.id for item, _ in portion.failed]
    ids += [item.id for item in portion.gone]
    known = known_items(session, connector.id, ids)
    report = _Report(session, connector, run, known, mark)
    entered: list[Document] = []
    refused: list[str] = []
    principal = owner_of(connector)
    # Whoever enters several documents locks them in the same order.
    for stored in sorted(portion.stored, key=lambda one: one.upload.identity):
        try:
            with session.begin_nested():
                document = acceptor.enter_one(session, principal, stored.upload, stored.original)
        except (CallerError, TooMany) as error:
            refused.append(stored.original.sha256)
            report.failed(stored.item, error.detail)
        else:
            if document.sha256 != stored.original.sha256:
                refused.append(stored.original.sha256)
                report.failed(stored.item, _UNDER_HOLD)
                continue
            entered.append(document)
            report.taken(stored, document)
    for item, revision in portion.unchanged:
        report.unchanged(item, revision)
    for item, reason, revision in portion.skipped:
        report.skipped(item, reason, revision)
    for item, reason in portion.failed:
        report.failed(item, reason)
    for item in portion.gone:
        report.gone(item)
    run.bytes += portion.bytes
    acceptor.dispatch(session, principal, entered)
    return refused


def look_after_bytes(
    acceptor: Acceptor, workspace_id: str, stored: Sequence[Stored], refused: Sequence[str]
) -> None:
    """After the commit: remove the bytes of refused items, and write again what was removed just before."""
    for each in stored:
        key = blob_keys.original(workspace_id, each.original.sha256)
        if each.original.sha256 not in refused and not acceptor.blobs.exists(key):
            acceptor.blobs.put(key, each.content)
    if refused:
        forget(acceptor.database, acceptor.blobs, workspace_id, refused)


def owner_of(connector: ConnectorRow) -> Principal:
    """For whom documents of the connector are entered."""
    return Principal(workspace_id=connector.workspace_id, avatar_id=connector.avatar_id, scopes=frozenset())


@dataclass(slots=True)
class _Report:
    session: WriteSession
    connector: ConnectorRow
    run: ConnectorRunRow
    known: dict[str, Known]
    mark: str

    def taken(self, stored: Stored, document: Document) -> None:
        self.run.seen += 1
        before = self.known.get(stored.item.id)
        alive = before.document if before is not None else None
        if alive is None or alive.id != document.id:
            self.run.new += 1
        elif before is not None and before.row.revision == stored.revision:
            self.run.unchanged += 1
        else:
            self.run.changed += 1
        row = self._seen(stored.item)
        row.document_id, row.revision, row.skipped = document.id, stored.revision, None
        row.token = stored.token

    def unchanged(self, item: SourceItem, revision: str) -> None:
        self.run.seen += 1
        self.run.unchanged += 1
        self._seen(item).revision = revision

    def skipped(self, item: SourceItem, reason: str, revision: str) -> None:
        self.run.seen += 1
        self.run.skipped += 1
        known = self.known.get(item.id)
        if known is not None and known.document is not None:
            reason = f"{reason} Its document stays as it was."
        self._note(item, "skipped", reason)
        if unfit(item) is None:
            row = self._seen(item)
            row.revision, row.skipped = revision, reason

    def failed(self, item: SourceItem, reason: str) -> None:
        self.run.seen += 1
        self.run.failed += 1
        self._note(item, "failed", reason)
        if unfit(item) is None:
            self._seen(item).revision = None

    def gone(self, item: SourceItem) -> None:
        """Mark it, for the end of the run to delete it together with what has vanished."""
        known = self.known.get(item.id)
        if known is not None:
            known.row.seen_in = None
            known.row.revision = gone_in(self.run)
            self.session.add(known.row)

    def _seen(self, item: SourceItem) -> ConnectorItemRow:
        known = self.known.get(item.id)
        row = known.row if known is not None else None
        if row is None:
            row = ConnectorItemRow(connector_id=self.connector.id, item_id=item.id)
            self.known[item.id] = Known(row, None)
        row.seen_in, row.touched_at = self.mark, now()
        self.session.add(row)
        return row

    def _note(self, item: SourceItem, outcome: str, reason: str) -> None:
        if len(self.run.notes) < MOST_NOTES:
            name = item.id.encode("utf-8", "backslashreplace").decode()[:_LONGEST_REASON]
            note: dict[str, Any] = {"item": name, "outcome": outcome, "reason": reason[:_LONGEST_REASON]}
            readers = self._readers(item)
            if readers is not None:
                note["readers"] = readers
            # A new list, so that the session notices the change.
            self.run.notes = [*self.run.notes, note]

    def _readers(self, item: SourceItem) -> list[str] | None:
        """The groups that may know of the item; None for everybody of the workspace."""
        if item.groups is not None:
            return sorted(item.groups)
        known = self.known.get(item.id)
        document = known.document if known is not None else None
        if document is None:
            return None
        return [] if document.visibility == "private" else document.reader_groups


def gone_in(run: ConnectorRunRow) -> str:
    """What marks an item of which the source said in this run that it was removed."""
    return f"gone:{run.id}"
