"""The ASGI application: the operations over HTTP in Qdrant's shapes, and the upkeep of the shards."""

import asyncio
import hmac
import time
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

import orjson
import structlog
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from footnote_bridge.collections import Collections
from footnote_bridge.operations import OPERATIONS, Operation
from footnote_bridge.refused import Refused
from footnote_bridge.shards import Shard

_MAX_BODY = 64 * 2**20
_UPKEEP_S = 1.0
_READERS = 4
_WRITERS = 6
"""Updates wait for each other, for a flush and for the disk; one may wait for a rebuild. So reads, among them
searches, have threads of their own."""
_LOOPBACK_NAMES = frozenset({b"127.0.0.1", b"localhost", b"[::1]"})

log = structlog.get_logger()


def create_app(collections: Collections, key: str) -> Starlette:
    """The server over one open data folder, for those who know its key.

    Stopping it flushes and closes every shard.
    """
    threads = ThreadPoolExecutor(_WRITERS, thread_name_prefix="engine")
    readers = ThreadPoolExecutor(_READERS, thread_name_prefix="reader")

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        upkeep = asyncio.create_task(_keep_up(collections, threads))
        try:
            yield
        finally:
            upkeep.cancel()
            await asyncio.wait([upkeep])
            await asyncio.get_running_loop().run_in_executor(threads, collections.close)
            threads.shutdown()
            readers.shutdown()

    operations = [
        Route(
            operation.path,
            _Endpoint(operation, collections, readers if operation.reads else threads, key),
            methods=[operation.method],
        )
        for operation in OPERATIONS
    ]
    return Starlette(
        routes=[Route("/", _version, methods=["GET"]), *operations],
        lifespan=lifespan,
        exception_handlers={404: _not_served, 405: _not_served, Exception: _failed},
    )


class _Endpoint:
    """One operation over HTTP, as an application of ASGI by itself.

    Each search asks here three times, and what a request object and its wrappers take is more than what the
    smallest of these questions takes to be answered.
    """

    def __init__(
        self, operation: Operation[Any], collections: Collections, threads: ThreadPoolExecutor, key: str
    ) -> None:
        self._operation = operation
        self._collections = collections
        self._threads = threads
        self._key = key.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            headers = dict(scope["headers"])
            _from_a_program_on_this_machine(headers)
            _with_the_key(headers, self._key)
            body = await _read(receive)
        except Refused as refusal:
            status, answer = _refused(refusal)
        else:
            if body is None:
                return
            name = scope["path_params"].get("name", "")
            loop = asyncio.get_running_loop()
            status, answer = await loop.run_in_executor(self._threads, self._work, name, body)
        length = str(len(answer)).encode()
        told = [(b"content-type", b"application/json"), (b"content-length", length)]
        await send({"type": "http.response.start", "status": status, "headers": told})
        await send({"type": "http.response.body", "body": answer})

    def _work(self, name: str, body: bytes) -> tuple[int, bytes]:
        started = time.perf_counter()
        try:
            result = self._operation.answer(self._collections, name, body)
        except Refused as refusal:
            return _refused(refusal)
        taken = time.perf_counter() - started
        return 200, orjson.dumps({"result": result, "status": "ok", "time": taken})


def _from_a_program_on_this_machine(headers: Mapping[bytes, bytes]) -> None:
    """Refuse browsers: a page can reach loopback, under a name of its own too."""
    host = headers.get(b"host", b"")
    name = host if host.endswith(b"]") else host.rpartition(b":")[0] or host
    if b"origin" in headers or name not in _LOOPBACK_NAMES:
        raise Refused("Forbidden: this development server answers programs on this machine only", status=403)


def _with_the_key(headers: Mapping[bytes, bytes], key: bytes) -> None:
    """Refuse whoever lacks the key, before the body is read: other users of the machine reach the port."""
    if not hmac.compare_digest(headers.get(b"api-key", b""), key):
        raise Refused("Invalid API key or JWT", status=401)


async def _read(receive: Receive) -> bytes | None:
    """The whole body; None if the client goes away before it is there."""
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        piece = message.get("body", b"")
        size += len(piece)
        if size > _MAX_BODY:
            raise Refused(f"JSON payload is larger than allowed ({_MAX_BODY} bytes)", status=413)
        pieces.append(piece)
        if not message.get("more_body", False):
            return b"".join(pieces)


async def _version(request: Request) -> Response:
    """The release of the client whose API is served: a client compares it with its own."""
    title = "qdrant - vector search engine (Footnote's development vector server)"
    told = {"title": title, "version": version("qdrant-client")}
    return Response(orjson.dumps(told), media_type="application/json")


async def _not_served(request: Request, error: Exception) -> Response:
    """A part of Qdrant's API that Footnote does not use."""
    return _refusal(Refused(f"Not found: {request.method} {request.url.path} is not served here", status=404))


async def _failed(request: Request, error: Exception) -> Response:
    """A fault of ours; the traceback goes to the log."""
    return _refusal(Refused("Service internal error: see the log of the vector server", status=500))


def _refusal(refusal: Refused) -> Response:
    status, answer = _refused(refusal)
    return Response(answer, status, media_type="application/json")


def _refused(refusal: Refused) -> tuple[int, bytes]:
    return refusal.status, orjson.dumps({"status": {"error": refusal.message}, "time": 0.0})


async def _keep_up(collections: Collections, threads: ThreadPoolExecutor) -> None:
    loop = asyncio.get_running_loop()
    rebuilding: asyncio.Future[None] | None = None
    holding: dict[str, asyncio.Future[None]] = {}
    while True:
        for name, shard in list(collections.shards.items()):
            if name not in holding or holding[name].done():
                holding[name] = loop.run_in_executor(threads, _hold, shard, name)
        await asyncio.sleep(_UPKEEP_S)
        for name, shard in list(collections.shards.items()):
            try:
                await loop.run_in_executor(threads, shard.maintain)
                if (rebuilding is None or rebuilding.done()) and await loop.run_in_executor(
                    threads, collections.rebuild_due, name
                ):
                    rebuilding = loop.run_in_executor(threads, _rebuild, collections, name)
            except (Refused, OSError) as error:
                log.error("bridge.upkeep_failed", collection=name, reason=str(error))


def _hold(shard: Shard, name: str) -> None:
    try:
        shard.hold()
    except Refused as error:
        log.error("bridge.not_in_memory", collection=name, reason=str(error))


def _rebuild(collections: Collections, name: str) -> None:
    started = time.monotonic()
    try:
        collections.rebuild(name)
    except (Refused, OSError) as error:
        log.error("bridge.rebuild_failed", collection=name, reason=str(error))
        return
    log.info("bridge.rebuilt", collection=name, seconds=round(time.monotonic() - started, 2))
