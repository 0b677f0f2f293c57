"""What every request passes through: its trace and its metrics."""

import time
from collections.abc import MutableMapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from footnote_shared.telemetry import context, metrics, tracing
from footnote_shared.telemetry.spans import NO_SPAN, Span
from footnote_shared.web.admission import LIMITS

_PROBES = frozenset({"/healthz", "/readyz", "/acceptz", "/metrics"})
_FIRST_FAULT = 500


class RequestContext:
    """Takes the trace from `traceparent`, answers its id as `Trace-Id`, and measures requests by route.

    What the door has counted is told in `RateLimit` and `RateLimit-Policy`.
    """

    def __init__(self, app: ASGIApp, service: str) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        header = request.headers.get("traceparent")
        trace = context.trace_of(header)
        token = context.trace_id.set(trace)
        parent = context.span_id.set(context.parent_of(header))
        started = time.perf_counter()
        status = 500
        streamed = False

        async def send_on(message: Message) -> None:
            nonlocal status, streamed
            if message["type"] == "http.response.start":
                status = message["status"]
                limits = scope.get("state", {}).get(LIMITS, {})
                told = [(name.lower().encode(), value.encode()) for name, value in limits.items()]
                headers = [*message.get("headers", []), (b"trace-id", trace.encode()), *told]
                streamed = any(
                    k == b"content-type" and v.startswith(b"text/event-stream") for k, v in headers
                )
                message = {**message, "headers": headers}
            await send(message)

        try:
            with (
                metrics.REQUESTS_IN_PROGRESS.labels(self._service).track_inprogress(),
                self._span(scope) as span,
            ):
                try:
                    await self._app(scope, receive, send_on)
                finally:
                    span.rename(f"{scope['method']} {_route_of(scope)}")
                    span.set(http__route=_route_of(scope), http__response__status_code=status)
                    if status >= _FIRST_FAULT:
                        span.fail(str(status))
        finally:
            context.span_id.reset(parent)
            context.trace_id.reset(token)
            route = _route_of(scope)
            metrics.REQUESTS.labels(self._service, route, scope["method"], str(status)).inc()
            if not streamed:
                metrics.REQUEST_SECONDS.labels(self._service, route).observe(time.perf_counter() - started)

    def _span(self, scope: Scope) -> AbstractContextManager[Span]:
        """The span of a request. What asks every few seconds whether we live has none."""
        if scope["path"] in _PROBES:
            return nullcontext(NO_SPAN)
        return tracing.span(
            scope["method"],
            "server",
            http__request__method=scope["method"],
            footnote__service=self._service,
        )


def _route_of(scope: MutableMapping[str, Any]) -> str:
    """The template of the route, so that ids never become values of a label."""
    return str(getattr(scope.get("route"), "path", "unmatched"))
