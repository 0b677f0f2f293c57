"""A stream whose opening Redis has done without saying so is opened once, and resolvers are told again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from tests.integration.agent.test_store import begin, leased

from footnote_agent.turns.journal import Journal
from footnote_shared.contracts.events import TextDelta
from footnote_shared.db.engine import Database
from footnote_shared.kernel.stream_servers import StreamServers
from footnote_shared.redis import keys
from footnote_shared.redis.connection import connect_async
from footnote_testing.redis_process import RedisProcess
from footnote_testing.workspace import make_caller

SCRIPT_ANSWER = b"$2\r\nok\r\n"


@asynccontextmanager
async def losing_answers(port: int, count: int) -> AsyncIterator[int]:
    """A way to the Redis on a port, which breaks instead of handing on the answer of a script, so many times.

    Gives its own port.
    """
    left = count

    async def hand_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, breaks: bool) -> None:
        nonlocal left
        with suppress(OSError):
            while data := await reader.read(65_536):
                if breaks and left and data == SCRIPT_ANSWER:
                    left -= 1
                    break
                writer.write(data)
                await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers, there = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(hand_on(reader, there, breaks=False), hand_on(answers, writer, breaks=True))

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


@pytest.mark.parametrize("lost", [1, 2], ids=["once", "twice"])
async def test_an_opening_that_was_done_and_not_answered_is_repeated_and_opens_nothing_twice(
    database: Database, redis_server: RedisProcess, lost: int
) -> None:
    turn = leased(begin(database, make_caller(database)[0])[1])
    async with losing_answers(redis_server.port, lost) as port:
        through = connect_async(redis_server.url.replace(f":{redis_server.port}/", f":{port}/"))
        journal = Journal(StreamServers({"one": through}))
        await journal.open(turn)
        await journal.append(turn, "text.delta", TextDelta(text="all"))
        await through.aclose()
    redis = connect_async(redis_server.url)
    assert await redis.xlen(keys.turn_raw(turn.id)) == 2
    told: Any = await redis.xrange(keys.TURNS_STREAM)
    assert [fields["turn_id"] for _, fields in told].count(turn.id) == 1 + lost
    await redis.aclose()
