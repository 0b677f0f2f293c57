"""Threads: make, list, read, delete (spec 9.4)."""

from datetime import datetime

from fastapi import APIRouter, Response
from pydantic import TypeAdapter, ValidationError

from footnote_agent.api.dependencies import Resources
from footnote_agent.store.threads import (
    add_thread,
    find_message,
    find_thread,
    list_messages,
    list_threads,
    mark_opened,
    message_view,
    thread_view,
)
from footnote_agent.store.turns import running_in
from footnote_agent.turns.cancel import request_cancel
from footnote_agent.turns.shown_messages import as_readable
from footnote_shared.contracts.base import GivenMoment, Page
from footnote_shared.contracts.conversations import NewConversation
from footnote_shared.contracts.turns import NewThread, Thread, ThreadMessage
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.db.idempotency import KeyedRequest, answer_once
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.kernel.ids import is_id
from footnote_shared.telemetry.logs import logger
from footnote_shared.web.dependencies import Edge, Reader, ReadUnit, Writer
from footnote_shared.web.idempotency import IdempotencyKey
from footnote_shared.web.paging import Cursor, Limit, cut_page, decode_cursor, invalid_cursor, key_of

router = APIRouter(prefix="/v1/threads", tags=["threads"])
_MOMENT: TypeAdapter[datetime] = TypeAdapter(GivenMoment)
_log = logger(__name__)


@router.post("", status_code=201, summary="Begin a conversation")
async def create_thread(
    edge: Edge,
    resources: Resources,
    caller: Writer,
    body: NewThread | None = None,
    idempotency_key: IdempotencyKey = None,
) -> Thread:
    """The resolver opens a conversation under the same id; if not now, then with the first turn."""

    given = body or NewThread()
    request = KeyedRequest.of(caller, idempotency_key, "POST /v1/threads", given)

    def work(session: WriteSession) -> tuple[Thread, bool]:
        return answer_once(
            session, request, Thread, lambda: thread_view(add_thread(session, caller, given.title))
        )

    thread, fresh = await edge.database.write_together_async(work)
    if fresh:
        try:
            await resources.resolver.open_conversation(
                caller, NewConversation(id=thread.id, title=thread.title or None)
            )
        except Unavailable as error:
            _log.info("conversation.not_opened", part=error.part)
        else:
            await edge.database.write_together_async(lambda session: mark_opened(session, caller, thread.id))
    return thread


@router.get("", response_model_exclude_none=True, summary="Your conversations, the latest used first")
def get_threads(session: ReadUnit, caller: Reader, limit: Limit = 50, cursor: Cursor = None) -> Page[Thread]:
    rows = list_threads(session, caller, limit + 1, _position(cursor) if cursor is not None else None)
    # The key keeps microseconds, which the API does not show: the cursor has to find the very row again.
    page, next_cursor = cut_page(rows, limit, lambda row: (row.updated_at.isoformat(), row.id))
    return Page(items=[thread_view(row) for row in page], next_cursor=next_cursor)


@router.get("/{thread_id}", response_model_exclude_none=True, summary="A conversation")
def get_thread(thread_id: str, session: ReadUnit, caller: Reader) -> Thread:
    return thread_view(find_thread(session, caller, thread_id))


@router.get("/{thread_id}/messages", response_model_exclude_none=True, summary="What was said, oldest first")
async def get_messages(
    thread_id: str,
    edge: Edge,
    resources: Resources,
    caller: Reader,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[ThreadMessage]:
    """Of a source that the caller may not see at this moment, an entry holds nothing but a `status`."""
    after = key_of(cursor, str)
    behind = _id(after) if after is not None else None

    def work(session: ReadSession) -> list[ThreadMessage]:
        return [message_view(row) for row in list_messages(session, caller, thread_id, limit + 1, behind)]

    found = await edge.database.read_async(work)
    page, next_cursor = cut_page(found, limit, lambda message: (message.id,))
    return Page(items=await as_readable(resources.resolver, caller, thread_id, page), next_cursor=next_cursor)


@router.get("/{thread_id}/messages/{message_id}", response_model_exclude_none=True, summary="One message")
async def get_message(
    thread_id: str, message_id: str, edge: Edge, resources: Resources, caller: Reader
) -> ThreadMessage:
    message = await edge.database.read_async(
        lambda session: message_view(find_message(session, caller, thread_id, message_id))
    )
    (shown,) = await as_readable(resources.resolver, caller, thread_id, [message])
    return shown


@router.delete("/{thread_id}", status_code=204, summary="Delete a conversation with all of its messages")
async def delete_thread(thread_id: str, edge: Edge, resources: Resources, caller: Writer) -> Response:
    """Turns that run in it are stopped."""

    def work(session: WriteSession) -> list[str]:
        row = find_thread(session, caller, thread_id)
        running = running_in(session, caller, thread_id)
        session.delete(row)
        return running

    for turn_id in await edge.database.write_async(work):
        await request_cancel(resources.streams, turn_id)
        resources.crew.stop(turn_id)
    return Response(status_code=204)


def _position(cursor: str) -> tuple[datetime, str]:
    """Where a listing of threads goes on."""
    moment, thread_id = decode_cursor(cursor, str, str)
    try:
        updated_at = _MOMENT.validate_python(moment)
    except ValidationError as error:
        raise invalid_cursor() from error
    return updated_at, _id(thread_id)


def _id(part: str | int) -> str:
    if not is_id(str(part)):
        raise invalid_cursor()
    return str(part)
