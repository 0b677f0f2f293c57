"""The work on a deleted person: remove all that was theirs, look again, and say when it is gone (spec 3.6).

Documents go as every deleted document does, through the workers that settle it. Their rows go here when that
is done, with all other rows that the schema says are the avatar's (ADR 0078).
"""

from collections import Counter
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Table, update
from sqlmodel import col, select

from footnote_ingest.documents.of_avatar import NOBODY, give_up, still_going
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.maintenance.close_avatar import KEPT, withdraw
from footnote_ingest.maintenance.deletion_looks import look, sweep_deletions
from footnote_ingest.maintenance.erased_rows import AT_ONCE, drop_some
from footnote_ingest.maintenance.erased_stores import drop_results, forget_streams
from footnote_ingest.maintenance.erasure import EraseResources, Erasure, StillAtWork
from footnote_ingest.maintenance.tidy import forget_words
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.store.workspace_rows import drop, rows_of_avatar, some_of
from footnote_ingest.work.policy import WorkPolicy
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.db.tables import AuditRow, AvatarDeletionRow, AvatarRow
from footnote_shared.redis import keys

STAYS = frozenset({str(AuditRow.__tablename__)})
"""Tables whose `avatar_id` says who acted: the log of the workspace keeps the id, and no name."""


def sweep_avatars(database: Database, dispatcher: Dispatcher, policy: WorkPolicy) -> int:
    """Send the avatars that wait for a look and that nobody holds; return how many."""
    return sweep_deletions(database, dispatcher, policy, AvatarDeletionRow)


def erase_avatar(work: WorkResources, resources: EraseResources, avatar_id: str, **pace: Any) -> bool:
    """Work on the avatar for a slice (`look`)."""
    return look(work, resources, AvatarDeletionRow, avatar_id, _drop, **pace)


def _drop(erasure: Erasure) -> None:
    database = erasure.work.database
    with database.write() as session:
        row = session.get(AvatarDeletionRow, erasure.subject_id)
        assert row is not None, "a receipt stays"
        withdraw(session, erasure.work.dispatcher, erasure.work.policy, row)
        workspace_id = row.workspace_id
    while _give_up_some(erasure, workspace_id):
        erasure.check_slice()
    while _empty_withheld(erasure, workspace_id):
        erasure.check_slice()
    with database.read() as session:
        owned = rows_of_avatar(session.connection(), erasure.subject_id, STAYS, _NARROWED)
    for table in owned:
        while drop_some(erasure, table, partial(_count_gone, erasure)):
            erasure.check_slice()
    allowances = [keys.rate(kind, erasure.subject_id) for kind in ("avatar", "denied")]
    drop_results(erasure, workspace_id, *allowances)
    forget_streams(erasure, erasure.running_turns())
    with database.read() as session:
        if still_going(session, erasure.subject_id, workspace_id):
            raise StillAtWork
    with database.write() as session:
        erasure.scrub(session)
        # From here on nobody can add a row that belongs to the avatar by a foreign key.
        avatar = session.get(AvatarRow, erasure.subject_id, with_for_update=True)
        for table in owned:
            late = some_of(session.connection(), table, AT_ONCE)
            erasure.note_rows(session, table.name, drop(session.connection(), table, late))
        if avatar is not None:
            session.delete(avatar)
            erasure.note_rows(session, str(AvatarRow.__tablename__), 1)


def _removed(table: Table) -> ColumnElement[bool]:
    """Documents that workers have removed from all stores, and that nobody may be kept from seeing."""
    return (table.c.status == "deleted") & table.c.settle_at.is_(None) & table.c.withheld_at.is_(None)


def _deleted(table: Table) -> ColumnElement[bool]:
    found: ColumnElement[bool] = table.c.deleted_at.is_not(None)
    return found


_NARROWED = {
    str(DocumentRow.__tablename__): _removed,
    str(ConnectorRow.__tablename__): _deleted,
}


def _give_up_some(erasure: Erasure, workspace_id: str) -> bool:
    """Leave some documents that the workspace sees to the workspace; return whether there may be more."""
    with erasure.work.database.write(gives_way=True) as session:
        count = give_up(session, erasure.work.dispatcher, erasure.subject_id, workspace_id, AT_ONCE)
        if count:
            erasure.note(session, **{KEPT: count})
    return count == AT_ONCE


def _empty_withheld(erasure: Erasure, workspace_id: str) -> bool:
    """Keep of documents that were withdrawn only that citations of them are not shown (ADR 0021)."""
    removed = (
        col(DocumentRow.workspace_id) == workspace_id,
        col(DocumentRow.avatar_id) == erasure.subject_id,
        col(DocumentRow.status) == "deleted",
        col(DocumentRow.settle_at).is_(None),
        col(DocumentRow.withheld_at).is_not(None),
    )
    with erasure.work.database.write(gives_way=True) as session:
        erasure.scrub(session)
        ids = list(session.exec(select(DocumentRow.id).where(*removed).limit(AT_ONCE)))
        if ids:
            _count_gone(erasure, session, ids)
            forget_words(session, ids)
            chosen = update(DocumentRow).where(col(DocumentRow.id).in_(ids)).values(avatar_id=NOBODY)
            session.exec(chosen.execution_options(synchronize_session=False))
            erasure.note_rows(session, str(DocumentRow.__tablename__), len(ids))
    return len(ids) == AT_ONCE


def _count_gone(erasure: Erasure, session: WriteSession, document_ids: list[str]) -> None:
    """Add to the receipt what workers have counted gone of these documents since it was asked for."""
    asked = session.get(AvatarDeletionRow, erasure.subject_id)
    assert asked is not None, "a receipt stays"
    since = select(DocumentRow.removed).where(
        col(DocumentRow.id).in_(document_ids), col(DocumentRow.deleted_at) >= asked.asked_at
    )
    gone: Counter[str] = Counter()
    for removed in session.exec(since):
        gone.update(removed or {})
    erasure.note_rows(session, "chunks and versions", gone.pop("rows", 0))
    erasure.note_rows(session, "facts", gone.pop("facts", 0))
    erasure.note(session, **gone)
