"""A web process that was told to stop: it says so, and still answers what comes in for a moment."""

from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Draining:
    """Lets requests through. From `begin` on the process is not ready, and each answer ends its connection.

    Whoever sends requests here has until the process stops listening to hear of it: a load balancer asks
    `/readyz`, a client that keeps its connection reads `Connection: close` (RFC 9112, section 9.6).
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._begun = False

    @property
    def begun(self) -> bool:
        """Whether the process was told to stop."""
        return self._begun

    def begin(self) -> None:
        """Say from now on that the process stops. Safe to call from a signal handler."""
        self._begun = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_on(message: Message) -> None:
            if self._begun and message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Connection"] = "close"
            await send(message)

        if self._begun and scope["path"].endswith("/readyz"):
            body = {"status": "not ready", "checks": {"process": "It was told to stop."}}
            await JSONResponse(body, status_code=503, headers={"Retry-After": "2"})(scope, receive, send_on)
            return
        await self._app(scope, receive, send_on)
