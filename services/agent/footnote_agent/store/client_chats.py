"""The thread in which a chat that a client holds goes on."""

from collections.abc import Sequence
from datetime import timedelta

from sqlmodel import col

from footnote_agent.store.ownership import owned
from footnote_agent.store.tables import MessageRow, ThreadRow, TurnRow
from footnote_agent.store.threads import TITLE_CHARS, add_thread, find_thread, storable
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import NewTurn
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id

TOLD = "client"
"""The engine of a turn that a client told us of: somebody else has answered it."""


def take_chat(session: WriteSession, caller: Principal, fingerprint: str) -> str | None:
    """The thread that holds just this chat. Nobody else gets it until it is remembered again."""
    query = owned(ThreadRow, caller).where(col(ThreadRow.client_chat) == fingerprint)
    row = session.exec(query.order_by(col(ThreadRow.updated_at).desc()).limit(1).with_for_update()).first()
    if row is None:
        return None
    row.client_chat = None
    session.add(row)
    return row.id


def begin_chat(session: WriteSession, caller: Principal, turns: Sequence[tuple[str, str]]) -> str:
    """A new thread with what a client says was asked and answered before."""
    thread = add_thread(session, caller, turns[0][0][:TITLE_CHARS] if turns else None)
    for question, answer in turns:
        _add_told_turn(session, caller, thread.id, storable(question), storable(answer))
    return thread.id


def remember_chat(session: WriteSession, caller: Principal, thread_id: str, fingerprint: str) -> None:
    """The thread holds just this chat from now on."""
    row = find_thread(session, caller, thread_id)
    row.client_chat = fingerprint
    session.add(row)


def forget_thread(session: WriteSession, caller: Principal, thread_id: str) -> None:
    """Remove a thread whose first turn could not begin."""
    session.delete(find_thread(session, caller, thread_id))


def _add_told_turn(
    session: WriteSession, caller: Principal, thread_id: str, question: str, answer: str
) -> None:
    moment = now()
    question_id = new_id()
    turn = TurnRow(
        workspace_id=caller.workspace_id,
        avatar_id=caller.avatar_id,
        thread_id=thread_id,
        status="completed",
        engine=TOLD,
        caller=caller.model_dump(mode="json"),
        request=NewTurn(text=question).model_dump(mode="json", exclude_none=True),
        settings_hash="",
        lease_owner="",
        lease_until=moment - timedelta(seconds=1),
        created_at=moment,
        ended_at=moment,
    )
    session.add(turn)
    session.flush()
    for message_id, role, text in ((question_id, "user", question), (turn.message_id, "assistant", answer)):
        session.add(
            MessageRow(
                id=message_id,
                workspace_id=caller.workspace_id,
                avatar_id=caller.avatar_id,
                thread_id=thread_id,
                turn_id=turn.id,
                role=role,
                text=text,
                created_at=moment,
            )
        )
    session.flush()
