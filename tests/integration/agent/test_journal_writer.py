"""What a run says while Redis is at work goes into the raw stream together, in order, and once."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest
from redis.asyncio import Redis
from tests.integration.agent.test_store import begin, leased

from footnote_agent.store.turns import LeasedTurn
from footnote_agent.turns.journal import FencedOff, Journal, StreamEnded
from footnote_agent.turns.journal_writer import MOST_JOINED_CHARS, MOST_WAITING, JournalWriter, due
from footnote_shared.contracts.events import Progress, RawCompleted, RawEvent, TextDelta
from footnote_shared.db.engine import Database
from footnote_shared.kernel.stream_servers import StreamServers
from footnote_shared.redis import keys
from footnote_shared.redis.connection import connect_async
from footnote_testing.eventually import eventually_async
from footnote_testing.redis_process import RedisProcess
from footnote_testing.workspace import make_caller

THINKING = Progress(stage="thinking", label="Thinking")


@pytest.fixture
async def redis(redis_server: RedisProcess) -> AsyncIterator[Redis]:
    client = connect_async(redis_server.url)
    yield client
    await client.aclose()


async def opened(database: Database, redis: Redis) -> tuple[LeasedTurn, Journal]:
    turn = leased(begin(database, make_caller(database)[0])[1])
    journal = Journal(StreamServers({"one": redis}))
    await journal.open(turn)
    return turn, journal


def are(count: int, found: list[RawEvent]) -> bool:
    return len(found) == count


async def events(redis: Redis, turn: LeasedTurn) -> list[RawEvent]:
    """What stands in the raw stream behind its opening."""
    entries: Any = await redis.xrange(keys.turn_raw(turn.id))
    return [RawEvent.model_validate_json(fields["e"]) for _, fields in entries][1:]


@pytest.mark.parametrize(("last_write", "expected"), [(9.0, 10.002), (9.995, 10.015)])
def test_a_write_waits_for_a_blink_and_keeps_its_distance(last_write: float, expected: float) -> None:
    assert due(10.0, last_write) == pytest.approx(expected)


async def test_pieces_that_come_together_become_one_and_all_stays_in_order(
    database: Database, redis: Redis
) -> None:
    turn, journal = await opened(database, redis)
    async with JournalWriter(journal, turn) as writer:
        await writer.put("progress", THINKING)
        for piece in ("The ", "gull ", "[1]", "."):
            await writer.put("text.delta", TextDelta(text=piece))
        await writer.put("progress", THINKING)
        await writer.put("text.delta", TextDelta(text=" Then"))
        await writer.written()
    assert [(event.type, event.data.get("text")) for event in await events(redis, turn)] == [
        ("progress", None),
        ("text.delta", "The gull [1]."),
        ("progress", None),
        ("text.delta", " Then"),
    ]


@pytest.mark.parametrize("fails", [False, True])
async def test_what_is_held_back_is_written_when_that_is_over(
    database: Database, redis: Redis, *, fails: bool
) -> None:
    turn, journal = await opened(database, redis)
    go_on = asyncio.Event()

    async def keep() -> None:
        await go_on.wait()
        if fails:
            raise ValueError

    keeping = asyncio.create_task(keep())
    async with JournalWriter(journal, turn) as writer:
        writer.hold_back_until(keeping)
        await writer.put("progress", THINKING)
        writing = asyncio.create_task(writer.written())
        await asyncio.wait({writing}, timeout=0.05)
        assert await events(redis, turn) == []
        go_on.set()
        await writing
        assert [event.type for event in await events(redis, turn)] == ["progress"]
    assert isinstance(keeping.exception(), ValueError | None)


async def test_an_event_that_comes_alone_is_written_though_nobody_waits(
    database: Database, redis: Redis
) -> None:
    turn, journal = await opened(database, redis)
    async with JournalWriter(journal, turn) as writer:
        for count in (1, 2):
            await writer.put("progress", THINKING)
            await eventually_async(
                partial(events, redis, turn),
                "the event stands in the stream",
                until=partial(are, count),
            )


async def test_a_joined_piece_is_not_longer_than_one_that_readers_get(
    database: Database, redis: Redis
) -> None:
    turn, journal = await opened(database, redis)
    async with JournalWriter(journal, turn) as writer:
        for _ in range(3):
            await writer.put("text.delta", TextDelta(text="x" * (MOST_JOINED_CHARS // 2)))
        await writer.written()
    assert [len(event.data["text"]) for event in await events(redis, turn)] == [
        MOST_JOINED_CHARS,
        MOST_JOINED_CHARS // 2,
    ]


async def test_a_run_that_is_faster_than_redis_waits_for_it(database: Database, redis: Redis) -> None:
    turn, journal = await opened(database, redis)
    async with JournalWriter(journal, turn) as writer:
        for _ in range(MOST_WAITING):
            await writer.put("progress", THINKING)
        assert len(await events(redis, turn)) == MOST_WAITING


async def test_what_the_stream_refuses_is_raised_by_the_next_call(database: Database, redis: Redis) -> None:
    turn, journal = await opened(database, redis)
    await journal.append(turn, "message.completed", RawCompleted(message_id=turn.message_id))
    async with JournalWriter(journal, turn) as writer:
        await writer.put("text.delta", TextDelta(text="late"))
        with pytest.raises(StreamEnded):
            await writer.written()
        with pytest.raises(StreamEnded):
            await writer.put("text.delta", TextDelta(text="later"))


async def test_a_batch_of_a_run_that_was_overtaken_is_refused_as_a_whole(
    database: Database, redis: Redis
) -> None:
    turn, journal = await opened(database, redis)
    await redis.xadd(keys.turn_raw(turn.id), {"e": "{}", "fence": str(turn.fence + 1), "end": "0"})
    before = await redis.xlen(keys.turn_raw(turn.id))
    async with JournalWriter(journal, turn) as writer:
        await writer.put("progress", THINKING)
        await writer.put("text.delta", TextDelta(text="late"))
        with pytest.raises(FencedOff):
            await writer.written()
    assert await redis.xlen(keys.turn_raw(turn.id)) == before


async def test_a_run_that_is_cancelled_while_it_waits_leaves_what_it_said(
    database: Database, redis: Redis
) -> None:
    turn, journal = await opened(database, redis)
    async with JournalWriter(journal, turn) as writer:
        await writer.put("text.delta", TextDelta(text="said"))
        waiting = asyncio.create_task(writer.written())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await writer.written()
    assert [event.data["text"] for event in await events(redis, turn)] == ["said"]
