"""The web server of a service: how it stops, and how long it waits for a request."""

import asyncio
import gc
import logging
import signal
import socket
from collections.abc import Sequence
from http import HTTPStatus
from types import FrameType

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from footnote_cli.draining import Draining
from footnote_cli.where_it_stands import tell_no_more, tell_on_signal
from footnote_shared.kernel.errors import CallerError, FootnoteError, TooLarge, TooSlow
from footnote_shared.web.problems import problem_response

_WAITING_CONNECTIONS = 2048
# Longer than any client of ours keeps an idle connection (`http_client`): a server that closes first closes
# some under a request that is on its way.
_IDLE_CONNECTION_S = 75
# The parser copies a header again with each piece that comes, so a long one costs time by its square.
_LONGEST_HEAD = 64 * 1024
_NEW_OBJECTS = 10_000
"""New objects after which the collector looks for garbage, as in a process that the fork server begins. With
Python's 700 it looks several times in each search."""

_UNFINISHED = "ASGI callable returned without completing response."
"""What the server says of an answer that is cut off. When it is the end that does that, we say so instead."""


def serve_until_told(
    app: ASGIApp,
    sockets: Sequence[socket.socket],
    *,
    drain_s: float,
    requests_end_s: int,
    headers_within_s: float,
    proxies: str,
) -> None:
    """Serve until SIGTERM or SIGINT, and end in order.

    After SIGTERM the process takes requests for `drain_s` seconds more, without being ready, and up to twice
    that while they still come. Then those in hand get `requests_end_s` to end. `proxies` are
    the addresses whose `X-Forwarded-For` is believed, divided by commas. Raises what the application says
    when it cannot start, and SystemExit for anything else that keeps it from that.
    """
    draining = Draining(app)
    logging.getLogger("uvicorn.error").addFilter(
        lambda record: not draining.begun or record.msg != _UNFINISHED
    )
    # The server has handlers of its own while it serves, and gives this one back.
    signal.signal(signal.SIGTERM, lambda *_: draining.begin())
    config = uvicorn.Config(
        draining,
        loop="uvloop",
        http=_protocol(headers_within_s),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies,
        timeout_keep_alive=_IDLE_CONNECTION_S,
        timeout_graceful_shutdown=requests_end_s,
        backlog=_WAITING_CONNECTIONS,
    )
    try:
        _Server(config, draining, drain_s).run(list(sockets))
    except SystemExit as ended:
        # The server's own status for a start that failed means something else here.
        raise draining.refusal or SystemExit(1) from ended
    # Said again, it would kill a process that ends in order: the interpreter takes handlers away at last.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    tell_no_more()


class _Server(uvicorn.Server):
    """A server that says for a while that it stops, before it does."""

    def __init__(self, config: uvicorn.Config, draining: Draining, drain_s: float) -> None:
        super().__init__(config)
        self._draining = draining
        self._drain_s = drain_s

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first SIGTERM begins the drain; SIGINT ends at once, since a person waits for it."""
        self._draining.begin()
        if sig != signal.SIGTERM:
            super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """What there is by now stays until the end.

        Among all of it, the collector would look for garbage for a fifth of a second while a request waits.
        """
        await super().startup(sockets)
        tell_on_signal(asyncio.get_running_loop())
        gc.collect()
        gc.freeze()
        gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])

    async def on_tick(self, counter: int) -> bool:
        """Whether to stop now, asked ten times a second."""
        return await super().on_tick(counter) or self._draining.over(self._drain_s)


class _ShortHeads(HttpToolsProtocol):
    """HTTP/1.1 whose heads, lines before a chunk, and trailers end the connection once they are too long."""

    _unfinished = 0
    """Bytes since the parser last had a whole head, a piece of a body, or the end of a request."""

    def data_received(self, data: bytes) -> None:
        self._unfinished += len(data)
        super().data_received(data)
        if self._unfinished > _LONGEST_HEAD and not self.transport.is_closing():
            if self.cycle is None or self.cycle.response_complete:
                self.transport.write(_answer(TooLarge("The head of the request is too long.")))
            self.transport.close()

    def on_headers_complete(self) -> None:
        self._unfinished = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unfinished = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unfinished = 0
        super().on_message_complete()


def _protocol(headers_within_s: float) -> type[HttpToolsProtocol]:
    """HTTP/1.1 that waits this many seconds for the head of a request, from its connection or first byte on.

    Without it a client could hold a connection for ever by sending a header a minute (Slowloris).
    """

    class Impatient(_ShortHeads):
        _head_is_due: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._wait_for_head()

        def data_received(self, data: bytes) -> None:
            if self._head_is_due is None and (self.cycle is None or self.cycle.response_complete):
                self._wait_for_head()
            super().data_received(data)

        def on_headers_complete(self) -> None:
            self._stop_waiting()
            super().on_headers_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            super().connection_lost(exc)

        def _wait_for_head(self) -> None:
            self._head_is_due = self.loop.call_later(headers_within_s, self._give_up)

        def _stop_waiting(self) -> None:
            if self._head_is_due is not None:
                self._head_is_due.cancel()
                self._head_is_due = None

        def _give_up(self) -> None:
            self._head_is_due = None
            if not self.transport.is_closing():
                late = TooSlow("The head of the request did not come in time.", retry_after=1)
                self.transport.write(_answer(late))
                self.transport.close()

        def send_400_response(self, msg: str) -> None:
            self.transport.write(_answer(CallerError("This is not a request of HTTP/1.1.")))
            self.transport.close()

    return Impatient


def _answer(error: FootnoteError) -> bytes:
    """The whole answer to something that is no request, after which the connection ends."""
    response = problem_response(error)
    response.headers["Connection"] = "close"
    head = b"".join(b"%b: %b\r\n" % header for header in response.raw_headers)
    phrase = HTTPStatus(error.status).phrase
    return f"HTTP/1.1 {error.status} {phrase}\r\n".encode() + head + b"\r\n" + bytes(response.body)
