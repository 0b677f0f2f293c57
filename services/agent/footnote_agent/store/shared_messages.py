"""Queries over answers that their avatar has shared with the workspace."""

from sqlmodel import col

from footnote_agent.store.ownership import owned, shared
from footnote_agent.store.tables import MessageRow
from footnote_agent.store.threads import find_message
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict, NotFound
from footnote_shared.kernel.ids import is_id


def set_shared(
    session: WriteSession, caller: Principal, thread_id: str, message_id: str, wanted: bool
) -> MessageRow:
    """Share an answer of the caller's, or take it back. Twice changes nothing.

    Raises NotFound for a message that is not the caller's, Conflict for a question.
    """
    row = find_message(session, caller, thread_id, message_id)
    if row.role != "assistant":
        raise Conflict("Only an answer can be shared, not a question.")
    if wanted != (row.shared_at is not None):
        row.shared_at = now() if wanted else None
        session.add(row)
    return row


def find_shared(session: ReadSession, caller: Principal, message_id: str) -> tuple[MessageRow, str]:
    """An answer that was shared with the caller's workspace, and its question.

    Raises NotFound for any other message.
    """
    query = shared(caller).where(col(MessageRow.id) == message_id)
    row = session.exec(query).first() if is_id(message_id) else None
    if row is None:
        raise NotFound
    holder = caller.model_copy(update={"avatar_id": row.avatar_id})
    asked = owned(MessageRow, holder).where(
        col(MessageRow.turn_id) == row.turn_id, col(MessageRow.role) == "user"
    )
    question = session.exec(asked).first()
    return row, question.text if question is not None else ""
