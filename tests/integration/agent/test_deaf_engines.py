"""Engines that do not hear that they shall stop: the reader's turn ends all the same."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from footnote_agent.context.asked_turn import AskedTurn
from footnote_agent.engines.choose import EngineChoice
from footnote_agent.engines.protocol import EngineOutput
from footnote_agent.engines.work_places import WorkPlaces
from footnote_agent.store.threads import add_thread
from footnote_agent.store.turns import LeasedTurn, expired
from footnote_agent.turns.crew import Crew
from footnote_agent.turns.engine_run import TurnResources, run_turn
from footnote_agent.turns.journal import Journal
from footnote_agent.turns.start import accept_turn
from footnote_shared.contracts.events import TextDelta
from footnote_shared.contracts.turns import NewTurn
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.stream_servers import StreamServers
from footnote_shared.redis import keys
from footnote_shared.redis.connection import connect_async
from footnote_shared.settings.base import Settings
from footnote_testing.eventually import LIMIT_S, eventually_async
from footnote_testing.redis_process import RedisProcess
from footnote_testing.workspace import make_caller, make_database


class DeafEngine:
    """Says one word, then waits for ever, through `deaf_to` cancels."""

    deterministic = False
    keeps_moves = False

    def __init__(self, deaf_to: float) -> None:
        self._deaf_to = deaf_to
        self.spoke = asyncio.Event()
        self.let_go = asyncio.Event()
        self.running = False

    async def run(self, turn: AskedTurn) -> AsyncGenerator[EngineOutput, None]:
        self.running = True
        try:
            yield TextDelta(text="One")
            self.spoke.set()
            await self._wait_deafly()
            yield TextDelta(text=" and another")
        finally:
            self.running = False

    async def _wait_deafly(self) -> None:
        dropped = 0
        while not self.let_go.is_set():
            try:
                await self.let_go.wait()
            except asyncio.CancelledError:
                dropped += 1
                if dropped > self._deaf_to:
                    raise


@pytest.fixture(params=[1, float("inf")], ids=["deaf-once", "deaf-for-ever"])
async def engine(request: pytest.FixtureRequest) -> AsyncIterator[DeafEngine]:
    made = DeafEngine(request.param)
    yield made
    made.let_go.set()

    async def at_rest() -> bool:
        return not made.running

    await eventually_async(at_rest, "the engine has ended")


@pytest.fixture
async def redis(redis_server: RedisProcess) -> AsyncIterator[Redis]:
    client = connect_async(redis_server.url)
    yield client
    await client.aclose()


@pytest.fixture
def place(tmp_path: Path, redis: Redis, engine: DeafEngine) -> Iterator[TurnResources]:
    database = make_database(f"sqlite:///{tmp_path / 'test.db'}")
    yield TurnResources(
        Settings(turn_lease_s=60),
        database,
        Journal(StreamServers({"one": redis})),
        {"pipeline": engine},
        WorkPlaces(1),
    )
    database.close()


async def begin(place: TurnResources, owner: str = "me") -> LeasedTurn:
    caller, _ = make_caller(place.database)
    with place.database.write() as session:
        thread = add_thread(session, caller, None).id
        choice = EngineChoice("pipeline")
        leased = accept_turn(
            session, place.settings, caller, thread, NewTurn(text="Hm?"), choice, owner, None
        ).leased
    assert leased is not None
    await place.journal.open(leased)
    return leased


async def raw_types(redis: Redis, turn_id: str) -> list[str]:
    entries: Any = await redis.xrange(keys.turn_raw(turn_id))
    return [json.loads(fields["e"])["type"] for _, fields in entries]


class TestADeafEngine:
    async def test_is_ended_by_a_wish_to_stop(
        self, place: TurnResources, redis: Redis, engine: DeafEngine
    ) -> None:
        leased, stop = await begin(place), asyncio.Event()
        async with asyncio.timeout(LIMIT_S):
            running = asyncio.create_task(run_turn(place, leased, stop))
            await engine.spoke.wait()
            stop.set()
            await running
        engine.let_go.set()
        assert await raw_types(redis, leased.id) == ["turn.started", "text.delta", "turn.cancelled"]

    async def test_is_ended_by_the_time_limit(
        self, place: TurnResources, redis: Redis, engine: DeafEngine
    ) -> None:
        place = replace(place, settings=Settings(turn_timeout_s=1))
        leased = await begin(place)
        async with asyncio.timeout(LIMIT_S):
            await run_turn(place, leased, asyncio.Event())
        assert (await raw_types(redis, leased.id))[-1] == "turn.failed"

    async def test_does_not_hold_up_a_replica_that_stops(
        self, place: TurnResources, redis: Redis, engine: DeafEngine
    ) -> None:
        crew = Crew(place, StreamServers({"one": redis}))
        leased = await begin(place, crew.owner)
        crew.open()
        crew.start(leased)
        await engine.spoke.wait()
        async with asyncio.timeout(LIMIT_S):
            await crew.close(grace_s=0)
        with place.database.read() as session:
            assert leased.id in [turn_id for turn_id, _ in expired(session, now() + timedelta(seconds=1), 10)]
