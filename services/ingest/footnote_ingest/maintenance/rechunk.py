"""Cutting documents again whose chunks were made by other settings, beside those that readers see (spec 3.4).

A request stands in SQL until its last document is done, so it outlives every process. Each sweep puts a few
documents in work, like uploads of the same bytes: text that is cut as before keeps its ids and its vectors.
"""

from sqlalchemy import ColumnElement, and_, func, or_
from sqlmodel import col, select

from footnote_ingest.contracts.rechunking import Rechunking
from footnote_ingest.documents.versions import queue_again
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.store.tables import DocumentRow, RechunkRow, VersionRow
from footnote_ingest.work import stages
from footnote_ingest.work.fair import dispatch_next
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.db.engine import Database, ReadSession, WriteSession, lock_for_transaction
from footnote_shared.kernel.clock import now

_SHARE_IN_WORK = 2
"""One half of what a workspace may have in flight is left to its uploads, which come later and go second."""

_LIVE = and_(
    col(VersionRow.document_id) == col(DocumentRow.id),
    col(VersionRow.version) == col(DocumentRow.live_version),
)


def request(session: WriteSession, workspace_id: str, digest: str) -> Rechunking:
    """Have all documents cut again that other settings have cut. A second request includes later ones."""
    # Two requests at once would both find no row.
    lock_for_transaction(session, "rechunk", workspace_id)
    row = session.get(RechunkRow, workspace_id, with_for_update=True)
    row = row or RechunkRow(workspace_id=workspace_id, requested_at=now(), total=0)
    row.requested_at = now()
    # Documents are in work also where no request stands: those of one that was stopped, and changed ones.
    row.total = sum(_count(session, workspace_id, one) for one in (_settled(digest), _in_work(row, digest)))
    session.add(row)
    session.flush()
    return state(session, workspace_id, digest)


def stop(session: WriteSession, workspace_id: str, digest: str) -> Rechunking:
    """Begin no more. Documents that are in work are ended."""
    row = session.get(RechunkRow, workspace_id, with_for_update=True)
    if row is not None:
        session.delete(row)
        session.flush()
    return state(session, workspace_id, digest)


def state(session: ReadSession | WriteSession, workspace_id: str, digest: str) -> Rechunking:
    """How far the workspace is."""
    row = session.get(RechunkRow, workspace_id)
    outdated = _count(session, workspace_id, _settled(digest))
    failed = _count(session, workspace_id, _outdated(digest), col(DocumentRow.status) == "failed")
    if row is None:
        return Rechunking(running=False, total=0, left=0, failed=failed, outdated=outdated)
    left = _count(session, workspace_id, _waiting(row, digest)) + _count(
        session, workspace_id, _in_work(row, digest)
    )
    return Rechunking(
        running=True,
        requested_at=row.requested_at,
        total=row.total,
        left=left,
        failed=failed,
        outdated=outdated,
    )


def go_on(database: Database, dispatcher: Dispatcher, policy: WorkPolicy, digest: str) -> int:
    """Put the next documents of each request in work; return how many. Safe to race with itself."""
    with database.read() as session:
        workspaces = list(session.exec(select(RechunkRow.workspace_id)))
    begun = 0
    for workspace_id in workspaces:
        with database.write() as session:
            begun += _begin(session, dispatcher, policy, workspace_id, digest)
    return begun


def _begin(
    session: WriteSession, dispatcher: Dispatcher, policy: WorkPolicy, workspace_id: str, digest: str
) -> int:
    request = session.get(RechunkRow, workspace_id, with_for_update=True)
    if request is None:
        return 0
    in_work = _count(session, workspace_id, _in_work(request, digest))
    room = max(1, policy.in_flight // _SHARE_IN_WORK) - in_work
    if room <= 0:
        return 0
    waiting = (
        select(DocumentRow)
        .join(VersionRow, _LIVE)
        .where(col(DocumentRow.workspace_id) == workspace_id, _waiting(request, digest))
        .order_by(col(DocumentRow.id))
        .limit(room)
    )
    rows = list(session.exec(waiting.with_for_update(of=DocumentRow)))
    for row in rows:
        queue_again(session, row, "Cut again by other settings.", as_it_was_read=True)
    if rows:
        dispatch_next(session, dispatcher, policy, workspace_id)
    elif in_work == 0:
        session.delete(request)
    return len(rows)


def _outdated(digest: str) -> ColumnElement[bool]:
    """Documents whose live chunks were cut by something else, as far as is known."""
    return and_(
        col(DocumentRow.deleted_at).is_(None),
        or_(col(VersionRow.cut_by).is_(None), col(VersionRow.cut_by) != digest),
    )


def _settled(digest: str) -> ColumnElement[bool]:
    return and_(
        _outdated(digest), col(DocumentRow.status) == "indexed", col(VersionRow.needs_bytes).is_(True)
    )


def _waiting(request: RechunkRow, digest: str) -> ColumnElement[bool]:
    """Documents that this request has yet to put in work."""
    return and_(_settled(digest), col(VersionRow.accepted_at) < request.requested_at)


def _in_work(request: RechunkRow, digest: str) -> ColumnElement[bool]:
    return and_(
        _outdated(digest),
        col(DocumentRow.status).in_(stages.IN_WORK),
        col(VersionRow.accepted_at) < request.requested_at,
    )


def _count(session: ReadSession | WriteSession, workspace_id: str, *conditions: ColumnElement[bool]) -> int:
    documents = select(func.count()).select_from(DocumentRow).join(VersionRow, _LIVE)
    return session.exec(documents.where(col(DocumentRow.workspace_id) == workspace_id, *conditions)).one()
