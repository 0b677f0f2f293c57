"""Conversations: open, fork, and the normaliser over a conversation's numbers."""

from anyio import to_thread
from fastapi import APIRouter

from footnote_resolver.api.dependencies import ConversationId, Resources
from footnote_resolver.normaliser.finalize import finalize
from footnote_resolver.normaliser.stream import Normaliser
from footnote_resolver.registry.conversations import fork_conversation, open_conversation
from footnote_resolver.registry.issued import IssuedNumbers
from footnote_resolver.relay.closing import report_of
from footnote_resolver.store.conversations import issued_numbers
from footnote_shared.clients.in_process import DirectCall
from footnote_shared.contracts.conversations import (
    Conversation,
    ForkConversation,
    NewConversation,
    NormalizeRequest,
    NormalizeResult,
)
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.db.idempotency import KeyedRequest, answer_once
from footnote_shared.kernel.errors import FieldError, InvalidRequest
from footnote_shared.web.body_limits import body_limit
from footnote_shared.web.dependencies import FromNeighbour, Reader, Writer, require
from footnote_shared.web.idempotency import IdempotencyKey
from footnote_shared.web.problems import valid_body

PATH = "/v1/conversations"
"""Where a conversation is opened, as the agent does for each of its threads."""

router = APIRouter(prefix=PATH, tags=["conversations"])


@router.post("", status_code=201, summary="Open a conversation")
async def post_conversation(
    body: NewConversation,
    caller: Writer,
    from_neighbour: FromNeighbour,
    resources: Resources,
    idempotency_key: IdempotencyKey = None,
) -> Conversation:
    """The id is made here. Only the agent names one: others would learn which exist, and could take them."""
    if body.id is not None and not from_neighbour:
        raise InvalidRequest(
            "The id of a conversation cannot be chosen.", errors=[FieldError("id", "must be absent")]
        )
    request = KeyedRequest.of(caller, idempotency_key, "POST /v1/conversations", body)
    return await _opened(resources.database, caller, body, request)


def direct_conversations(database: Database) -> DirectCall:
    """The same for a service of this process, which has the caller from its own door."""

    async def answer(caller: Principal, body: bytes) -> bytes:
        require(caller, "write")
        asked = valid_body(NewConversation, body)
        return (await _opened(database, caller, asked, None)).model_dump_json().encode()

    return answer


async def _opened(
    database: Database, caller: Principal, body: NewConversation, request: KeyedRequest | None
) -> Conversation:
    def work(session: WriteSession) -> Conversation:
        def open_it() -> Conversation:
            return Conversation(id=open_conversation(session, caller, body.title, body.id))

        return answer_once(session, request, Conversation, open_it)[0]

    return await database.write_together_async(work)


@router.post("/{conversation_id}:fork", status_code=201, summary="A copy that goes on counting from the end")
async def post_fork(
    conversation_id: ConversationId,
    caller: Writer,
    resources: Resources,
    body: ForkConversation | None = None,
    idempotency_key: IdempotencyKey = None,
) -> Conversation:
    given = body or ForkConversation()
    route = f"POST /v1/conversations/{conversation_id}:fork"
    request = KeyedRequest.of(caller, idempotency_key, route, given)

    def work(session: WriteSession) -> Conversation:
        def fork() -> Conversation:
            return Conversation(id=fork_conversation(session, caller, conversation_id, given.title))

        return answer_once(session, request, Conversation, fork)[0]

    return await resources.database.write_async(work)


@router.post(
    "/{conversation_id}/normalize", summary="The code that serves the streams, over deltas or a whole text"
)
@body_limit(256 * 1024)
async def post_normalize(
    conversation_id: ConversationId, request: NormalizeRequest, caller: Reader, resources: Resources
) -> NormalizeResult:
    highest = await resources.database.read_async(
        lambda session: issued_numbers(session, caller, conversation_id)
    )
    issued = IssuedNumbers(highest)
    if (request.text is None) == (request.deltas is None):
        raise InvalidRequest(
            "Send either deltas or text.", errors=[FieldError("deltas", "either this or text")]
        )
    return await to_thread.run_sync(_normalised, request, issued, limiter=resources.text_work)


def _normalised(request: NormalizeRequest, issued: IssuedNumbers) -> NormalizeResult:
    if request.text is not None:
        whole = finalize(request.text, issued.holds, issued.highest)
        return NormalizeResult(
            text=whole.text, citations=list(whole.citations), report=report_of(whole.report, [])
        )
    normaliser = Normaliser(issued.holds, issued.highest)
    deltas: list[str] = []
    cited: dict[int, None] = {}
    for delta in request.deltas or ():
        deltas.append(normaliser.feed(delta))
        cited.update(dict.fromkeys(normaliser.citations))
    if rest := normaliser.close():
        deltas.append(rest)
        cited.update(dict.fromkeys(normaliser.citations))
    return NormalizeResult(
        text="".join(deltas), deltas=deltas, citations=list(cited), report=report_of(normaliser.report, [])
    )
