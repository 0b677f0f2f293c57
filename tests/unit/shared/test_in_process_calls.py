"""Calls of any kind, and streams, to a neighbour in the same process: as over HTTP."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from footnote_shared.clients.in_process import DirectStream
from footnote_shared.clients.in_process_calls import InProcessCalls
from footnote_shared.clients.resolver import STREAM, ResolverClient
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import NotFound, Unavailable
from footnote_shared.kernel.post_client import PostAnswer, Unreachable

PORT = 8123


async def asked(request: Request) -> Response:
    return PlainTextResponse(f"{request.path_params['name']} {request.query_params.multi_items()}")


async def slow_change(request: Request) -> Response:
    changes.append("begun")
    await allowed.wait()
    changes.append("made")
    made.set()
    return Response()


async def long(caller: Principal, turn_id: str, last_event_id: str | None) -> AsyncGenerator[bytes, None]:
    if turn_id != "long":
        raise NotFound
    try:
        for number in range(int(last_event_id or 0), 1000):
            written.append(number)
            yield b"id: %d\n\n" % number
    finally:
        left.set()


async def broken(caller: Principal, turn_id: str, last_event_id: str | None) -> AsyncGenerator[bytes, None]:
    yield b"id: 0\n\n"
    raise RuntimeError("a fault of the neighbour")


changes: list[str] = []
written: list[int] = []
allowed, made, left = (asyncio.Event() for _ in range(3))
READER = Principal(workspace_id="w" * 26, avatar_id="a" * 26, scopes=frozenset({"read"}))
CALLS_APP = Starlette(
    routes=[
        Route("/asked/{name}", asked),
        Route("/slow_change", slow_change, methods=["GET", "PUT"]),
    ]
)


async def call(
    method: str, path: str, params: dict[str, object] | None = None, answer_s: float = 60.0
) -> PostAnswer:
    return await InProcessCalls(CALLS_APP, PORT).request(method, path, params, None, {}, answer_s=answer_s)


def resolver_client(*, lent: DirectStream | None) -> ResolverClient:
    async def nowhere(request: httpx.Request) -> httpx.Response:
        raise AssertionError("a socket was used")

    http = httpx.AsyncClient(transport=httpx.MockTransport(nowhere))
    streams = {} if lent is None else {STREAM: lent}
    return ResolverClient(http, "http://resolver", "s" * 32, direct_streams=streams)


async def test_what_a_call_asks_for_is_read_as_from_an_address() -> None:
    found = await call("GET", "/asked/a%20b", {"n": [1, 2], "of": "c&d"})
    assert found.body == b"a b [('n', '1'), ('n', '2'), ('of', 'c&d')]"


async def test_a_request_goes_on_when_who_asked_has_gone() -> None:
    """Cut off, its thread would go on with a session that is closed, and keep a connection for good."""
    for method in ("GET", "PUT"):
        for one in (allowed, made):
            one.clear()
        changes.clear()
        with pytest.raises(TimeoutError):
            await call(method, "/slow_change", answer_s=0.05)
        assert changes == ["begun"]
        allowed.set()
        async with asyncio.timeout(60):
            await made.wait()
        assert changes == ["begun", "made"]


async def test_a_neighbour_that_is_not_open_is_not_called() -> None:
    closed = InProcessCalls(CALLS_APP, PORT, lambda: False)
    with pytest.raises(Unreachable):
        await closed.request("GET", "/asked/a", None, None, {}, answer_s=60.0)


async def test_a_stream_of_a_neighbour_that_is_not_open_is_not_looked_for_elsewhere() -> None:
    with pytest.raises(Unavailable):
        await anext(resolver_client(lent=None).stream(READER, "long"))


async def test_a_stream_comes_piece_by_piece_and_ends_with_its_reader() -> None:
    written.clear()
    left.clear()
    stream = resolver_client(lent=long).stream(READER, "long", "5")
    async with aclosing(stream):
        assert [await anext(stream) for _ in range(3)] == [b"id: %d\n\n" % n for n in (5, 6, 7)]
        assert not left.is_set()
    assert written == [5, 6, 7]
    assert left.is_set()


async def test_a_stream_that_is_not_there_is_the_error_that_it_is_over_http() -> None:
    with pytest.raises(NotFound):
        await anext(resolver_client(lent=long).stream(READER, "none"))


async def test_a_stream_that_breaks_off_is_not_taken_for_whole() -> None:
    stream = resolver_client(lent=broken).stream(READER, "long")
    assert await anext(stream) == b"id: 0\n\n"
    with pytest.raises(Unavailable):
        await anext(stream)
