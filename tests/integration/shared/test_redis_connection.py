"""The Redis client: under cancels, what it sends, and its connections."""

import asyncio
from typing import Any

import pytest
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import DataError, MaxConnectionsError

from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_shared.redis.connection import connect_async
from footnote_testing.eventually import LIMIT_S, eventually_async
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


@pytest.mark.parametrize(
    "value", ["ü", b"\xff\x00", memoryview(b"gull"), 7, -(10**30), 1.5, float("inf"), "", "two words\r\n"]
)
async def test_what_is_sent_is_put_together_as_the_library_does(
    redis_server: RedisProcess, value: Any
) -> None:
    redis = connect_async(redis_server.url)
    connection: AbstractConnection = redis.connection_pool.make_connection()  # type: ignore[no-untyped-call]
    as_it_does = AbstractConnection.pack_command
    for command in [("SET", "a", value), ("CONFIG GET", value), (b"ECHO", value)]:
        assert b"".join(connection.pack_command(*command)) == b"".join(as_it_does(connection, *command))
    with pytest.raises(DataError):
        connection.pack_command("SET", "a", True)
    await redis.aclose()


async def test_a_connection_that_was_closed_outside_is_opened_anew(redis_server: RedisProcess) -> None:
    redis = connect_async(redis_server.url)
    for _ in range(3):
        assert await redis.ping()
        await redis.client_kill_filter(_type="normal", skipme=False)
    await redis.aclose()


async def test_there_are_no_more_connections_than_were_allowed(redis_server: RedisProcess) -> None:
    redis = connect_async(redis_server.url, connections=2)

    async def free() -> bool:
        return bool(redis.connection_pool.can_get_connection())

    async def wait() -> None:
        await redis.execute_command("BLPOP", "nothing", LIMIT_S)  # type: ignore[no-untyped-call]

    waiting = [asyncio.create_task(wait()) for _ in range(2)]
    await eventually_async(free, "both connections wait", until=lambda is_free: not is_free)
    with pytest.raises(MaxConnectionsError):
        await redis.ping()
    await end_tasks(waiting, LIMIT_S)
    assert await redis.ping(), "those that were in use can be had again"
    await redis.aclose()
