"""Reading another conversation of the same person (spec 5.3). A chat is read and never searched."""

from typing import Annotated

from pydantic import Field

from footnote_agent.context.tokens import count_tokens
from footnote_agent.store.tables import MessageRow
from footnote_agent.store.threads import count_messages, find_thread, latest_messages
from footnote_agent.tools.tool_context import ToolAnswer, ToolContext
from footnote_shared.contracts.evidence import Display, EvidenceItem
from footnote_shared.db.engine import ReadSession
from footnote_shared.kernel.ids import new_id

_MESSAGES_AT_MOST = 100
_CHAT_TOKENS = 5000


async def read_chat(
    context: ToolContext,
    chat: Annotated[str, Field(max_length=20, description="The handle of a chat, such as T1.")],
) -> ToolAnswer:
    """Read the latest messages of another chat of the user, each with its number."""
    target = await context.target(chat, "chat")
    caller = context.turn.caller

    def work(session: ReadSession) -> tuple[str, list[MessageRow], int]:
        # Reading checks again whose thread it is; a handle is a name and no right.
        thread = find_thread(session, caller, target.id)
        latest = latest_messages(session, caller, target.id, new_id(), _MESSAGES_AT_MOST)
        earlier = count_messages(session, caller, target.id, latest[0].id) if latest else 0
        return thread.title, latest, earlier

    title, latest, earlier = await context.resources.database.read_async(work)
    messages = [message for message in latest if message.text.strip()]
    kept = _latest_that_fit(messages)
    if not kept:
        return ToolAnswer("Nothing was said in this chat.", "an empty chat")
    items = [
        EvidenceItem(
            source_type="chat_turn",
            locator={"thread_id": target.id, "message_id": message.id},
            display=Display(
                title=title or "Chat",
                source="Chat · " + ("question" if message.role == "user" else "answer"),
                date=message.created_at,
            ),
            text=message.text,
        )
        for message in kept
    ]
    shown = await context.show(items, "full", "retrieved_context")
    left_out = earlier + len(messages) - len(kept)
    note = f"\n{left_out} earlier messages are left out." if left_out > 0 else ""
    of_all = f" of {len(kept) + left_out}" if left_out > 0 else ""
    return ToolAnswer(shown.text + note, f"{len(kept)}{of_all} messages", shown.shown)


def _latest_that_fit(messages: list[MessageRow]) -> list[MessageRow]:
    left, kept = _CHAT_TOKENS, list[MessageRow]()
    for message in reversed(messages):
        left -= count_tokens(message.text)
        if left < 0:
            break
        kept.append(message)
    return list(reversed(kept))
