"""A neighbour in the same process answers as it does over HTTP, also when it fails or takes too long."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextvars import ContextVar
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from footnote_shared.clients.base import http_client
from footnote_shared.clients.in_process import DirectCall, GoesOn
from footnote_shared.clients.in_process_calls import InProcessCalls
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.contracts.documents import ChunkLookup, LiveChunks
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import (
    FieldError,
    FootnoteError,
    InvalidRequest,
    NoAnswer,
    OurFault,
    Unavailable,
)
from footnote_shared.kernel.post_client import Unreachable

PORT = 8123
context: ContextVar[str] = ContextVar("context", default="the caller's")
cut_off = asyncio.Event()


async def echo(request: Request) -> Response:
    context.set("the neighbour's")
    body = (await request.body()).decode()
    seen = f"{request.method} {request.url.port} {request.headers['x-token']} {body}"
    return PlainTextResponse(seen, status_code=201, headers={"X-Kind": "A"})


async def in_pieces(request: Request) -> Response:
    async def pieces() -> AsyncIterator[str]:
        for number in range(3):
            yield str(number)

    return StreamingResponse(pieces())


async def broken(request: Request) -> Response:
    raise RuntimeError("a fault of the neighbour")


async def endless(request: Request) -> Response:
    cut_off.clear()
    try:
        await asyncio.Event().wait()
    finally:
        cut_off.set()
    return Response()


ENDPOINTS = (echo, in_pieces, broken, endless)
APP = Starlette(routes=[Route(f"/{one.__name__}", one, methods=["POST"]) for one in ENDPOINTS])


async def post(path: str, answer_s: float = 60.0) -> tuple[int, dict[str, str], bytes]:
    posts = InProcessCalls(APP, PORT)
    try:
        return await posts.post(path, b"{}", {"X-Token": "t"}, answer_s=answer_s)
    finally:
        await posts.close()


async def test_the_request_arrives_and_the_answer_comes_back() -> None:
    status, headers, body = await post("/echo")
    assert (status, body) == (201, f"POST {PORT} t {{}}".encode())
    assert headers["x-kind"] == "A"


async def test_what_the_neighbour_sets_in_its_context_stays_there() -> None:
    await post("/echo")
    assert context.get() == "the caller's"


async def test_an_answer_in_pieces_is_whole() -> None:
    assert (await post("/in_pieces"))[2] == b"012"


async def test_a_fault_of_the_neighbour_is_an_answer() -> None:
    assert (await post("/broken"))[0] == 500


async def test_a_neighbour_without_an_answer_is_unreachable() -> None:
    async def nothing(scope: Scope, receive: Receive, send: Send) -> None:
        return None

    with pytest.raises(Unreachable):
        await InProcessCalls(nothing, PORT).post("/", b"", {}, answer_s=60.0)


async def test_a_neighbour_that_takes_too_long_is_cut_off() -> None:
    with pytest.raises(TimeoutError):
        await post("/endless", answer_s=0.05)
    async with asyncio.timeout(60):
        await cut_off.wait()


LOOKUP = "/v1/chunks:lookup"
CALLER = Principal(workspace_id="w", avatar_id="a", scopes=frozenset({"read"}))


async def failure_of(call: DirectCall, answer_s: float = 60.0) -> FootnoteError:
    """What a client raises that asks this function behind the route."""
    async with http_client() as http:
        client = IngestClient(http, "http://127.0.0.1:9", "", direct={LOOKUP: call})
        body = ChunkLookup(refs=[])
        with pytest.raises(FootnoteError) as raised:
            await client.call(CALLER, "POST", LOOKUP, LiveChunks, body=body, answer_s=answer_s)
    return raised.value


def failing(error: FootnoteError) -> DirectCall:
    async def call(caller: Principal, body: bytes) -> bytes:
        raise error

    return call


async def test_a_direct_call_fails_as_a_call_over_http_does() -> None:
    refused = InvalidRequest("Not valid: refs.", errors=[FieldError("refs", "is too long")])
    wrong = await failure_of(failing(refused))
    assert (type(wrong), wrong.detail) == (InvalidRequest, "Not valid: refs.")
    assert [one.field for one in wrong.errors] == ["refs"]
    away = await failure_of(failing(Unavailable("sql", "The database does not answer.", retry_after=3)))
    assert isinstance(away, Unavailable)
    assert (away.part, away.detail, away.retry_after) == ("ingest", "The database does not answer.", 3)


async def test_a_direct_call_that_takes_too_long_is_cut_off() -> None:
    ended = asyncio.Event()

    async def call(caller: Principal, body: bytes) -> bytes:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return body

    assert isinstance(await failure_of(call, answer_s=0.05), NoAnswer)
    async with asyncio.timeout(60):
        await ended.wait()


async def test_a_call_that_goes_on_does_so_when_who_asked_has_gone() -> None:
    may_end, ended = asyncio.Event(), asyncio.Event()

    async def call(caller: Principal, body: bytes) -> bytes:
        await may_end.wait()
        ended.set()
        return body

    going_on = GoesOn("ingest")
    assert isinstance(await failure_of(going_on.of(call), answer_s=0.05), NoAnswer)
    may_end.set()
    async with asyncio.timeout(60):
        await ended.wait()
    await going_on.close()


async def test_what_nobody_foresaw_in_it_is_a_fault_of_the_service() -> None:
    async def call(caller: Principal, body: bytes) -> bytes:
        raise RuntimeError("a fault of the neighbour")

    going_on = GoesOn("ingest")
    assert isinstance(await failure_of(going_on.of(call)), OurFault)
    refused = InvalidRequest("Not valid: refs.", errors=[FieldError("refs", "is too long")])
    assert isinstance(await failure_of(going_on.of(failing(refused))), InvalidRequest)
    await going_on.close()


async def test_it_ends_with_its_service_and_who_waits_is_told() -> None:
    begun, cut_short = asyncio.Event(), asyncio.Event()

    async def call(caller: Principal, body: bytes) -> bytes:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cut_short.set()
        return body

    going_on = GoesOn("ingest")
    waiting = asyncio.create_task(failure_of(going_on.of(call)))
    async with asyncio.timeout(60):
        await begun.wait()
        await going_on.close()
        assert cut_short.is_set()
        assert isinstance(await waiting, Unavailable)


async def test_one_that_has_not_begun_ends_with_its_service_too() -> None:
    async def call(caller: Principal, body: bytes) -> bytes:
        return body

    going_on = GoesOn("ingest")
    waiting = asyncio.ensure_future(going_on.of(call)(CALLER, b""))
    await asyncio.sleep(0)
    await going_on.close()
    with pytest.raises(Unavailable):
        await waiting


async def test_nothing_begins_when_its_service_has_closed() -> None:
    begun: list[bytes] = []

    async def call(caller: Principal, body: bytes) -> bytes:
        begun.append(body)
        return body

    going_on = GoesOn("ingest")
    await going_on.close()
    assert isinstance(await failure_of(going_on.of(call)), Unavailable)
    assert not begun


async def test_an_error_that_nobody_waits_for_is_no_complaint_of_the_loop() -> None:
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, told: complaints.append(told))

    async def call(caller: Principal, body: bytes) -> bytes:
        await asyncio.Event().wait()
        return body

    going_on = GoesOn("ingest")
    asking = asyncio.ensure_future(going_on.of(call)(CALLER, b""))
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.wait({asking})
    await going_on.close()
    gc.collect()
    assert complaints == []


async def test_what_is_lent_after_a_client_was_made_is_asked_there_too() -> None:
    lent: dict[str, DirectCall] = {}
    async with http_client() as http:
        client = IngestClient(http, "http://127.0.0.1:9", "", direct=lent)
        lent[LOOKUP] = failing(InvalidRequest("Asked within the process."))
        with pytest.raises(InvalidRequest):
            await client.lookup_chunks(CALLER, [])
