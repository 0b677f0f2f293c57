"""What every request passes through: its trace, its metrics, the limits of its body."""

import time
from collections.abc import MutableMapping
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from footnote_shared.kernel.errors import FieldError, FootnoteError, InvalidRequest, TooLarge
from footnote_shared.settings.base import Settings
from footnote_shared.telemetry import context, metrics
from footnote_shared.web.problems import problem_response

_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_MULTIPART_SLACK = 64 * 1024


class RequestContext:
    """Takes the trace id from `traceparent`, answers it as `Trace-Id`, and measures requests by route."""

    def __init__(self, app: ASGIApp, service: str) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        trace = context.trace_of(request.headers.get("traceparent"))
        token = context.trace_id.set(trace)
        started = time.perf_counter()
        status = 500
        streamed = False

        async def send_on(message: Message) -> None:
            nonlocal status, streamed
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = [*message.get("headers", []), (b"trace-id", trace.encode())]
                streamed = any(
                    k == b"content-type" and v.startswith(b"text/event-stream") for k, v in headers
                )
                message = {**message, "headers": headers}
            await send(message)

        try:
            await self._app(scope, receive, send_on)
        finally:
            context.trace_id.reset(token)
            route = _route_of(scope)
            metrics.REQUESTS.labels(self._service, route, scope["method"], str(status)).inc()
            if not streamed:
                metrics.REQUEST_SECONDS.labels(self._service, route).observe(time.perf_counter() - started)


def _route_of(scope: MutableMapping[str, Any]) -> str:
    """The template of the route, so that ids never become values of a label."""
    return str(getattr(scope.get("route"), "path", "unmatched"))


class BodyLimits:
    """Refuses bodies that are too large, or nested too deep, before anything parses them (spec 7.2)."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._json = settings.max_json_bytes
        self._upload = settings.max_upload_bytes + _MULTIPART_SLACK
        self._depth = settings.max_json_depth

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "DELETE", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        multipart = request.headers.get("content-type", "").startswith("multipart/form-data")
        limit = self._upload if multipart else self._json
        try:
            declared = request.headers.get("content-length", "")
            if declared.isdigit() and int(declared) > limit:
                raise _too_large(limit)
            bounded = self._count(receive, limit) if multipart else await self._whole(receive, limit)
            await self._app(scope, bounded, send)
        except FootnoteError as error:
            await problem_response(error, scope["path"])(scope, receive, send)

    def _count(self, receive: Receive, limit: int) -> Receive:
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > limit:
                raise _too_large(limit)
            return message

        return counted

    async def _whole(self, receive: Receive, limit: int) -> Receive:
        body = bytearray()
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return _replay(message, receive)
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > limit:
                raise _too_large(limit)
        if nesting(bytes(body)) > self._depth:
            raise InvalidRequest(
                f"The JSON is nested deeper than {self._depth} levels.",
                errors=[FieldError("body", "nested too deep")],
            )
        return _replay({"type": "http.request", "body": bytes(body), "more_body": False}, receive)


def nesting(body: bytes) -> int:
    """How deep the brackets of a JSON text nest, strings excluded. Takes linear time and no recursion."""
    depth = deepest = 0
    # Once escapes are out, every second piece between quotes is a string. One that is not closed is no
    # string.
    pieces = body.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
    unclosed = pieces[-1:] if len(pieces) % 2 == 0 else []
    for mark in b"".join(pieces[::2] + unclosed).translate(None, _NOT_BRACKETS):
        depth += 1 if mark in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _replay(first: Message, receive: Receive) -> Receive:
    pending: list[Message] = [first]

    async def replayed() -> Message:
        return pending.pop() if pending else await receive()

    return replayed


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The body is larger than the limit of {limit} bytes.")
