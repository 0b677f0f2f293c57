"""Readiness names what is down, and does not wait for what hangs."""

import asyncio

import httpx
from fastapi import FastAPI

from footnote_shared.kernel.errors import Unavailable
from footnote_shared.web.health import health_router, run_checks
from footnote_testing.own_clock import on_own_clock


async def fine() -> None:
    return


async def down() -> None:
    raise Unavailable("redis", "Redis does not answer.")


async def slow() -> None:
    await asyncio.sleep(2.9)


async def hanging() -> None:
    await asyncio.Event().wait()


@on_own_clock
async def test_each_dependency_is_ok_or_says_what_is_wrong() -> None:
    answers = await run_checks({"sql": fine, "redis": down, "vectors": slow, "blobs": hanging})
    assert answers == {
        "sql": "ok",
        "redis": "Redis does not answer.",
        "vectors": "ok",
        "blobs": "no answer within 3 s",
    }


@on_own_clock
async def test_all_that_hang_together_take_3_s() -> None:
    await run_checks({str(number): hanging for number in range(10)})
    assert asyncio.get_running_loop().time() == 3.0


async def test_whoever_asks_for_readiness_finds_each_dependency_in_the_metrics_afterwards() -> None:
    app = FastAPI()
    app.include_router(health_router("agent", {"sql": fine, "redis": down}))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://agent") as client:
        assert (await client.get("/readyz")).status_code == 503
        exposed = (await client.get("/metrics")).text.splitlines()
    assert 'footnote_dependency_up{dependency="sql",service="agent"} 1.0' in exposed
    assert 'footnote_dependency_up{dependency="redis",service="agent"} 0.0' in exposed
