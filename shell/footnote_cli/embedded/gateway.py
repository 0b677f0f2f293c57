"""The four services behind one port: the first segment of the path alone decides (spec 1.3)."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from html import escape

import httpx
from anyio.to_thread import run_sync
from fastapi import FastAPI
from fastapi.responses import JSONResponse, RedirectResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.types import ASGIApp, Receive, Scope, Send

from footnote_cli.joint_document import joint_document
from footnote_shared.kernel.errors import NotFound
from footnote_shared.web.docs_page import docs_page
from footnote_shared.web.problems import problem_response

SERVICE_OF_SEGMENT: Mapping[str, str] = {
    "documents": "ingest",
    "folders": "ingest",
    "connectors": "ingest",
    "sessions": "ingest",
    "webhooks": "ingest",
    "lanes": "ingest",
    "workspaces": "ingest",
    "avatars": "ingest",
    "chunks": "ingest",
    "entities": "ingest",
    "search": "retriever",
    "presets": "retriever",
    "threads": "agent",
    "shared": "agent",
    "turns": "agent",
    "automations": "agent",
    "chat": "agent",
    "models": "agent",
    "tools": "agent",
    "tool-servers": "agent",
    "flags": "agent",
    "audit": "agent",
    "keys": "agent",
    "conversations": "resolver",
    "streams": "resolver",
    "ground": "resolver",
}


class Gateway:
    """ASGI application over the four. Each also has its health and its docs under `/<service>/`."""

    def __init__(self, apps: Mapping[str, FastAPI]) -> None:
        self._apps = apps
        self._docs_page: Response | None = None
        for app in apps.values():
            app.state.neighbours = apps

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        target, path = self._route(scope["path"])
        if target is not None:
            await target({**scope, "path": path, "raw_path": path.encode(), "root_path": ""}, receive, send)
            return
        await (await self._own(scope["path"]))(scope, receive, send)

    def _route(self, path: str) -> tuple[ASGIApp | None, str]:
        """The service for a path, and the path as it knows it; no service for the gateway's own paths."""
        head, _, rest = path.lstrip("/").partition("/")
        if head == "v1":
            service = SERVICE_OF_SEGMENT.get(rest.partition("/")[0].partition(":")[0])
            return (self._apps[service], path) if service else (None, path)
        if head in ("console", "mcp"):
            return self._apps["agent"], path
        if head in self._apps:
            return self._apps[head], f"/{rest}"
        return None, path

    async def _own(self, path: str) -> Response:
        match path:
            case "/healthz":
                return JSONResponse({"status": "ok"})
            case "/readyz":
                return await self._all("ready", path)
            case "/acceptz":
                return await self._all("accepting", path)
            case "/metrics":
                return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
            case "/openapi.json":
                return JSONResponse(joint_document({name: app.openapi() for name, app in self._apps.items()}))
            case "/":
                return RedirectResponse("/console")
            case "/docs":
                return await self._docs()
        return problem_response(NotFound())

    async def _all(self, word: str, path: str) -> Response:
        """So when all four are; what each says of its own parts stands below its name."""

        async def ask(app: FastAPI) -> httpx.Response:
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
                return await client.get(path)

        answers = await asyncio.gather(*(ask(app) for app in self._apps.values()))
        well = all(answer.status_code == 200 for answer in answers)
        services = {name: answer.json()["checks"] for name, answer in zip(self._apps, answers, strict=True)}
        return JSONResponse(
            {"status": word if well else f"not {word}", "services": services},
            status_code=200 if well else 503,
        )

    async def _docs(self) -> Response:
        """All routes of the four services on one page. Writing it takes a while, so it is written once."""
        if self._docs_page is None:
            self._docs_page = await run_sync(self._write_docs)
        return self._docs_page

    def _write_docs(self) -> Response:
        rows = "".join(
            _ROW.format(name=name, text=escape(app.description)) for name, app in self._apps.items()
        )
        document = joint_document({name: app.openapi() for name, app in self._apps.items()})
        return docs_page(document, _DOCS.format(rows=rows))

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        """Start the four in order, and stop them in reverse."""
        await receive()
        async with AsyncExitStack() as stack:
            for app in self._apps.values():
                await stack.enter_async_context(app.router.lifespan_context(app))
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


_ROW = '<li><a href="/{name}/docs">{name}</a>: {text}</li>'
_DOCS = """<p>Four services behind one port. All routes stand below; each has a page of its own too:</p>
<ul>{rows}</ul>
<p>State: <a href="/readyz">readyz</a>, <a href="/metrics">metrics</a>.</p>
"""
