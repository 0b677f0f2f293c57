"""Turns: ask, watch, look at, stop (spec 5.1, 9.4)."""

import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from footnote_agent.api.asking import begin_turn, ended_turn, shown_turn
from footnote_agent.api.dependencies import Resources
from footnote_agent.contracts.answer_records import AnswerRecord
from footnote_agent.engines.work_places import begun_with
from footnote_agent.store.answer_records import record_of
from footnote_agent.store.approvals import answer
from footnote_agent.store.turns import find_turn
from footnote_agent.turns.cancel import request_cancel
from footnote_agent.turns.follow import follow
from footnote_agent.turns.shown_record import record_as_readable
from footnote_shared.contracts.turns import ApprovalAnswer, NewTurn, Turn, TurnResult
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.db.idempotency import KeyedRequest
from footnote_shared.kernel.errors import NotFound
from footnote_shared.telemetry import metrics
from footnote_shared.web.body_limits import body_limit
from footnote_shared.web.dependencies import Edge, Reader, Writer
from footnote_shared.web.idempotency import IdempotencyKey
from footnote_shared.web.sse import event_stream

router = APIRouter(prefix="/v1", tags=["turns"])


@router.post(
    "/threads/{thread_id}/turns",
    response_model=TurnResult,
    summary="Ask",
    responses={
        200: {
            "content": {"text/event-stream": {}},
            "description": "With `stream` the events of the turn (spec 6), else its result",
        },
        202: {
            "model": TurnResult,
            "description": "Without `stream`: it has not ended within its time limit; ask for the turn later",
        },
    },
)
@body_limit(128 * 1024)
async def ask(
    thread_id: str,
    body: NewTurn,
    edge: Edge,
    resources: Resources,
    caller: Writer,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """The turn goes on when you go away. Find it at `/v1/streams/{turn_id}` or `/v1/turns/{turn_id}`.

    One turn runs at a time in a thread. Where another runs, this one waits for its end, or is refused with
    409 as `when_busy` says.
    """
    started = time.perf_counter()
    request = KeyedRequest.of(caller, idempotency_key, f"POST /v1/threads/{thread_id}/turns", body)
    first_sent = resources.crew.owe_first_event() if body.stream else _nothing
    try:
        with begun_with(first_sent):
            accepted = await begin_turn(edge, resources, caller, thread_id, body, request)
    except BaseException:
        first_sent()
        raise
    if accepted.leased is not None:
        metrics.FIRST_EVENT_SECONDS.observe(time.perf_counter() - started)
    if body.stream:
        events = follow(resources.resolver, resources.crew, edge.database, caller, accepted.turn_id)
        return event_stream(_telling(events, first_sent), {"Footnote-Turn-Id": accepted.turn_id})
    turn = await ended_turn(edge, resources, caller, accepted.turn_id)
    result = TurnResult(turn_id=turn.turn_id, status=turn.status, message=turn.message, error=turn.error)
    return JSONResponse(
        result.model_dump(mode="json", exclude_none=True) | {"message": _message(result)},
        status_code=202 if result.status == "running" else 200,
        headers={"Footnote-Turn-Id": accepted.turn_id},
    )


@router.get(
    "/turns/{turn_id}",
    response_model_exclude_none=True,
    summary="State of a turn, with its answer once there is one",
)
async def get_turn(turn_id: str, edge: Edge, resources: Resources, caller: Reader) -> Turn:
    return await shown_turn(edge, resources, caller, turn_id)


@router.get(
    "/turns/{turn_id}/record",
    response_model_exclude_none=True,
    summary="Why the answer of a turn is what it is",
)
async def get_record(turn_id: str, edge: Edge, resources: Resources, caller: Reader) -> AnswerRecord:
    """The answer record, for whoever asked. There is none before the turn has ended.

    Of the quotes that it may hold, those are left out whose sources the caller may not see at this moment.
    """

    def work(session: ReadSession) -> AnswerRecord:
        find_turn(session, caller, turn_id)
        record = record_of(session, caller, turn_id)
        if record is None:
            raise NotFound
        return record

    record = await edge.database.read_async(work)
    return await record_as_readable(resources.resolver, caller, record)


@router.post(
    "/turns/{turn_id}:cancel",
    response_model_exclude_none=True,
    summary="Stop a turn; what it has written is kept",
)
async def cancel(turn_id: str, edge: Edge, resources: Resources, caller: Writer) -> Turn:
    """Answers the state of the turn now; a turn that has ended stays as it is."""
    turn = await shown_turn(edge, resources, caller, turn_id)
    if turn.status == "running":
        await request_cancel(resources.streams, turn_id)
        resources.crew.stop(turn_id)
    return turn


@router.post(
    "/turns/{turn_id}:approve",
    response_model_exclude_none=True,
    summary="Let a tool do what it has asked about, or refuse it",
)
async def approve(
    turn_id: str, body: ApprovalAnswer, edge: Edge, resources: Resources, caller: Writer
) -> Turn:
    """The turn goes on with the answer; a refusal is told to the model. The same answer may be sent twice.

    409 where the call was answered otherwise, or the turn has ended.
    """

    def work(session: WriteSession) -> None:
        find_turn(session, caller, turn_id)
        answer(session, caller, turn_id, body.call_id, approved=body.approve)

    await edge.database.write_async(work)
    return await shown_turn(edge, resources, caller, turn_id)


async def _telling(
    events: AsyncGenerator[bytes, None], first_sent: Callable[[], None]
) -> AsyncIterator[bytes]:
    """The events. When the first of them is on its way, and in any case at their end, that is told."""
    try:
        async with aclosing(events):
            async for chunk in events:
                yield chunk
                first_sent()
    finally:
        first_sent()


def _nothing() -> None:
    """Nobody waits for a first event of an answer that comes as a whole."""


def _message(result: TurnResult) -> dict[str, object] | None:
    return result.message.model_dump(mode="json", exclude_none=True) if result.message else None
