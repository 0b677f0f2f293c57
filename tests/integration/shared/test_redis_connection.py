"""The Redis client under cancels."""

import asyncio

import pytest

from footnote_shared.redis.connection import connect_async
from footnote_testing.eventually import LIMIT_S
from footnote_testing.redis_process import RedisProcess


@pytest.mark.parametrize("turns_of_the_loop", range(12))
async def test_a_cancel_is_heard_whenever_it_comes(
    redis_server: RedisProcess, turns_of_the_loop: int
) -> None:
    redis = connect_async(redis_server.url)
    await redis.ping()

    async def work() -> None:
        await redis.set("a", "1")
        await asyncio.Event().wait()

    task = asyncio.create_task(work())
    for _ in range(turns_of_the_loop):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task}, timeout=LIMIT_S)
    assert task.cancelled()
    assert await redis.set("b", "2") is True
    assert await redis.get("b") == "2"
    await redis.aclose()
