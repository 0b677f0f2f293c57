"""What comes before a body: the caller is known and the route's limit holds before a byte of it is read."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from footnote_shared.kernel.errors import FootnoteError, TooLarge, TooSlow, UnsupportedType
from footnote_shared.settings.base import Settings
from footnote_shared.telemetry import metrics
from footnote_shared.web.admission import Door
from footnote_shared.web.json_shape import check_json
from footnote_shared.web.problems import problem_response
from footnote_shared.web.straight_posts import StraightPosts

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])

SMALL_BODY = 64 * 1024
"""Bytes that a JSON body may have on a route that says nothing else."""

LARGE_BODY = 1024 * 1024
"""Bytes for routes that take passages, texts or long lists of ids."""

_MULTIPART_SLACK = 64 * 1024
_CHECKED_ON_THE_LOOP = 16 * 1024
_BODY_GRACE_S = 30.0
"""Seconds that any body may take, however short it is."""

_BODILESS = frozenset({"GET", "HEAD", "DELETE", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """The most bytes of a route's JSON. Only a route with `uploads` takes files, and texts of their size.

    On a `signed` route the body itself says who sends it: the route reads it as it came, checks its signature
    and only then has it parsed (`check_shape`).
    """

    json_bytes: int = SMALL_BODY
    uploads: bool = False
    signed: bool = False


_LIMITS: dict[Callable[..., Any], BodyLimit] = {}


def body_limit(
    json_bytes: int = SMALL_BODY, *, uploads: bool = False, signed: bool = False
) -> Callable[[Endpoint], Endpoint]:
    """Say how much a route takes. It stands between the route's decorator and its function."""

    def declare(endpoint: Endpoint) -> Endpoint:
        _LIMITS[endpoint] = BodyLimit(json_bytes, uploads, signed)
        return endpoint

    return declare


