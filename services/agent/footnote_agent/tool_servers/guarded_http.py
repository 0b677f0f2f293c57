"""The requests of one session with an MCP server, over the guard of spec 7.2, bounded in bytes and time.

It follows no redirect. What goes wrong is kept in `failure`: the library that asks tells of it in words of
its own.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack

import httpx2

from footnote_agent.tool_servers.errors import ToolServerAway
from footnote_agent.tool_servers.message_shape import EventPieces, check_message
from footnote_shared.egress.client import Answering, EgressClient, FetchAsked, FetchLimits
from footnote_shared.egress.errors import FetchedTooMuch, FetchRefused
from footnote_shared.kernel.errors import FootnoteError

_RESUMES = "last-event-id"
_OWN = (
    "accept",
    "content-type",
    "mcp-session-id",
    "mcp-protocol-version",
    "mcp-method",
    "mcp-name",
    _RESUMES,
)
_EVENTS = "text/event-stream"
_LONGEST_HEADER = 1000
_GOODBYE_S = 2.0
_MOST_REQUESTS = 60


class GuardedSession(httpx2.AsyncBaseTransport):
    """Serves one session until `ends_at`, by the clock of the event loop. `aclose` ends what is open."""

    def __init__(
        self, client: EgressClient, headers: Mapping[str, str], max_bytes: int, ends_at: float
    ) -> None:
        self.failure: FootnoteError | None = None
        self._client = client
        self._headers = headers
        self._max_bytes = max_bytes
        self._ends_at = ends_at
        self._left = 4 * max_bytes
        self._requests = 0
        self._open: set[AsyncExitStack] = set()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The server's answer, or one that says that there is none."""
        if request.method == "GET" and _RESUMES not in request.headers:
            # Nothing that a server says by itself is listened to.
            return httpx2.Response(405)
        self._requests += 1
        content = await request.aread()
        left_s = self._ends_at - asyncio.get_running_loop().time()
        if request.method == "DELETE":
            left_s = min(left_s, _GOODBYE_S)
        if left_s <= 0 or self._left <= 0 or self._requests > _MOST_REQUESTS:
            return httpx2.Response(502)
        own = {name: request.headers[name] for name in _OWN if name in request.headers}
        asked = FetchAsked(
            str(request.url), request.method, {**own, **self._headers}, content if content else None
        )
        limits = FetchLimits(min(self._max_bytes, self._left), left_s, redirects=0)
        stack = AsyncExitStack()
        try:
            answer = await stack.enter_async_context(self._client.open(asked, limits))
        except FootnoteError as error:
            self._note(error)
            return httpx2.Response(502)
        self._open.add(stack)
        if answer.status >= 400 and _waits_for_answer(content):
            self._note(_refusal(answer.status))
        # A charset is not passed on: JSON and events are UTF-8, and some codecs take time by the square.
        told = {"content-type": _media_type(answer)}
        if session_id := _plain_header(answer, "mcp-session-id"):
            told["mcp-session-id"] = session_id
        return httpx2.Response(answer.status, headers=told, stream=_Body(self, answer, stack))

    async def pieces(self, answer: Answering) -> AsyncIterator[bytes]:
        """The body. What is JSON, or an event, is passed on once its shape is known."""
        events = EventPieces() if _media_type(answer) == _EVENTS else None
        kept = bytearray()
        try:
            async for piece in answer.pieces():
                self._left -= len(piece)
                if events is None:
                    kept += piece
                    continue
                for event in events.add(piece):
                    yield event
                    # Events that are all here already would hold up every other task.
                    await asyncio.sleep(0)
            if events is not None:
                yield events.rest()
            else:
                check_message(bytes(kept))
                yield bytes(kept)
        except FootnoteError as error:
            self._note(error)
            raise httpx2.StreamError("the answer was not read to its end") from error

    async def close_one(self, stack: AsyncExitStack) -> None:
        """End one answer, read or not."""
        self._open.discard(stack)
        await stack.aclose()

    async def aclose(self) -> None:
        while self._open:
            await self.close_one(self._open.pop())

    def _note(self, error: FootnoteError) -> None:
        self.failure = self.failure or error


class _Body(httpx2.AsyncByteStream):
    def __init__(self, session: GuardedSession, answer: Answering, stack: AsyncExitStack) -> None:
        self._session = session
        self._answer = answer
        self._stack = stack

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._session.pieces(self._answer):
            yield piece

    async def aclose(self) -> None:
        await self._session.close_one(self._stack)


def told_failure(error: FootnoteError) -> ToolServerAway:
    """The failure as one of the server, in words for people, with whoever can act."""
    match error:
        case ToolServerAway():
            return error
        case FetchRefused():
            return ToolServerAway(error.detail, who_acts="operator")
        case FetchedTooMuch():
            return ToolServerAway(f"The server's answer is too large. {error.detail}")
        case _:
            return ToolServerAway(error.detail)


def _media_type(answer: Answering) -> str:
    return _plain_header(answer, "content-type").partition(";")[0].strip().lower()


def _plain_header(answer: Answering, name: str) -> str:
    """The header, or nothing where it cannot be written down or sent back."""
    value: str = answer.headers.get(name, "")
    return value if len(value) <= _LONGEST_HEADER and value.isascii() and value.isprintable() else ""


def _waits_for_answer(content: bytes) -> bool:
    """Whether the message is a request of ours. What is refused of others says nothing about a call."""
    message = json.loads(content) if content else {}
    return "method" in message and "id" in message


def _refusal(status: int) -> ToolServerAway:
    """What a status says. With one of 4xx the server has done nothing."""
    if status in (401, 403):
        return ToolServerAway(
            f"The server refuses the credential ({status}): an administrator has to give the right one.",
            who_acts="administrator",
            rejected=True,
        )
    if status in (404, 405):
        return ToolServerAway(
            f"There is no MCP server at this address ({status}): an administrator has to look at it.",
            who_acts="administrator",
            rejected=True,
        )
    return ToolServerAway(f"The server answers {status}.", rejected=status < 500)
