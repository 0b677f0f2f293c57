"""`POST /v1/chat/completions`: a turn for clients that speak OpenAI's interface (spec 5.8, 9.4)."""

import asyncio
import time
from typing import Annotated

from fastapi import APIRouter, Header, Request
from fastapi.responses import JSONResponse, Response

from footnote_agent.api.asking import begin_turn, ended_turn
from footnote_agent.api.chat_request import AskedChat, ChatCompletionRequest, asked_chat
from footnote_agent.api.dependencies import AgentResources, Resources
from footnote_agent.api.openai.chat_threads import ChatThread, remember_answer, return_thread, thread_for
from footnote_agent.api.openai.cited_text import CitedText, list_of_sources
from footnote_agent.api.openai.completion import DONE, Completion, finish_reason
from footnote_agent.api.openai.completion_stream import StreamedCompletion, extra_fields
from footnote_agent.api.openai.housekeeping import housekeeping_answer
from footnote_agent.turns.cancel import request_cancel
from footnote_agent.turns.start import Accepted
from footnote_shared.contracts.events import Usage
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import NewTurn, Turn
from footnote_shared.db.idempotency import KeyedRequest
from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_shared.kernel.errors import CallerError, FieldError, FootnoteError, InvalidRequest
from footnote_shared.kernel.problem_document import problem_of
from footnote_shared.telemetry import metrics
from footnote_shared.web.body_limits import LARGE_BODY, body_limit
from footnote_shared.web.dependencies import Edge, Writer
from footnote_shared.web.idempotency import IdempotencyKey
from footnote_shared.web.problems import MEDIA_TYPE
from footnote_shared.web.resources import EdgeResources
from footnote_shared.web.sse import event_stream

router = APIRouter(prefix="/v1/chat", tags=["chat completions"])

_ROUTE = "POST /v1/chat/completions"
_ENDS_WITHIN_S = 2.0
_CLIENT_GONE = 499


@router.post(
    "/completions",
    summary="Ask, in OpenAI's shape",
    responses={
        200: {
            "content": {"application/json": {}, "text/event-stream": {}},
            "description": "A chat completion, or with `stream` its chunks",
        }
    },
)
@body_limit(LARGE_BODY)
async def complete(
    body: ChatCompletionRequest,
    request: Request,
    edge: Edge,
    resources: Resources,
    caller: Writer,
    footnote_thread_id: Annotated[
        str | None, Header(description="Go on in this thread. Absent: in the one that holds this chat.")
    ] = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """A turn like any other. It is stopped when its client hangs up.

    Of the chat the last message is the question; the rest says which thread goes on, or begins a new one.
    """
    started = time.perf_counter()
    chat = asked_chat(body)
    chore = housekeeping_answer(chat.question)
    if chore is not None:
        return _chore_response(body, chore)
    keyed = KeyedRequest.of(caller, idempotency_key, _ROUTE, body, footnote_thread_id or "")
    thread = await thread_for(edge.database, caller, footnote_thread_id, chat, keyed)
    accepted = await _begin(edge, resources, caller, body, chat, thread, keyed)
    if accepted.leased is not None:
        metrics.FIRST_EVENT_SECONDS.observe(time.perf_counter() - started)
    completion = Completion(f"chatcmpl-{accepted.turn_id}", body.model)
    headers = {"Footnote-Thread-Id": thread.thread_id, "Footnote-Turn-Id": accepted.turn_id}
    if body.stream:
        stream = StreamedCompletion(edge, resources, caller, completion, body, chat, thread, accepted)
        return event_stream(stream.lines(), headers)
    turn = await _unless_gone(request, edge, resources, caller, accepted)
    if turn is None:
        return Response(status_code=_CLIENT_GONE)
    if turn.status in ("failed", "running") or turn.message is None:
        return _failed(turn, headers)
    cited = CitedText()
    cited.add(turn.message.text)
    if body.footnote.sources == "text":
        cited.add(list_of_sources(turn.message.citations))
    await remember_answer(edge.database, caller, thread, chat, cited.text)
    answer = completion.whole(
        cited.text,
        cited.annotations(turn.message.citations),
        finish_reason(turn.message.cut),
        Usage.model_validate(turn.record.get("usage") or {}),
        extra_fields(
            turn.thread_id,
            turn.turn_id,
            turn.status,
            turn.message.citations,
            chat.ignored_by(accepted.engine),
        ),
    )
    return JSONResponse(answer, headers=headers)


async def _begin(
    edge: EdgeResources,
    resources: AgentResources,
    caller: Principal,
    body: ChatCompletionRequest,
    chat: AskedChat,
    thread: ChatThread,
    keyed: KeyedRequest | None,
) -> Accepted:
    """Begin the turn. A thread that was made for it does not outlive its refusal."""
    turn = NewTurn(
        text=chat.question or " ",
        mentions=body.footnote.mentions,
        preset=chat.preset,
        settings=chat.settings,
        guidance=chat.guidance or None,
        stream=bool(body.stream),
        when_asked="refuse",
    )
    try:
        return await begin_turn(edge, resources, caller, thread.thread_id, turn, keyed)
    except FootnoteError as error:
        await return_thread(edge.database, caller, thread)
        if chat.preset_is_model and _names_the_preset(error):
            raise NoSuchModel(body.model) from error
        raise


def _names_the_preset(error: FootnoteError) -> bool:
    return isinstance(error, InvalidRequest) and [field.field for field in error.errors] == ["preset"]


class NoSuchModel(CallerError):
    """The model of a chat completion is neither an engine nor a preset."""

    status = 404
    code = "model_not_found"
    title = "There is no such model"

    def __init__(self, model: str) -> None:
        super().__init__(
            f"There is no model `{model}`. It may be `footnote`, an engine, or a preset.",
            errors=[FieldError("model", "no such model")],
        )


async def _unless_gone(
    request: Request, edge: EdgeResources, resources: AgentResources, caller: Principal, accepted: Accepted
) -> Turn | None:
    """The turn when it has ended. None where the client hung up before, and the turn that it began stops."""
    work = asyncio.create_task(ended_turn(edge, resources, caller, accepted.turn_id))
    gone = asyncio.create_task(_hang_up(request))
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            return work.result()
    finally:
        await end_tasks({work, gone}, _ENDS_WITHIN_S)
    if accepted.leased is not None:
        resources.crew.stop(accepted.turn_id)
        await request_cancel(resources.streams, accepted.turn_id)
    return None


async def _hang_up(request: Request) -> None:
    """Return when the client has closed its connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _failed(turn: Turn, headers: dict[str, str]) -> Response:
    """The problem with which a turn failed, or that it takes longer than anybody waits."""
    problem = turn.error or problem_of(_TurnTooLong())
    return JSONResponse(
        problem, status_code=int(problem.get("status") or 500), media_type=MEDIA_TYPE, headers=headers
    )


class _TurnTooLong(FootnoteError):
    status = 504
    code = "turn_timeout"
    title = "The turn took too long"

    def __init__(self) -> None:
        super().__init__("The turn has not ended within its time limit. Its thread has it when it does.")


def _chore_response(body: ChatCompletionRequest, text: str) -> Response:
    completion = Completion(f"chatcmpl-{time.time_ns()}", body.model)
    if not body.stream:
        return JSONResponse(completion.whole(text, [], "stop", Usage(), None))
    lines = [completion.chunk({"role": "assistant", "content": text}), completion.chunk({}, "stop"), DONE]
    return Response(b"".join(lines), media_type="text/event-stream")
