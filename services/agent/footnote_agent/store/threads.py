"""Queries over threads and their messages."""

from datetime import datetime

from sqlmodel import and_, col, func, or_, select

from footnote_agent.store.ownership import find_owned, owned
from footnote_agent.store.tables import MessageRow, ThreadRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import Thread, ThreadMessage
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.errors import NotFound
from footnote_shared.kernel.ids import is_id

TITLE_CHARS = 80


def thread_view(row: ThreadRow) -> Thread:
    """The thread as the API shows it."""
    return Thread(id=row.id, title=row.title, created_at=row.created_at, updated_at=row.updated_at)


def message_view(row: MessageRow) -> ThreadMessage:
    """The message as the API shows it."""
    return ThreadMessage.model_validate(row.model_dump())


def add_thread(session: WriteSession, caller: Principal, title: str | None) -> ThreadRow:
    row = ThreadRow(
        workspace_id=caller.workspace_id, avatar_id=caller.avatar_id, title=storable(title or "").strip()
    )
    session.add(row)
    session.flush()
    return row


def find_thread(session: ReadSession | WriteSession, caller: Principal, thread_id: str) -> ThreadRow:
    """The caller's thread. Raises NotFound for one that is not there, and for another avatar's alike."""
    row = find_owned(session, ThreadRow, caller, thread_id)
    if row is None:
        raise NotFound
    return row


def mark_opened(session: WriteSession, caller: Principal, thread_id: str) -> None:
    """Remember that the resolver knows the conversation."""
    row = find_thread(session, caller, thread_id)
    row.opened = True
    session.add(row)


def list_threads(
    session: ReadSession, caller: Principal, limit: int, after: tuple[datetime, str] | None
) -> list[ThreadRow]:
    """The caller's threads behind the given one, the latest used first."""
    query = owned(ThreadRow, caller)
    if after is not None:
        moment, thread_id = after
        query = query.where(
            or_(
                col(ThreadRow.updated_at) < moment,
                and_(col(ThreadRow.updated_at) == moment, col(ThreadRow.id) < thread_id),
            )
        )
    query = query.order_by(col(ThreadRow.updated_at).desc(), col(ThreadRow.id).desc()).limit(limit)
    return list(session.exec(query).all())


def list_messages(
    session: ReadSession, caller: Principal, thread_id: str, limit: int, after: str | None
) -> list[MessageRow]:
    """The messages of the caller's thread behind the given one, oldest first."""
    find_thread(session, caller, thread_id)
    query = owned(MessageRow, caller).where(col(MessageRow.thread_id) == thread_id)
    if after is not None:
        query = query.where(col(MessageRow.id) > after)
    return list(session.exec(query.order_by(col(MessageRow.id)).limit(limit)).all())


def find_message(
    session: ReadSession | WriteSession, caller: Principal, thread_id: str, message_id: str
) -> MessageRow:
    """A message of the caller's thread. Raises NotFound where there is none, and for another avatar's."""
    query = owned(MessageRow, caller).where(
        col(MessageRow.thread_id) == thread_id, col(MessageRow.id) == message_id
    )
    row = session.exec(query).first() if is_id(thread_id) and is_id(message_id) else None
    if row is None:
        raise NotFound
    return row


def latest_messages(
    session: ReadSession, caller: Principal, thread_id: str, before: str, limit: int
) -> list[MessageRow]:
    """The last messages of a thread before the given one, oldest first."""
    query = owned(MessageRow, caller).where(
        col(MessageRow.thread_id) == thread_id, col(MessageRow.id) < before
    )
    rows = session.exec(query.order_by(col(MessageRow.id).desc()).limit(limit)).all()
    return list(reversed(rows))


def count_messages(session: ReadSession, caller: Principal, thread_id: str, before: str) -> int:
    """How many messages the thread has before the given one."""
    query = owned(MessageRow, caller).where(
        col(MessageRow.thread_id) == thread_id, col(MessageRow.id) < before
    )
    return session.exec(select(func.count()).select_from(query.subquery())).one()


def storable(text: str) -> str:
    """The text without NUL characters, which PostgreSQL cannot store."""
    return text.replace("\0", "")
