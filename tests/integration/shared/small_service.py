"""A small service as a process of its own: `small_service.py PORT NEIGHBOUR_PORT`, 0 for none."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import APIRouter, Body, FastAPI
from fastapi.responses import StreamingResponse

from footnote_cli.listening import listen
from footnote_cli.web_server import serve_until_told
from footnote_shared.settings.base import load_settings
from footnote_shared.web.build_app import build_app
from footnote_shared.web.dependencies import Reader
from footnote_shared.web.health import Check
from footnote_shared.web.idempotency import IdempotencyKey
from footnote_shared.web.resources import EdgeResources

router = APIRouter(prefix="/v1/who")


@router.get("")
async def who(caller: Reader) -> str:
    return caller.avatar_id


@router.post("")
async def told(caller: Reader, body: Annotated[object, Body()]) -> str:
    return caller.avatar_id


@router.get("/never")
@router.post("/never")
async def never(caller: Reader) -> str:
    """No answer, ever."""
    await asyncio.Event().wait()
    return caller.avatar_id


@router.get("/never/streamed")
async def never_streamed(caller: Reader) -> StreamingResponse:
    """A first line, and then nothing."""

    async def lines() -> AsyncIterator[str]:
        yield "begun\n"
        await asyncio.Event().wait()

    return StreamingResponse(lines())


@router.post("/never/kept")
async def never_kept(caller: Reader, idempotency_key: IdempotencyKey = None) -> str:
    """No answer either, but one would be kept under its key."""
    return await never(caller)


@asynccontextmanager
async def _nothing(app: FastAPI, edge: EdgeResources) -> AsyncIterator[Mapping[str, Check]]:
    yield {}


def main(port: int, neighbour_port: int) -> None:
    settings = load_settings().model_copy(update={"neighbour_port": neighbour_port})
    sockets = [listen("127.0.0.1", number) for number in (port, neighbour_port) if number]
    serve_until_told(
        build_app("ingest", "For tests.", settings, [router], _nothing),
        sockets,
        drain_s=settings.drain_s,
        requests_end_s=settings.requests_end_s,
        headers_within_s=settings.headers_within_s,
        proxies=settings.proxies,
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
