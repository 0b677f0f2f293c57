"""Conversations: open, fork, and the normaliser over a conversation's numbers."""

from fastapi import APIRouter
from fastapi.responses import Response

from footnote_resolver.api.dependencies import ConversationId, IdempotencyKey, Parts, create_once
from footnote_resolver.normaliser.finalize import finalize
from footnote_resolver.normaliser.stream import Normaliser
from footnote_resolver.registry.conversations import fork_conversation, open_conversation
from footnote_resolver.relay.replay import report_of
from footnote_resolver.store.conversations import issued_numbers
from footnote_shared.contracts.evidence import (
    Conversation,
    ForkConversation,
    NewConversation,
    NormalizeRequest,
    NormalizeResult,
)
from footnote_shared.kernel.errors import FieldError, InvalidRequest
from footnote_shared.web.dependencies import Reader, Writer

router = APIRouter(prefix="/v1/conversations", tags=["conversations"])


@router.post("", status_code=201, response_model=Conversation, summary="Open a conversation")
async def post_conversation(
    request: NewConversation, caller: Writer, parts: Parts, idempotency_key: IdempotencyKey = None
) -> Response:
    return await create_once(
        parts.database,
        caller,
        idempotency_key,
        ("POST /v1/conversations", request.model_dump_json()),
        lambda session: Conversation(id=open_conversation(session, caller, request.title, request.id)),
    )


@router.post(
    "/{conversation_id}:fork",
    status_code=201,
    response_model=Conversation,
    summary="A copy that goes on counting from the end",
)
async def post_fork(
    conversation_id: ConversationId,
    caller: Writer,
    parts: Parts,
    request: ForkConversation | None = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    title = request.title if request is not None else None
    return await create_once(
        parts.database,
        caller,
        idempotency_key,
        (f"POST /v1/conversations/{conversation_id}:fork", title or ""),
        lambda session: Conversation(id=fork_conversation(session, caller, conversation_id, title)),
    )


@router.post(
    "/{conversation_id}/normalize", summary="The code that serves the streams, over deltas or a whole text"
)
async def post_normalize(
    conversation_id: ConversationId, request: NormalizeRequest, caller: Reader, parts: Parts
) -> NormalizeResult:
    issued = await parts.database.read_async(lambda session: issued_numbers(session, caller, conversation_id))
    if request.text is not None and request.deltas is None:
        whole = finalize(request.text, lambda n: 1 <= n <= issued, lambda: issued)
        return NormalizeResult(
            text=whole.text, citations=list(whole.citations), report=report_of(whole.report, [])
        )
    if request.deltas is None or request.text is not None:
        raise InvalidRequest(
            "Send either deltas or text.", errors=[FieldError("deltas", "either this or text")]
        )
    normaliser = Normaliser(lambda n: 1 <= n <= issued, lambda: issued)
    deltas: list[str] = []
    cited: dict[int, None] = {}
    for delta in request.deltas:
        deltas.append(normaliser.feed(delta))
        cited.update(dict.fromkeys(normaliser.citations))
    if rest := normaliser.close():
        deltas.append(rest)
        cited.update(dict.fromkeys(normaliser.citations))
    return NormalizeResult(
        text="".join(deltas), deltas=deltas, citations=list(cited), report=report_of(normaliser.report, [])
    )