class BodyLimits:
    """Refuses a body for its caller, its type, its size or its shape, before anything parses it (spec 7.2).

    A request that no route takes goes on unread. The caller is left at `request.state.admitted`. What
    `straight` answers goes no further.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        routes: Sequence[BaseRoute],
        door: Door,
        straight: StraightPosts,
    ) -> None:
        self._app = app
        self._settings = settings
        self._routes = routes
        self._plain: dict[tuple[str, str], BodyLimit] = {}
        self._door = door
        self._straight = straight

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit = None if scope["type"] != "http" else self._limit(scope)
        if limit is None:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        body = _Body(receive, self._settings.slowest_body)

        replaced = False

        async def send_closing(message: Message) -> None:
            if message["type"] == "http.response.start" and body.must_close(headers):
                MutableHeaders(scope=message)["Connection"] = "close"
            await send(message)

        async def send_on(message: Message) -> None:
            """Whatever a parser of forms makes of a body that we refused, the caller is told why we did."""
            nonlocal replaced
            if body.refused is not None and message["type"] == "http.response.start":
                replaced = True
                await problem_response(body.refused, scope["path"])(scope, receive, send_closing)
            elif not replaced:
                await send_closing(message)

        try:
            if not limit.signed:
                admitted = await self._door.admit(scope, scope["app"].state.edge)
                scope.setdefault("state", {})["admitted"] = admitted
            bounded = await self._bounded(headers, limit, body)
        except FootnoteError as error:
            await problem_response(error, scope["path"])(scope, receive, send_closing)
            return
        if body.checked is not None:
            answer = await self._straight.answer(scope, headers, body.checked)
            if answer is not None:
                await answer(scope, bounded, send_on)
                return
        await self._app(scope, bounded, send_on)

    def _limit(self, scope: Scope) -> BodyLimit | None:
        """The limit of the route that will take the request; None without a route or without a body."""
        if scope["method"] in _BODILESS:
            return None
        asked = scope["method"], scope["path"]
        known = self._plain.get(asked)
        if known is not None:
            return known
        for route in self._routes:
            match, child = route.matches(scope)
            if match is Match.FULL:
                limit = _LIMITS.get(child["endpoint"], BodyLimit())
                if not child.get("path_params"):
                    # As many as there are routes. A path with parameters in it is one of endlessly many.
                    self._plain[asked] = limit
                return limit
        return None

    async def _bounded(self, headers: Headers, limit: BodyLimit, body: "_Body") -> Receive:
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        multipart = kind.startswith("multipart/")
        if multipart and not (limit.uploads and kind == "multipart/form-data"):
            raise UnsupportedType("This route takes no files. Send application/json.")
        most = self._settings.max_json_bytes
        if multipart:
            most = self._settings.max_upload_bytes + _MULTIPART_SLACK
        elif not limit.uploads:
            most = min(most, limit.json_bytes)
        declared = headers.get("content-length", "")
        if declared.isdecimal() and int(declared[:20]) > most:
            raise _too_large(most)
        if multipart:
            return body.counted(most)
        if limit.signed:
            return body.counted(most)
        whole = await body.whole(most)
        if whole is None:
            return body.counted(most)
        await check_shape(whole, self._settings)
        body.checked = whole
        return body.replayed(whole)


async def check_shape(whole: bytes, settings: Settings) -> None:
    """Raises InvalidRequest for JSON that is too deep or has too many values, before anything parses it."""
    shape = (settings.max_json_depth, settings.max_json_values)
    if len(whole) > _CHECKED_ON_THE_LOOP:
        await to_thread.run_sync(check_json, whole, *shape)
    else:
        check_json(whole, *shape)


class _Body:
    """The body of one request. It has to come at `slowest` bytes a second after the first half minute.

    `ended` says whether all of it was read, `refused` why it was not read any further. `checked` is all of
    it, as JSON that is neither too deep nor too long.
    """

    def __init__(self, receive: Receive, slowest: int) -> None:
        self._receive = receive
        self._slowest = slowest
        self._waited_s = 0.0
        self._seen = 0
        self.refused: FootnoteError | None = None
        self.ended = False
        self.checked: bytes | None = None

    def must_close(self, headers: Headers) -> bool:
        """Whether the connection cannot serve again, since the rest of the body would come first."""
        return isinstance(self.refused, TooSlow) or not (self.ended or _is_short(headers))

    async def next(self) -> Message:
        """The next message. Raises TooSlow when it does not come in time; only waiting counts."""
        if self.ended:
            return await self._receive()
        started = time.monotonic()
        try:
            async with asyncio.timeout(_BODY_GRACE_S + self._seen / self._slowest - self._waited_s):
                message = await self._receive()
        except TimeoutError as error:
            metrics.REFUSED.labels("slow").inc()
            self.refused = TooSlow("The body did not come in time.", retry_after=1)
            raise self.refused from error
        self._waited_s += time.monotonic() - started
        self._seen += len(message.get("body", b""))
        self.ended = not message.get("more_body", False)
        return message

    def counted(self, most: int) -> Receive:
        """The messages as they come. Raises TooLarge when they hold more bytes than `most`."""
        seen = 0

        async def receive() -> Message:
            nonlocal seen
            message = await self.next()
            seen += len(message.get("body", b""))
            if seen > most:
                self.refused = _too_large(most)
                raise self.refused
            return message

        return receive

    async def whole(self, most: int) -> bytes | None:
        """All of it; None if the client went away. Raises TooLarge when it is longer than `most`."""
        parts: list[bytes] = []
        size = 0
        while not self.ended:
            message = await self.next()
            if message["type"] == "http.disconnect":
                return None
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > most:
                raise _too_large(most)
        return b"".join(parts)

    def replayed(self, whole: bytes) -> Receive:
        """One message with the whole body, then what the server says next."""
        pending: list[Message] = [{"type": "http.request", "body": whole, "more_body": False}]

        async def receive() -> Message:
            return pending.pop() if pending else await self._receive()

        return receive


def _is_short(headers: Headers) -> bool:
    """Whether the server has the body, or will have it at once, so that the connection can live on."""
    declared = headers.get("content-length", "")
    if "transfer-encoding" in headers:
        return False
    return not declared or (declared.isdecimal() and int(declared[:20]) <= SMALL_BODY)


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The body is larger than the limit of {limit} bytes.")
