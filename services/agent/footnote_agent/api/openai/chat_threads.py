"""The thread of a chat completion: the one that is named, the one that holds the chat, or a new one."""

import hashlib
from dataclasses import dataclass

from pydantic import BaseModel

from footnote_agent.api.chat_request import AskedChat
from footnote_agent.context.asked_turn import Exchange
from footnote_agent.context.client_chat import fingerprint, whole_turns
from footnote_agent.store.client_chats import begin_chat, forget_thread, remember_chat, take_chat
from footnote_agent.store.threads import find_thread
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.db.idempotency import KeyedRequest, answer_once, forget_answer
from footnote_shared.kernel.errors import NotFound
from footnote_shared.telemetry.logs import logger

_TURNS_TOLD = 20
"""Earlier turns of a chat that a new thread takes over."""

_log = logger(__name__)


class _Placed(BaseModel):
    thread_id: str
    made: bool = False
    taken: str | None = None


@dataclass(frozen=True, slots=True)
class ChatThread:
    """The thread of a chat: `made` for it, or `taken` because it held the chat with this fingerprint."""

    thread_id: str
    made: bool = False
    taken: str | None = None
    request: KeyedRequest | None = None


async def thread_for(
    database: Database, caller: Principal, named: str | None, chat: AskedChat, request: KeyedRequest | None
) -> ChatThread:
    """Raises NotFound for a thread that is not the caller's.

    A repeated request gets the same thread again. Its key is its own, since the turn's answer has the other.
    """
    if named is not None:
        await database.read_async(lambda session: find_thread(session, caller, named))
        return ChatThread(named)
    keyed = _for_thread(request)

    def work(session: WriteSession) -> tuple[_Placed, bool]:
        return answer_once(session, keyed, _Placed, lambda: _place(session, caller, chat))

    placed, fresh = await database.write_async(work)
    if not fresh:
        return ChatThread(placed.thread_id)
    return ChatThread(placed.thread_id, placed.made, placed.taken, keyed)


async def return_thread(database: Database, caller: Principal, thread: ChatThread) -> None:
    """Undo what `thread_for` did, for a request whose turn could not begin."""

    def work(session: WriteSession) -> None:
        if thread.made:
            forget_thread(session, caller, thread.thread_id)
        elif thread.taken is not None:
            remember_chat(session, caller, thread.thread_id, thread.taken)
        if thread.request is not None:
            forget_answer(session, thread.request)

    if thread.made or thread.taken is not None:
        await database.write_async(work)


async def remember_answer(
    database: Database, caller: Principal, thread: ChatThread, chat: AskedChat, answer: str
) -> None:
    """Let the chat with this answer go on in the thread. Where that was deleted since, nothing is kept."""
    whole = [*chat.earlier, Exchange("user", chat.question), Exchange("assistant", answer)]

    def work(session: WriteSession) -> None:
        remember_chat(session, caller, thread.thread_id, fingerprint(whole))

    try:
        await database.write_async(work)
    except NotFound:
        _log.info("chat.thread_deleted", thread=thread.thread_id)


def _place(session: WriteSession, caller: Principal, chat: AskedChat) -> _Placed:
    if chat.earlier:
        held = fingerprint(chat.earlier)
        known = take_chat(session, caller, held)
        if known is not None:
            return _Placed(thread_id=known, taken=held)
    return _Placed(thread_id=begin_chat(session, caller, whole_turns(chat.earlier, _TURNS_TOLD)), made=True)


def _for_thread(request: KeyedRequest | None) -> KeyedRequest | None:
    if request is None:
        return None
    key = "thread of " + hashlib.sha256(request.key.encode()).hexdigest()
    return KeyedRequest(request.workspace_id, request.avatar_id, key, request.fingerprint)
