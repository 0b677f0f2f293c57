"""A web process that was told to stop: it says so, and still answers what comes in for a moment."""

import time

from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_FOR_BALANCERS = ("/readyz", "/acceptz")
_PROBES = (*_FOR_BALANCERS, "/healthz", "/metrics")
_QUIET = 0.5
"""The part of the drain that has to pass without a request, other than those of probes, before it ends."""


def drain_is_over(now: float, begun: float, last_request: float, drain_s: float) -> bool:
    """Whether the process may stop listening. All of them are times of one clock, in seconds.

    Whoever still sends requests has not heard of it, because it or this process is slow. They get as long
    again.
    """
    if now < begun + drain_s:
        return False
    return now - last_request >= _QUIET * drain_s or now >= begun + 2 * drain_s


class Draining:
    """Lets requests through. From `begin` on the process is not ready, and each answer ends its connection.

    Whoever sends requests here has until the process stops listening to hear of it: a load balancer asks
    `/acceptz`, a client that keeps its connection reads `Connection: close` (RFC 9112, section 9.6).
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._begun_at: float | None = None
        self._last_request = 0.0

    @property
    def begun(self) -> bool:
        """Whether the process was told to stop."""
        return self._begun_at is not None

    def begin(self) -> None:
        """Say from now on that the process stops. Safe to call from a signal handler, and twice."""
        if self._begun_at is None:
            self._begun_at = time.monotonic()

    def over(self, drain_s: float) -> bool:
        """Whether it was told to stop, and has said so for long enough."""
        if self._begun_at is None:
            return False
        return drain_is_over(time.monotonic(), self._begun_at, self._last_request, drain_s)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_on(message: Message) -> None:
            if self.begun and message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Connection"] = "close"
            await send(message)

        if not scope["path"].endswith(_PROBES):
            self._last_request = time.monotonic()
        if self.begun and scope["path"].endswith(_FOR_BALANCERS):
            body = {"status": "not ready", "checks": {"process": "It was told to stop."}}
            await JSONResponse(body, status_code=503, headers={"Retry-After": "2"})(scope, receive, send_on)
            return
        await self._app(scope, receive, send_on)
