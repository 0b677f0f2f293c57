"""The ASGI application: routes, the shape of answers and errors, and upkeep of the shards."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib.metadata import version

import orjson
import structlog
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from footnote_bridge import collections as collection_routes
from footnote_bridge import points, query
from footnote_bridge.body import Json, Refused
from footnote_bridge.collections import Call, Collections

Handler = Callable[[Collections, Call], object]

_MAX_BODY = 64 * 2**20
_UPKEEP_S = 1.0
_THREADS = 4
_LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})
_COLLECTION = "/collections/{collection}"

_ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "/collections", collection_routes.list_collections),
    ("GET", "/aliases", collection_routes.list_aliases),
    ("POST", "/collections/aliases", collection_routes.update_aliases),
    ("GET", _COLLECTION, collection_routes.describe_collection),
    ("PUT", _COLLECTION, collection_routes.create_collection),
    ("PATCH", _COLLECTION, collection_routes.update_collection),
    ("DELETE", _COLLECTION, collection_routes.delete_collection),
    ("GET", f"{_COLLECTION}/exists", collection_routes.collection_exists),
    ("GET", f"{_COLLECTION}/aliases", collection_routes.list_aliases),
    ("PUT", f"{_COLLECTION}/index", collection_routes.create_index),
    ("DELETE", f"{_COLLECTION}/index/{{field}}", collection_routes.delete_index),
    ("POST", f"{_COLLECTION}/facet", points.facet),
    ("PUT", f"{_COLLECTION}/points", points.upsert),
    ("POST", f"{_COLLECTION}/points", points.retrieve),
    ("POST", f"{_COLLECTION}/points/delete", points.delete),
    ("POST", f"{_COLLECTION}/points/payload", points.set_payload),
    ("PUT", f"{_COLLECTION}/points/payload", points.overwrite_payload),
    ("POST", f"{_COLLECTION}/points/payload/delete", points.delete_payload),
    ("POST", f"{_COLLECTION}/points/payload/clear", points.clear_payload),
    ("PUT", f"{_COLLECTION}/points/vectors", points.update_vectors),
    ("POST", f"{_COLLECTION}/points/vectors/delete", points.delete_vectors),
    ("POST", f"{_COLLECTION}/points/batch", points.batch),
    ("POST", f"{_COLLECTION}/points/scroll", points.scroll),
    ("POST", f"{_COLLECTION}/points/count", points.count),
    ("POST", f"{_COLLECTION}/points/query", query.query),
    ("POST", f"{_COLLECTION}/points/query/batch", query.query_batch),
    ("POST", f"{_COLLECTION}/points/query/groups", query.query_groups),
    ("GET", f"{_COLLECTION}/points/{{id}}", points.retrieve_one),
)

log = structlog.get_logger()


def create_app(collections: Collections) -> Starlette:
    """The server over one open data folder. Stopping it flushes and closes every shard."""
    threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="engine")

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

    routes = [
        Route(path, _endpoint(handler, collections, threads), methods=[method])
        for method, path, handler in _ROUTES
    ]
    return Starlette(
        routes=[
            Route("/", _title, methods=["GET"]),
            Route("/healthz", _health, methods=["GET"]),
            Route("/livez", _health, methods=["GET"]),
            Route("/readyz", _health, methods=["GET"]),
            *routes,
        ],
        lifespan=lifespan,
    )


def _endpoint(
    handler: Handler, collections: Collections, threads: ThreadPoolExecutor
) -> Callable[[Request], Awaitable[Response]]:
    def work(body: bytes, path: dict[str, str]) -> Response:
        started = time.perf_counter()
        try:
            result = handler(collections, Call(path, _parse(body)))
            answer = orjson.dumps({"result": result, "status": "ok", "time": time.perf_counter() - started})
            return Response(answer, media_type="application/json")
        except Refused as refusal:
            return _refusal(refusal, time.perf_counter() - started)
        except RecursionError:
            return _refusal(
                Refused("Format error in JSON body: nested too deep"), time.perf_counter() - started
            )

    async def endpoint(request: Request) -> Response:
        try:
            _from_a_program_on_this_machine(request)
            body = await _read(request)
        except Refused as refusal:
            return _refusal(refusal, 0.0)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(threads, work, body, request.path_params)

    return endpoint


def _parse(body: bytes) -> Json:
    if not body:
        return None
    try:
        found: Json = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Refused(f"Format error in JSON body: {error}") from error
    return found


def _refusal(refusal: Refused, seconds: float) -> Response:
    answer = {"status": {"error": refusal.message}, "time": seconds}
    return Response(orjson.dumps(answer), refusal.status, media_type="application/json")


def _from_a_program_on_this_machine(request: Request) -> None:
    """Refuse pages in a browser: there is no key here, and a page can reach loopback, under a name of its own too."""
    host = request.headers.get("host", "")
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    if "origin" in request.headers or name not in _LOOPBACK_NAMES:
        raise Refused("Forbidden: this development server answers programs on this machine only", status=403)


async def _read(request: Request) -> bytes:
    pieces: list[bytes] = []
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > _MAX_BODY:
            raise Refused(f"JSON payload is larger than allowed ({_MAX_BODY} bytes)", status=413)
        pieces.append(piece)
    return b"".join(pieces)


async def _title(request: Request) -> Response:
    answer = {
        "title": "qdrant - vector search engine (Footnote's development server)",
        "version": _engine_version(),
    }
    return Response(orjson.dumps(answer), media_type="application/json")


async def _health(request: Request) -> Response:
    return PlainTextResponse("healthz check passed")


def _engine_version() -> str:
    """The release of the client whose API is served: clients compare it with their own."""
    return version("qdrant-client")


async def _keep_up(collections: Collections, threads: ThreadPoolExecutor) -> None:
    loop = asyncio.get_running_loop()
    while True:
        await asyncio.sleep(_UPKEEP_S)
        for name, shard in list(collections.shards.items()):
            try:
                seconds = await loop.run_in_executor(threads, shard.maintain)
            except (Refused, OSError) as error:
                log.error("vector_server.upkeep_failed", collection=name, reason=str(error))
                continue
            if seconds:
                log.info("vector_server.vacuumed", collection=name, seconds=round(seconds, 2))
