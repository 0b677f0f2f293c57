"""Readiness names what is down, and does not wait for what hangs."""

import asyncio

from footnote_shared.kernel.errors import Unavailable
from footnote_shared.web.health import run_checks
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
