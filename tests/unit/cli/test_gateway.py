"""The four services behind one port."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.responses import JSONResponse

from footnote_cli.embedded.gateway import SERVICE_OF_SEGMENT, Gateway
from footnote_cli.services import SERVICES
from tests.applications import applications


def service(name: str, lived: list[str], *, ready: bool = True) -> FastAPI:
    """A service that says which path it was asked for, and notes when it starts and stops."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        lived.append(f"{name} up")
        yield
        lived.append(f"{name} down")

    app = FastAPI(title=name, description=f"The {name}.", lifespan=lifespan)

    @app.get("/readyz")
    @app.get("/acceptz")
    async def readyz() -> JSONResponse:
        return JSONResponse({"checks": {"sql": "ok" if ready else "down"}}, 200 if ready else 503)

    @app.get("/v1/{path:path}")
    async def anything(path: str) -> dict[str, str]:
        return {"service": name, "path": path}

    return app


def client_of(gateway: Gateway) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=gateway), base_url="http://gateway")


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(Gateway({name: service(name, []) for name in SERVICES})) as made:
        yield made


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/v1/documents", "ingest"),
        ("/v1/documents:known", "ingest"),
        ("/v1/documents/d1:retry", "ingest"),
        ("/v1/search", "retriever"),
        ("/v1/threads/t1/turns", "agent"),
        ("/v1/streams/t1", "resolver"),
    ],
)
async def test_the_first_segment_decides(client: httpx.AsyncClient, path: str, name: str) -> None:
    assert (await client.get(path)).json() == {"service": name, "path": path.removeprefix("/v1/")}


@pytest.mark.parametrize("path", ["/v1/nothing", "/v1", "/nothing", "/v1x/documents"])
async def test_other_paths_are_not_found_as_problems(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


async def test_each_service_keeps_its_own_pages(client: httpx.AsyncClient) -> None:
    assert (await client.get("/retriever/readyz")).json() == {"checks": {"sql": "ok"}}
    page = (await client.get("/docs")).text
    assert all(f'<a href="/{name}/docs">{name}</a>: The {name}.' in page for name in SERVICES)
    assert '<span class="method">GET</span>/v1/{path}</code>' in page
    assert 'href="http' not in page
    assert "<script" not in page
    assert (await client.get("/")).headers["location"] == "/console"


async def test_one_document_holds_the_routes_of_all(client: httpx.AsyncClient) -> None:
    document = (await client.get("/openapi.json")).json()
    assert list(document["paths"]) == ["/v1/{path}"]
    assert document["info"]["title"] == "Footnote"


@pytest.mark.parametrize("path", ["/readyz", "/acceptz"])
async def test_it_is_ready_when_all_are(path: str) -> None:
    for down in (None, "agent"):
        apps = {name: service(name, [], ready=name != down) for name in SERVICES}
        async with client_of(Gateway(apps)) as client:
            answer = await client.get(path)
        assert answer.status_code == (200 if down is None else 503)
        assert answer.json()["services"]["agent"] == {"sql": "ok" if down is None else "down"}
        assert (await client_of(Gateway(apps)).get("/healthz")).status_code == 200


async def test_services_start_in_order_and_stop_in_reverse() -> None:
    lived: list[str] = []
    gateway = Gateway({name: service(name, lived) for name in ("ingest", "agent")})
    sent: list[Any] = []
    wanted = iter([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}])

    async def receive() -> Any:
        return next(wanted)

    async def send(message: Any) -> None:
        sent.append((message["type"], list(lived)))

    await gateway({"type": "lifespan"}, receive, send)
    assert sent == [
        ("lifespan.startup.complete", ["ingest up", "agent up"]),
        ("lifespan.shutdown.complete", ["ingest up", "agent up", "agent down", "ingest down"]),
    ]


@pytest.mark.parametrize("name", SERVICES)
def test_every_route_of_a_service_is_reached(name: str) -> None:
    paths = applications()[name].openapi()["paths"]
    segments = {path.split("/")[2].partition(":")[0] for path in paths if path.startswith("/v1/")}
    assert segments
    assert {segment: SERVICE_OF_SEGMENT.get(segment) for segment in segments} == dict.fromkeys(segments, name)
