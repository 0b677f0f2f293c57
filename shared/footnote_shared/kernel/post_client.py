"""POST to one neighbour, for the calls that every search makes.

A request by httpx takes 0.9 ms of processor time, more than what is asked for takes, and by aiohttp 0.3. So
HTTP/1.1 is read by httptools here, as the web server reads it, and written in one piece.
"""

import asyncio
import ssl
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

import httptools

_CONNECT_S = 3.0
_LONGEST_ANSWER = 64 * 2**20
_LONGEST_HEAD = 64 * 1024
_IDLE_S = 15.0
"""Seconds after which a connection that nobody uses is closed: well before the other side does it."""
_FIRST_FINAL = 200
_CONTROL = frozenset("\r\n\0")
_WITH_AN_END = frozenset({"content-length", "transfer-encoding"})


class PostAnswer(NamedTuple):
    """A whole answer; header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class Unreachable(Exception):
    """No connection could be made, or it broke before the whole answer was there."""


class _Broken(Unreachable):
    """The other side closed the connection. It may close a kept one at any time."""


class PostClient:
    """Connections to one origin, kept between requests. Belongs to the event loop of its first request."""

    def __init__(self, url: str) -> None:
        """`url`: scheme, host, port, and perhaps a path that stands before that of each request."""
        self._url = url.rstrip("/")
        parts = urlsplit(self._url)
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._before = parts.path
        self._named = parts.netloc.rpartition("@")[2]
        self._idle: list[tuple[float, _Connection]] = []
        self._closed = False

    async def post(
        self, path: str, body: bytes, headers: Mapping[str, str], *, answer_s: float
    ) -> PostAnswer:
        """The answer, whatever its status. The request must be one that may be made twice.

        Raises Unreachable, and TimeoutError after `answer_s` seconds.
        """
        request = self._head(path, len(body), headers) + body
        async with asyncio.timeout(answer_s):
            try:
                return await self._ask(request)
            except _Broken:
                return await self._ask(request)

    def _head(self, path: str, length: int, headers: Mapping[str, str]) -> bytes:
        lines = [f"POST {self._before}{path} HTTP/1.1", f"Host: {self._named}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if not any(name.lower() == "content-type" for name in headers):
            lines.append("Content-Type: application/octet-stream")
        lines.append(f"Content-Length: {length}")
        if any(not _CONTROL.isdisjoint(line) for line in lines):
            raise ValueError("a header has a control character")
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    async def _ask(self, request: bytes) -> PostAnswer:
        connection = self._kept() or await self._opened()
        try:
            answer = await connection.ask(request)
        except BaseException:
            # The answer may still come. It must not be taken for the next one.
            connection.close()
            raise
        if connection.is_open and not self._closed:
            self._idle.append((asyncio.get_running_loop().time(), connection))
        else:
            connection.close()
        return answer

    def _kept(self) -> "_Connection | None":
        """The connection that was used last, if it has not been idle for long."""
        since = asyncio.get_running_loop().time() - _IDLE_S
        while self._idle:
            used, connection = self._idle.pop()
            if connection.is_open and used > since:
                return connection
            connection.close()
        return None

    async def _opened(self) -> "_Connection":
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(_CONNECT_S) as limit:
                _, connection = await loop.create_connection(
                    _Connection, self._host, self._port, ssl=self._tls
                )
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise Unreachable(f"{self._url} cannot be reached") from error
        except OSError as error:
            raise Unreachable(f"{self._url}: {error}") from error
        return connection

    async def close(self) -> None:
        self._closed = True
        while self._idle:
            self._idle.pop()[1].close()


class _Connection(asyncio.Protocol):
    """One request at a time, and the parser of its answer."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._waiting: asyncio.Future[PostAnswer] | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._begin()

    def _begin(self) -> None:
        self._headers: dict[str, str] = {}
        self._pieces: list[bytes] = []
        self._size = 0
        self._head_size = 0
        self._in_body = False

    @property
    def is_open(self) -> bool:
        """Whether another request can be sent."""
        return self._transport is not None and not self._transport.is_closing()

    def ask(self, request: bytes) -> "asyncio.Future[PostAnswer]":
        """Send a request. Its answer comes, or Unreachable."""
        self._waiting = asyncio.get_running_loop().create_future()
        if self._transport is None or self._transport.is_closing():
            self._fail(_Broken("the connection was closed"))
        else:
            self._transport.write(request)
        return self._waiting

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        if self._in_body and exc is None and _WITH_AN_END.isdisjoint(self._headers):
            # The end of the connection is the end of such an answer (RFC 9112, section 6.3).
            self._give()
        self._fail(_Broken("the connection ended before the answer did"))

    def data_received(self, data: bytes) -> None:
        if self._waiting is None:
            # Nobody has asked for anything.
            self.close()
            return
        self._head_size += 0 if self._in_body else len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self._fail(Unreachable(f"the answer is not HTTP/1.1: {error}"))
        if self._size > _LONGEST_ANSWER or (self._head_size > _LONGEST_HEAD and not self._in_body):
            self._fail(Unreachable("the answer is too long"))

    def on_message_begin(self) -> None:
        if self._waiting is None:
            # A second answer to one question.
            self.close()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        self._in_body = True

    def on_body(self, body: bytes) -> None:
        self._pieces.append(body)
        self._size += len(body)

    def on_message_complete(self) -> None:
        if self._parser.get_status_code() < _FIRST_FINAL:
            # What comes before the answer, such as 103.
            self._headers, self._in_body = {}, False
            return
        goes_on = self._parser.should_keep_alive()
        self._give()
        if not goes_on:
            self.close()

    def _give(self) -> None:
        waiting, self._waiting = self._waiting, None
        answer = PostAnswer(self._parser.get_status_code(), self._headers, b"".join(self._pieces))
        self._begin()
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def _fail(self, error: Unreachable) -> None:
        waiting, self._waiting = self._waiting, None
        self.close()
        if waiting is not None and not waiting.done():
            waiting.set_exception(error)
