"""The documents of one avatar: what goes with the person, and what stays for the others (spec 3.6)."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, and_, or_
from sqlmodel import col, select

from footnote_ingest.documents.access import bring_points_up_to_date
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work import stages
from footnote_shared.db.engine import ReadSession, WriteSession

NOBODY = ""
"""The owner of a document whose owner was deleted."""

_SAID = "The person who handed it in was deleted: it has no owner."


def owned(avatar_id: str, workspace_id: str) -> ColumnElement[bool]:
    """The documents that the avatar owns and that are not deleted."""
    return and_(
        col(DocumentRow.workspace_id) == workspace_id,
        col(DocumentRow.avatar_id) == avatar_id,
        col(DocumentRow.deleted_at).is_(None),
    )


def theirs_alone() -> ColumnElement[bool]:
    """Whether nobody but its owner sees a document."""
    return or_(col(DocumentRow.visibility) == "private", col(DocumentRow.session_id).is_not(None))


def give_up(
    session: WriteSession, dispatcher: Dispatcher, avatar_id: str, workspace_id: str, most: int
) -> int:
    """Leave some of the avatar's documents to the workspace, which sees them; return how many."""
    some = select(DocumentRow).where(owned(avatar_id, workspace_id)).order_by(col(DocumentRow.id))
    rows: Sequence[DocumentRow] = session.exec(some.limit(most).with_for_update()).all()
    for row in rows:
        row.avatar_id = NOBODY
        stages.note(session, row, row.status, _SAID)
        bring_points_up_to_date(session, dispatcher, row)
    return len(rows)


def still_going(session: ReadSession, avatar_id: str, workspace_id: str) -> bool:
    """Whether workers are about to remove documents that were the avatar's."""
    deleted = select(DocumentRow.id).where(
        col(DocumentRow.workspace_id) == workspace_id,
        col(DocumentRow.avatar_id) == avatar_id,
        col(DocumentRow.deleted_at).is_not(None),
    )
    return session.exec(deleted.limit(1)).first() is not None
