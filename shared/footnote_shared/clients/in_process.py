"""What a call to a neighbour in this process is made of: its application is called, without a socket.

It is the same application with the same middleware: the caller is signed and verified as over HTTP. What
every search and every turn asks goes to the function behind the route instead, in bytes as over HTTP
(ADR 0074).
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from functools import partial
from typing import ParamSpec, Protocol, TypeAlias
from urllib.parse import unquote

from starlette.types import Message, Scope

from footnote_shared.contracts.identity import Principal, ServiceName
from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_shared.kernel.errors import FootnoteError, OurFault, Unavailable
from footnote_shared.kernel.post_client import PostAnswer, Unreachable
from footnote_shared.telemetry.logs import logger

Given = ParamSpec("Given")

DirectCall: TypeAlias = Callable[[Principal, bytes], Awaitable[bytes]]
"""What stands behind a route that answers neighbours: for a caller, a body in JSON to an answer in JSON.

It checks the caller's scope and the body as the route does, and raises the FootnoteError that the route would
answer with. What stands behind a GET has its parameters in the place of a body.
"""

DirectCallOf: TypeAlias = Callable[[str, Principal, bytes], Awaitable[bytes]]
"""The same for a route whose path has an id in it, which is given as it stands there."""

DirectStream: TypeAlias = Callable[[Principal, str, str | None], AsyncGenerator[bytes, None]]
"""What stands behind a route that streams events: for a caller, the id in its path and the `Last-Event-ID`.

What the route would answer with an error is raised before the first piece. Whoever reads closes it.
"""


_ENDS_WITHIN_S = 5.0
_log = logger(__name__)


async def within(answer_s: float, call: Awaitable[bytes]) -> bytes:
    """What the call gives. Raises TimeoutError after `answer_s` seconds, though its thread may work on."""
    work = asyncio.ensure_future(call)
    try:
        # What is answered on the spot is there when the loop comes back. It needs no clock.
        await asyncio.sleep(0)
        if not work.done():
            await asyncio.wait([work], timeout=answer_s)
        if not work.done():
            raise TimeoutError
        return work.result()
    finally:
        work.cancel()


class GoesOn:
    """Direct calls as requests are in a server: they go on when who asks has gone.

    What a call is in the middle of may be shared with others. What nobody foresaw in it is logged here and
    told as a fault of the service, which a turn survives.
    """

    def __init__(self, service: ServiceName) -> None:
        self._service = service
        self._works: set[asyncio.Task[bytes]] = set()
        self._closed = False

    def of(self, call: Callable[Given, Awaitable[bytes]]) -> Callable[Given, Awaitable[bytes]]:
        """The call as one of these."""

        async def begun(*given: Given.args, **named: Given.kwargs) -> bytes:
            if self._closed:
                raise self._stopping()
            work = asyncio.create_task(
                self._answer(partial(call, *given, **named)), name=f"asked of {self._service}"
            )
            self._works.add(work)
            work.add_done_callback(self._ended)
            try:
                return await asyncio.shield(work)
            except asyncio.CancelledError as ended:
                asking = asyncio.current_task()
                if not work.cancelled() or (asking is not None and asking.cancelling()):
                    raise
                # It was ended before its first step. Who asked is not cancelled.
                raise self._stopping() from ended

        return begun

    async def close(self) -> None:
        """End what is still at work. Whoever asks from now on is told that the service is stopping."""
        self._closed = True
        await end_tasks(list(self._works), _ENDS_WITHIN_S)

    def _ended(self, work: asyncio.Task[bytes]) -> None:
        self._works.discard(work)
        if not work.cancelled():
            # Nobody may be left who hears of an error. The loop would complain of that.
            work.exception()

    def _stopping(self) -> Unavailable:
        return Unavailable(self._service, f"The {self._service} service is stopping.")

    async def _answer(self, call: Callable[[], Awaitable[bytes]]) -> bytes:
        try:
            return await call()
        except FootnoteError:
            raise
        except asyncio.CancelledError as stopping:
            # The service ends. Who still waits is not cancelled, and may ask another one.
            raise self._stopping() from stopping
        except Exception as error:
            _log.error("in_process.failed", service=self._service, exc_info=error)
            raise OurFault(f"The {self._service} service has failed.") from error


class Posts(Protocol):
    """What takes POSTs to one neighbour."""

    async def post(
        self, path: str, body: bytes, headers: Mapping[str, str], *, answer_s: float
    ) -> PostAnswer:
        """The answer, whatever its status. Raises Unreachable, and TimeoutError after `answer_s` seconds."""

    async def close(self) -> None:
        """Close all connections."""


def scope_of(
    method: str, path: str, query: str, headers: Mapping[str, str], port: int, *, length: int
) -> Scope:
    """What an application is told of a request: the path as it was sent, and the query as it stands behind
    the `?`."""
    given = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [*given, (b"content-length", b"%d" % length)],
        "client": ("127.0.0.1", 0),
        "server": ("127.0.0.1", port),
        "state": {},
    }


class AppExchange:
    """One request and what comes of it."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._asked = False
        self._status = 0
        self._headers: dict[str, str] = {}
        self._pieces: list[bytes] = []

    async def receive(self) -> Message:
        if self._asked:
            # Who asks again wants to hear that the caller has gone; this one waits for the answer.
            await asyncio.Event().wait()
        self._asked = True
        return {"type": "http.request", "body": self._body, "more_body": False}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            self._headers = headers_of(message)
        else:
            self._pieces.append(message.get("body", b""))

    def answer(self) -> PostAnswer:
        if not self._status:
            raise Unreachable("the application ended without an answer")
        return PostAnswer(self._status, self._headers, b"".join(self._pieces))


def headers_of(start: Message) -> dict[str, str]:
    """The headers of an answer; their names are in lower case."""
    return {name.decode().lower(): value.decode() for name, value in start["headers"]}
