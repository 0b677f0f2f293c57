"""A web process that was told to stop: it says so, and still answers what comes in for a moment."""

import asyncio
import time

from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from footnote_shared.kernel.errors import FootnoteError, Unavailable
from footnote_shared.telemetry.logs import logger
from footnote_shared.web.problems import problem_response

_log = logger(__name__)
_FOR_BALANCERS = ("/readyz", "/acceptz")
_PROBES = (*_FOR_BALANCERS, "/healthz", "/metrics")
_QUIET = 0.5
"""The part of the drain that has to pass without a request, other than those of probes, before it ends."""

_REPEATABLE = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})
"""Methods that do the same when they come twice (RFC 9110, section 9.2.2)."""
_KEY = "idempotency-key"
_STOPPED = "The service was stopped before it had an answer."


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
    Who has no answer when the time is over is told why, and to come again if that does nothing twice.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._begun_at: float | None = None
        self._last_request = 0.0
        self.refusal: FootnoteError | None = None
        """Why the application does not start, if it says so."""

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
            try:
                await self._app(scope, receive, send)
            except FootnoteError as error:
                self.refusal = error
                raise
            return

        answered = False

        async def send_on(message: Message) -> None:
            nonlocal answered
            answered = True
            if self.begun and message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Connection"] = "close"
            await send(message)

        if not scope["path"].endswith(_PROBES):
            self._last_request = time.monotonic()
        if self.begun and scope["path"].endswith(_FOR_BALANCERS):
            body = {"status": "not ready", "checks": {"process": "It was told to stop."}}
            await JSONResponse(body, status_code=503, headers={"Retry-After": "2"})(scope, receive, send_on)
            return
        try:
            await self._app(scope, receive, send_on)
        except asyncio.CancelledError:
            if not self.begun:
                raise
            # The server would log each one as a fault of the application, with all that led to it.
            _log.warning("process.cut_off", route=_route_of(scope), method=scope["method"], begun=answered)
            if not answered:
                await problem_response(_cut_off(scope), scope["path"])(scope, receive, send_on)


def _route_of(scope: Scope) -> str:
    """The path with the names of its parts: those themselves may be somebody's."""
    return getattr(scope.get("route"), "path", "unknown")


def _cut_off(scope: Scope) -> FootnoteError:
    """What a request is told that the end of its process has cut off. Some of it may have been done."""
    if scope["method"] in _REPEATABLE or _is_kept_by_key(scope):
        return Unavailable("process", _STOPPED)
    return FootnoteError(f"{_STOPPED} What was asked for may have been done.")


def _is_kept_by_key(scope: Scope) -> bool:
    """Whether it has an `Idempotency-Key`, and its route keeps answers under one."""
    dependant = getattr(scope.get("route"), "dependant", None)
    taken = [one.alias.lower() for one in dependant.header_params] if dependant is not None else []
    return _KEY in taken and any(name == _KEY.encode() for name, _ in scope["headers"])
