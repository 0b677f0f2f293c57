"""The client of a neighbour: how long it waits, how many calls it makes at once, and what it makes of a
failure.
"""

import asyncio
import socket
from functools import partial

import httpx
import pytest
from fastapi import FastAPI
from fastapi.responses import Response

from footnote_shared.clients.base import http_client
from footnote_shared.clients.retriever import RetrieverClient
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import Preset
from footnote_shared.kernel.errors import OurFault, TooMany, Unavailable
from footnote_testing.eventually import eventually_async
from footnote_testing.served_app import ServedApp

SECRET = "s" * 32
CALLER = Principal(workspace_id="w", avatar_id="a", scopes=frozenset({"read"}))
AT_ONCE = 200
TOGETHER = 20
"""Calls begun in one moment: a busy machine connects as many within the time that one may take."""


class Neighbour:
    """A retriever that answers when as many calls have come as it waits for."""

    def __init__(self, *, waits_for: int = 1) -> None:
        self.answer = Response(Preset(name="fast", settings={}, built_in=True).model_dump_json())
        self._all_here = asyncio.Barrier(waits_for)
        self._here = 0
        app = FastAPI()
        app.get("/v1/presets/{name}")(self._preset)
        self.served = ServedApp(app)

    async def _preset(self, name: str) -> Response:
        self._here += 1
        async with asyncio.timeout(60):
            await self._all_here.wait()
        return self.answer

    async def _came(self, calls: int) -> bool:
        return self._here >= calls

    async def ask(self, times: int = 1) -> list[Preset]:
        self.served.start()
        try:
            async with http_client() as http:
                client = RetrieverClient(http, self.served.url, SECRET)
                calls = []
                for begun in range(0, times, TOGETHER):
                    await eventually_async(partial(self._came, begun), "the calls made so far are here")
                    together = range(min(TOGETHER, times - begun))
                    calls += [asyncio.create_task(client.preset(CALLER, "fast")) for _ in together]
                return await asyncio.gather(*calls)
        finally:
            self.served.stop()


async def test_two_hundred_calls_are_made_at_once() -> None:
    presets = await Neighbour(waits_for=AT_ONCE).ask(AT_ONCE)
    assert {preset.name for preset in presets} == {"fast"}


@pytest.mark.parametrize(
    ("status", "headers", "kind", "retry_after"),
    [
        (429, {"Retry-After": "7"}, TooMany, 7),
        (429, {}, TooMany, 2),
        (503, {}, Unavailable, 2),
        (502, {"Retry-After": "soon"}, Unavailable, 2),
    ],
)
async def test_a_failure_that_passes_says_when_to_try_again(
    status: int, headers: dict[str, str], kind: type[Unavailable], retry_after: float
) -> None:
    neighbour = Neighbour()
    neighbour.answer = Response("{}", status_code=status, headers=headers)
    with pytest.raises(kind) as failed:
        await neighbour.ask()
    assert failed.value.retry_after == retry_after


async def test_an_answer_of_another_shape_is_our_fault() -> None:
    neighbour = Neighbour()
    neighbour.answer = Response('{"name": "fast"}')
    with pytest.raises(OurFault):
        await neighbour.ask()


async def test_a_neighbour_that_accepts_no_connection_is_given_up_after_3_s() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        fillers = [socket.socket() for _ in range(8)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(full.getsockname())
        async with http_client() as http:
            assert http.timeout.connect == 3
            client = RetrieverClient(http, f"http://127.0.0.1:{full.getsockname()[1]}", SECRET)
            with pytest.raises(Unavailable) as failed:
                await client.preset(CALLER, "fast")
        assert isinstance(failed.value.__cause__, httpx.ConnectTimeout)
        for filler in fillers:
            filler.close()


class Stopping:
    """A replica that closes its first connections without an answer, as one does that has just stopped."""

    def __init__(self, *, closes: int) -> None:
        self._closes = closes
        self.requests = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        self.requests += 1
        if self.requests > self._closes:
            body = Preset(name="fast", settings={}, built_in=True).model_dump_json().encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
            await writer.drain()
        writer.close()

    async def ask(self, method: str, key: str | None = None) -> None:
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with server, http_client() as http:
            await RetrieverClient(http, url, SECRET).request(CALLER, method, "/v1/presets/fast", key=key)


@pytest.mark.parametrize(
    ("method", "key"), [("GET", None), ("PUT", None), ("DELETE", None), ("POST", "once")]
)
async def test_what_may_be_sent_twice_is_when_a_replica_stops_under_it(method: str, key: str | None) -> None:
    replica = Stopping(closes=1)
    await replica.ask(method, key)
    assert replica.requests == 2


async def test_what_may_not_is_sent_once() -> None:
    replica = Stopping(closes=1)
    with pytest.raises(Unavailable):
        await replica.ask("POST")
    assert replica.requests == 1


async def test_nothing_is_sent_a_third_time() -> None:
    replica = Stopping(closes=2)
    with pytest.raises(Unavailable):
        await replica.ask("GET")
    assert replica.requests == 2
