"""An ASGI application on a real port, in a thread of the test's process."""

import asyncio
import socket
import threading
from collections.abc import Coroutine
from typing import Any, Self, TypeVar

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from footnote_testing.eventually import LIMIT_S, eventually

Answer = TypeVar("Answer")


class ServedApp:
    """Serves between `start` and `stop`, each time on the same port; `url` is known from the beginning."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._socket: socket.socket | None = _listening(0)
        self._port: int = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> Self:
        """Returns when requests are served."""
        self._socket = self._socket or _listening(self._port)
        config = uvicorn.Config(
            self._known_loop, interface="asgi3", log_level="warning", timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [self._socket]}, daemon=True)
        self._server, self._thread = server, thread
        thread.start()
        eventually(lambda: server.started or not thread.is_alive(), "the application serves or has ended")
        if not server.started:
            raise AssertionError("the application did not start; its log says why")
        return self

    def run(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        """What comes of the work, done on the event loop on which the application is served."""
        assert self._loop is not None, "the application is not served"
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(LIMIT_S)

    async def _known_loop(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._loop = asyncio.get_running_loop()
        await self._app(scope, receive, send)

    def stop(self) -> None:
        """Ends as on SIGTERM: connections get a moment, then the lifespan is closed.

        Does nothing where nothing serves.
        """
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            self._thread.join(LIMIT_S)
            assert not self._thread.is_alive(), "the application does not end"
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def _listening(port: int) -> socket.socket:
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind(("127.0.0.1", port))
    return made
