"""Deleting: readers get a tombstone at once, and `pipeline/remove.py` removes the rest soon (spec 3.6)."""

from collections.abc import Mapping

from sqlmodel import col, select

from footnote_ingest.documents.legal_hold import check_unheld
from footnote_ingest.documents.parts import lock_family
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.store import folders
from footnote_ingest.store.generations import raise_generation
from footnote_ingest.store.scope import visible_documents
from footnote_ingest.store.tables import DocumentRow, FolderRow
from footnote_ingest.work import stages
from footnote_ingest.work.fair import dispatch_next
from footnote_ingest.work.policy import WorkPolicy
from footnote_ingest.work.settling import SETTLE_AFTER
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict
from footnote_shared.kernel.ids import is_id

_HINTS_AT_ONCE = 500
"""A large folder is left to the sweeper beyond this number."""

_IDS_AT_ONCE = 500


def deletable(
    session: WriteSession, principal: Principal, wanted: Mapping[str, str | None]
) -> tuple[list[str], list[str]]:
    """Which of the documents may go, locked until the transaction ends, and which have to stay.

    `wanted` maps each id to the SHA-256 of the bytes that it must still hold, or to None. A document that is
    not there, not visible to the caller or under legal hold stays.
    """
    rows = select(DocumentRow.id, DocumentRow.sha256).where(
        col(DocumentRow.id).in_([one for one in wanted if is_id(one)]),
        visible_documents(principal),
        col(DocumentRow.legal_hold).is_(False),
    )
    found = dict(session.exec(rows.order_by(col(DocumentRow.id)).with_for_update()).all())
    may_go = [one for one, sha256 in found.items() if wanted[one] in (None, sha256)]
    return may_go, [one for one in wanted if one not in may_go]


def delete_documents(
    session: WriteSession, dispatcher: Dispatcher, policy: WorkPolicy, workspace_id: str, ids: list[str]
) -> int:
    """Delete documents and their parts, whatever work is going on; return how many. Safe to repeat.

    Raises UnderLegalHold if one of them may not be deleted.
    """
    family = lock_family(session, ids)
    if not family:
        return 0
    check_unheld(session, family)
    for start in range(0, len(family), _IDS_AT_ONCE):
        stages.delete(session, family[start : start + _IDS_AT_ONCE], now() + SETTLE_AFTER)
    raise_generation(session, workspace_id)
    dispatcher.send_after_commit(session, Task.REMOVE, family[:_HINTS_AT_ONCE])
    dispatch_next(session, dispatcher, policy, workspace_id)
    return len(family)


def check_empty(session: WriteSession, folder: FolderRow) -> None:
    """Raise Conflict where a document lies in the folder or below it, whoever may see it."""
    rows = folders.below(session, folder)
    if len(folders.without_documents(session, rows)) < len(rows):
        raise Conflict("The folder is not empty. Nothing was deleted.")


def delete_folder(
    session: WriteSession, dispatcher: Dispatcher, policy: WorkPolicy, principal: Principal, folder: FolderRow
) -> int:
    """Delete a folder with everything below it that the caller sees; return how many documents went with it.

    A folder stays if somebody else's private document lies in it or below it.
    """
    rows = folders.below(session, folder)
    inside = select(DocumentRow.id).where(
        col(DocumentRow.folder_id).in_([row.id for row in rows]), visible_documents(principal)
    )
    deleted = delete_documents(session, dispatcher, policy, folder.workspace_id, list(session.exec(inside)))
    folders.drop(session, folders.without_documents(session, rows))
    return deleted
