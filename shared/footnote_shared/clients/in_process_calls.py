"""Requests of any kind, and streams, to a neighbour that runs in this process, without a socket in between.

It is the same application with the same middleware: the caller is signed and verified as over HTTP
(docs/adr/0046).
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.types import ASGIApp, Message, Scope

from footnote_shared.clients.in_process import AppExchange, DirectCall, DirectCallOf, headers_of, scope_of
from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_shared.kernel.post_client import PostAnswer, Unreachable
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

_WAITING_PIECES = 8
"""This many pieces of a stream wait for their reader; then whoever writes them waits."""

_ENDS_WITHIN_S = 5.0


class InProcessCalls:
    """Requests of any kind to an application that runs on this event loop.

    A request goes on when who asks has gone, as it does in a server.
    """

    def __init__(self, app: ASGIApp, neighbour_port: int, serves: Callable[[], bool] = lambda: True) -> None:
        """`serves`: whether the application is open. Before and after, it counts as not there."""
        self._app = app
        self._port = neighbour_port
        self._serves = serves
        self._works: set[asyncio.Task[None]] = set()

    async def request(
        self,
        method: str,
        path: str,
        params: Mapping[str, Any] | None,
        body: bytes | None,
        headers: Mapping[str, str],
        *,
        answer_s: float,
    ) -> PostAnswer:
        """The answer, whatever its status. Raises Unreachable, and TimeoutError after `answer_s` seconds."""
        exchange = AppExchange(body or b"")
        query = str(httpx.QueryParams(params)) if params else ""
        work = self._begin(
            scope_of(method, path, query, headers, self._port, length=len(body or b"")), exchange
        )
        # It is not cancelled when the time is up: its thread would go on with a session that is closed, and
        # the connection that it takes then never comes back.
        async with asyncio.timeout(answer_s):
            await asyncio.wait([work])
        return exchange.answer()

    async def post(
        self, path: str, body: bytes, headers: Mapping[str, str], *, answer_s: float
    ) -> PostAnswer:
        """Like `Posts.post`."""
        return await self.request("POST", path, None, body, headers, answer_s=answer_s)

    @asynccontextmanager
    async def streamed(
        self, path: str, headers: Mapping[str, str], *, silent_s: float
    ) -> AsyncIterator["StreamedAnswer"]:
        """The answer to a GET as it comes, within the block. Raises Unreachable, and TimeoutError.

        `silent_s`: seconds that may pass without a piece of it.
        """
        answer = StreamedAnswer(silent_s)
        work = self._begin(scope_of("GET", path, "", headers, self._port, length=0), answer)
        work.add_done_callback(answer.ended)
        try:
            await answer.begin()
            yield answer
        finally:
            answer.leave()

    async def close(self) -> None:
        """End what is still at work."""
        await end_tasks(list(self._works), _ENDS_WITHIN_S)

    def _begin(self, scope: Scope, exchange: "AppExchange | StreamedAnswer") -> "asyncio.Task[None]":
        if not self._serves():
            raise Unreachable("the application is not open")
        work = asyncio.create_task(_run(self._app, scope, exchange), name=str(scope["path"]))
        self._works.add(work)
        work.add_done_callback(self._ended)
        return work

    def _ended(self, work: "asyncio.Task[None]") -> None:
        self._works.discard(work)
        if not work.cancelled() and (failure := work.exception()) is not None:
            _log.error("in_process.failed", path=work.get_name(), exc_info=failure)


class StreamedAnswer:
    """An answer as it comes. `status` and `headers` are there once `begin` has returned."""

    def __init__(self, silent_s: float) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self._silent_s = silent_s
        self._asked = False
        self._gone = asyncio.Event()
        self._room = asyncio.Semaphore(_WAITING_PIECES)
        self._messages: asyncio.Queue[Message | None] = asyncio.Queue()

    async def begin(self) -> None:
        """Wait for the status."""
        message = await self._next()
        self.status = message["status"]
        self.headers = headers_of(message)

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """The pieces of the body up to its end. Raises Unreachable if it breaks off."""
        while True:
            message = await self._next()
            if piece := message.get("body", b""):
                yield piece
            if not message.get("more_body", False):
                return

    async def whole(self) -> bytes:
        """The whole body."""
        return b"".join([piece async for piece in self.pieces()])

    def leave(self) -> None:
        """Take nothing more. The application hears of it as of a reader whose connection is closed."""
        self._gone.set()
        self._room.release()

    def ended(self, work: "asyncio.Task[None]") -> None:
        """The application is done."""
        self._messages.put_nowait(None)

    async def receive(self) -> Message:
        if self._asked:
            await self._gone.wait()
            return {"type": "http.disconnect"}
        self._asked = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(self, message: Message) -> None:
        await self._room.acquire()
        if self._gone.is_set():
            self._room.release()
            # Whoever writes without a pause must come to hear that nobody reads.
            await asyncio.sleep(0)
            return
        self._messages.put_nowait(message)

    async def _next(self) -> Message:
        async with asyncio.timeout(self._silent_s):
            message = await self._messages.get()
        if message is None:
            raise Unreachable("the application ended in the middle of its answer")
        self._room.release()
        return message


def neighbour(app: Starlette, name: str, neighbour_port: int) -> InProcessCalls | None:
    """The service of this name, where it runs in the process of `app`."""
    other: Starlette | None = app.state.neighbours.get(name)
    if other is None:
        return None
    return InProcessCalls(other, neighbour_port, lambda: bool(other.state.open))


def lent_by(app: Starlette, name: str) -> Mapping[str, DirectCall] | None:
    """What the service of this name lends to others, where it runs in the process of `app` (ADR 0074)."""
    other: Starlette | None = app.state.neighbours.get(name)
    if other is None:
        return None
    lent: Mapping[str, DirectCall] = other.state.direct
    return lent


def lent_of(app: Starlette, name: str) -> Mapping[str, DirectCallOf] | None:
    """The same for routes whose path has an id in it."""
    other: Starlette | None = app.state.neighbours.get(name)
    if other is None:
        return None
    lent: Mapping[str, DirectCallOf] = other.state.direct_of
    return lent


async def _run(app: ASGIApp, scope: Scope, exchange: "AppExchange | StreamedAnswer") -> None:
    await app(scope, exchange.receive, exchange.send)
