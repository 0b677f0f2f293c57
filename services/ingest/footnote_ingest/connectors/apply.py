"""Applying what web hooks said of items, some of one connector at a time."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import or_
from sqlmodel import col, select

from footnote_ingest.connectors.errors import ItemSkipped
from footnote_ingest.connectors.portion import Portion, enter, look_after_bytes, store, unfit
from footnote_ingest.connectors.protocol import FetchedItem, SourceItem
from footnote_ingest.connectors.sync import SyncResources
from footnote_ingest.contracts.webhooks import PushedItem
from footnote_ingest.documents.delete import delete_documents
from footnote_ingest.documents.originals import forget
from footnote_ingest.store.connector_tables import (
    ConnectorChangeRow,
    ConnectorItemRow,
    ConnectorRow,
    ConnectorRunRow,
)
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.awaited_moments import LONGEST_LEASE, has_come
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import CallerError, TryLater
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)
_AT_ONCE = 25
_ONE_REPORT = timedelta(minutes=10)
"""What hooks bring within this time is one report."""


@dataclass(frozen=True, slots=True)
class _Taken:
    connector: ConnectorRow
    changes: Sequence[ConnectorChangeRow]


def apply_changes(work: WorkResources, resources: SyncResources, connector_id: str) -> int:
    """Apply all that waits; return how many changes that were. Safe to race with itself and with hooks."""
    applied = 0
    while not work.stopping() and (taken := _take(work, connector_id)) is not None:
        try:
            _apply(work, resources, taken)
        except TryLater as error:
            _put_back(work, taken, error)
            break
        applied += len(taken.changes)
    return applied


def _take(work: WorkResources, connector_id: str) -> _Taken | None:
    """Some changes that wait, with their try counted, so that it survives a crash of ours.

    What has been tried before is taken by itself: if it kills its worker, it must not take others with it.
    """
    with work.database.write() as session:
        connector = session.get(ConnectorRow, connector_id)
        if connector is None or connector.paused or connector.deleted_at is not None:
            return None
        over = has_come(col(ConnectorChangeRow.available_at), LONGEST_LEASE)
        due = or_(col(ConnectorChangeRow.attempts) == 0, over)
        statement = (
            select(ConnectorChangeRow)
            .where(col(ConnectorChangeRow.connector_id) == connector_id, due)
            .order_by(col(ConnectorChangeRow.attempts).desc(), col(ConnectorChangeRow.received_at))
            .limit(_AT_ONCE)
        )
        rows = list(session.exec(statement.with_for_update(skip_locked=True)))
        if rows and rows[0].attempts > 0:
            rows = rows[:1]
        for row in rows:
            row.attempts += 1
            row.available_at = now() + work.policy.lease
            session.add(row)
    return _Taken(connector, rows) if rows else None


def _put_back(work: WorkResources, taken: _Taken, error: TryLater) -> None:
    """A part of ours does not answer: the changes wait, and the try does not count."""
    _log.warning("changes.put_back", connector=taken.connector.id, reason=error.detail)
    with work.database.write() as session:
        for row in _still_so(session, taken.changes):
            row.attempts -= 1
            row.available_at = now() + work.policy.back_off(4)
            session.add(row)


def _apply(work: WorkResources, resources: SyncResources, taken: _Taken) -> None:
    connector = taken.connector
    portions = {change.item_id: _prepare(work, resources, connector, change) for change in taken.changes}
    stored = [each.original.sha256 for portion in portions.values() for each in portion.stored]
    whole = Portion()
    refused: list[str] = []
    with work.database.write() as session:
        # The connector before its items, as whoever deletes it locks them.
        alive = session.get(ConnectorRow, connector.id, with_for_update=True)
        if alive is not None and alive.deleted_at is None:
            run = _report(session, connector)
            standing = _still_so(session, taken.changes)
            for change in standing:
                portion = portions[change.item_id]
                whole.stored += portion.stored
                whole.failed += portion.failed
                whole.bytes += portion.bytes
            refused += enter(session, resources.acceptor, connector, run, whole, run.id)
            session.flush()
            run.deleted += _delete(session, work, connector, [one for one in standing if one.deleted])
            _remember(session, connector, standing)
            run.ended_at = now()
            session.add(run)
    entered = {each.original.sha256 for each in whole.stored}
    look_after_bytes(resources.acceptor, connector.workspace_id, whole.stored, refused)
    # The connector was deleted, or a later word on the item came, while these bytes were written.
    if unentered := [sha256 for sha256 in stored if sha256 not in entered]:
        forget(resources.acceptor.database, resources.acceptor.blobs, connector.workspace_id, unentered)


def _prepare(
    work: WorkResources, resources: SyncResources, connector: ConnectorRow, change: ConnectorChangeRow
) -> Portion:
    """The item with its bytes durable, or why there will be none."""
    portion = Portion()
    if change.body is None:
        return portion
    pushed = PushedItem.model_validate(json.loads(change.body))
    item = SourceItem(change.item_id, groups=pushed.groups)
    if change.attempts > work.policy.max_attempts:
        portion.failed.append((item, f"It stopped its worker {work.policy.max_attempts} times."))
        return portion
    try:
        fetched = _fetched(pushed)
        reason = unfit(fetched.item)
        if reason is not None:
            raise ItemSkipped(reason)
        portion.bytes = len(fetched.content)
        portion.stored.append(store(resources.acceptor, connector, fetched))
    except (ItemSkipped, CallerError) as refused:
        portion.bytes = 0
        portion.failed.append((item, str(refused)))
    return portion


def _fetched(pushed: PushedItem) -> FetchedItem:
    item = SourceItem(
        id=pushed.id,
        title=pushed.title,
        url=pushed.url,
        folder=pushed.folder or "",
        author=pushed.author,
        updated_at=pushed.updated_at,
        groups=pushed.groups,
        metadata=pushed.metadata,
    )
    content = (pushed.text or "").encode("utf-8", "replace")
    return FetchedItem(content, pushed.title or pushed.id, pushed.mime or "text/plain", item)


def _still_so(session: WriteSession, changes: Sequence[ConnectorChangeRow]) -> list[ConnectorChangeRow]:
    """Those of the changes that no later word has replaced and nobody has applied, locked."""
    found: list[ConnectorChangeRow] = []
    for change in sorted(changes, key=lambda one: one.item_id):
        key = (change.connector_id, change.item_id)
        row = session.get(ConnectorChangeRow, key, with_for_update=True)
        if row is not None and row.event_id == change.event_id:
            found.append(row)
    return found


def _report(session: WriteSession, connector: ConnectorRow) -> ConnectorRunRow:
    """The report that what hooks bring now belongs to: the last one, or another if that is old."""
    recent = (
        select(ConnectorRunRow)
        .where(
            col(ConnectorRunRow.connector_id) == connector.id,
            col(ConnectorRunRow.trigger) == "hook",
            col(ConnectorRunRow.started_at) > now() - _ONE_REPORT,
        )
        .order_by(col(ConnectorRunRow.id).desc())
        .limit(1)
    )
    found = session.exec(recent.with_for_update()).first()
    if found is not None:
        return found
    run = ConnectorRunRow(
        connector_id=connector.id,
        workspace_id=connector.workspace_id,
        trigger="hook",
        status="succeeded",
        started_at=now(),
        ended_at=now(),
    )
    session.add(run)
    session.flush()
    return run


def _delete(
    session: WriteSession, work: WorkResources, connector: ConnectorRow, changes: Sequence[ConnectorChangeRow]
) -> int:
    """Delete the documents of these items that are alive and under no legal hold; return how many."""
    named = col(ConnectorItemRow.item_id).in_([change.item_id for change in changes])
    alive = (
        select(DocumentRow.id)
        .join(ConnectorItemRow, col(ConnectorItemRow.document_id) == col(DocumentRow.id))
        .where(col(ConnectorItemRow.connector_id) == connector.id, named)
        .where(col(DocumentRow.deleted_at).is_(None), col(DocumentRow.legal_hold).is_(False))
    )
    ids = list(session.exec(alive))
    delete_documents(session, work.dispatcher, work.policy, connector.workspace_id, ids)
    return len(ids)


def _remember(session: WriteSession, connector: ConnectorRow, changes: Sequence[ConnectorChangeRow]) -> None:
    """Keep the moment of each word, of deletions too: an earlier one that comes late changes nothing."""
    for change in changes:
        row = session.get(ConnectorItemRow, (connector.id, change.item_id))
        row = row or ConnectorItemRow(connector_id=connector.id, item_id=change.item_id)
        row.said_at, row.touched_at = change.said_at, now()
        if change.deleted:
            row.document_id = row.revision = None
        session.add(row)
        session.delete(change)
