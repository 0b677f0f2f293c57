"""Readiness names what is down, and does not wait for what hangs."""

import asyncio

import httpx
from fastapi import FastAPI

from footnote_shared.kernel.errors import FootnoteError, OurFault, Unavailable
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
    assert {name: wrong and wrong.detail for name, wrong in answers.items()} == {
        "sql": None,
        "redis": "Redis does not answer.",
        "vectors": None,
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


async def test_however_many_ask_at_once_the_stores_are_asked_once() -> None:
    """Probes need no key: who sends thousands of them must not keep the connections to the stores busy."""
    asked = 0
    answers = asyncio.Event()

    async def counted() -> None:
        nonlocal asked
        asked += 1
        await answers.wait()

    app = FastAPI()
    app.include_router(health_router("agent", {"sql": counted}))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://agent") as client:
        async with asyncio.TaskGroup() as group:
            paths = ("/readyz", "/acceptz") * 50
            asking = [group.create_task(client.get(path)) for path in paths]
            gone = group.create_task(client.get("/readyz"))
            await asyncio.sleep(0)
            gone.cancel()
            answers.set()
        assert {task.result().status_code for task in asking} == {200}
        assert asked <= 2
        before = asked
        await client.get("/readyz")
        assert asked == before + 1


class TestAcceptz:
    """What load balancers ask."""

    async def test_a_process_takes_no_requests_before_it_was_ready(self) -> None:
        assert await asked_in_turn([Unavailable("redis", "Redis does not answer.")]) == [503]

    async def test_a_store_that_is_away_later_takes_no_replica_out(self) -> None:
        away = Unavailable("redis", "Redis does not answer.")
        assert await asked_in_turn([None, away, away]) == [200, 200, 200]

    async def test_a_part_of_its_own_that_ended_does(self) -> None:
        assert await asked_in_turn([None, OurFault("A loop has ended."), None]) == [200, 503, 200]

    async def test_readiness_that_somebody_else_asked_for_counts(self) -> None:
        assert await asked_in_turn([None, Unavailable("sql", "away")], first="/readyz") == [200, 200]


async def asked_in_turn(wrong: list[FootnoteError | None], first: str = "/acceptz") -> list[int]:
    """The statuses of one process, each time with that wrong."""
    left = list(wrong)

    async def part() -> None:
        if (found := left.pop(0)) is not None:
            raise found

    app = FastAPI()
    app.include_router(health_router("agent", {"part": part}))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://agent") as client:
        paths = [first, *["/acceptz"] * (len(wrong) - 1)]
        return [(await client.get(path)).status_code for path in paths]
