"""Requests of any kind to a neighbour that runs in this process, without a socket in between.

It is the same application with the same middleware: the caller is signed and verified as over HTTP
(docs/adr/0046). What is asked most goes past it (docs/adr/0074), and so do streams.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.types import ASGIApp, Scope

from footnote_shared.clients.in_process import (
    AppExchange,
    DirectCall,
    DirectCallOf,
    DirectStream,
    scope_of,
)
from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_shared.kernel.post_client import PostAnswer, Unreachable
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

_ENDS_WITHIN_S = 5.0


class InProcessCalls:
    """Requests of any kind to an application that runs on this event loop.

    A request goes on when who asks has gone, as it does in a server.
    """

    def __init__(self, app: ASGIApp, neighbour_port: int, serves: Callable[[], bool] = lambda: True) -> None:
        """`serves`: whether the application is open. Before and after, it counts as not there."""
        self._app = app
        self._port = neighbour_port
        self._serves = serves
        self._works: set[asyncio.Task[None]] = set()

    async def request(
        self,
        method: str,
        path: str,
        params: Mapping[str, Any] | None,
        body: bytes | None,
        headers: Mapping[str, str],
        *,
        answer_s: float,
    ) -> PostAnswer:
        """The answer, whatever its status. Raises Unreachable, and TimeoutError after `answer_s` seconds."""
        exchange = AppExchange(body or b"")
        query = str(httpx.QueryParams(params)) if params else ""
        work = self._begin(
            scope_of(method, path, query, headers, self._port, length=len(body or b"")), exchange
        )
        # It is not cancelled when the time is up: its thread would go on with a session that is closed, and
        # the connection that it takes then never comes back.
        async with asyncio.timeout(answer_s):
            await asyncio.wait([work])
        return exchange.answer()

    async def post(
        self, path: str, body: bytes, headers: Mapping[str, str], *, answer_s: float
    ) -> PostAnswer:
        """Like `Posts.post`."""
        return await self.request("POST", path, None, body, headers, answer_s=answer_s)

    async def close(self) -> None:
        """End what is still at work."""
        await end_tasks(list(self._works), _ENDS_WITHIN_S)

    def _begin(self, scope: Scope, exchange: AppExchange) -> "asyncio.Task[None]":
        if not self._serves():
            raise Unreachable("the application is not open")
        work = asyncio.create_task(_run(self._app, scope, exchange), name=str(scope["path"]))
        self._works.add(work)
        work.add_done_callback(self._ended)
        return work

    def _ended(self, work: "asyncio.Task[None]") -> None:
        self._works.discard(work)
        if not work.cancelled() and (failure := work.exception()) is not None:
            _log.error("in_process.failed", path=work.get_name(), exc_info=failure)


def neighbour(app: Starlette, name: str, neighbour_port: int) -> InProcessCalls | None:
    """The service of this name, where it runs in the process of `app`."""
    other: Starlette | None = app.state.neighbours.get(name)
    if other is None:
        return None
    return InProcessCalls(other, neighbour_port, lambda: bool(other.state.open))


def lent_by(app: Starlette, name: str) -> Mapping[str, DirectCall] | None:
    """What the service of this name lends to others, where it runs in the process of `app` (ADR 0074)."""
    other: Starlette | None = app.state.neighbours.get(name)
    if other is None:
        return None
    lent: Mapping[str, DirectCall] = other.state.direct
    return lent


def lent_of(app: Starlette, name: str) -> Mapping[str, DirectCallOf] | None:
    """The same for routes whose path has an id in it."""
    other: Starlette | None = app.state.neighbours.get(name)
    if other is None:
        return None
    lent: Mapping[str, DirectCallOf] = other.state.direct_of
    return lent


def lent_streams(app: Starlette, name: str) -> Mapping[str, DirectStream] | None:
    """The same for routes that answer with a stream."""
    other: Starlette | None = app.state.neighbours.get(name)
    if other is None:
        return None
    lent: Mapping[str, DirectStream] = other.state.direct_streams
    return lent


async def _run(app: ASGIApp, scope: Scope, exchange: AppExchange) -> None:
    await app(scope, exchange.receive, exchange.send)
