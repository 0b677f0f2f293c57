"""An agent on a real port between a real Redis, a real database, and fakes of its neighbours."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from tests.integration.agent.client import AgentClient

from footnote_agent.app import create_app
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.redis import keys
from footnote_shared.settings.base import Settings
from footnote_testing.fake_neighbours import FakeNeighbours, make_passage
from footnote_testing.redis_process import RedisProcess, start_redis
from footnote_testing.served_app import ServedApp
from footnote_testing.workspace import make_caller, make_database

SECRET = "s" * 40

PASSAGES = [
    make_passage(
        "The launch was moved to March 10 after the vendor slipped. Marketing will be told next week.",
        "Q3 Launch Notes",
        "d1",
    ),
    make_passage(
        "Refunds are paid within fourteen days of the return. Shipping costs are not refunded.",
        "Refund Policy",
        "d2",
    ),
]


@dataclass
class Stage:
    """Everything around the agents of one test. `agent` starts one, with `Settings` of its own."""

    folder: Path
    redis: RedisProcess
    database: Database
    neighbours: FakeNeighbours
    caller: Principal
    key: str
    served: list[ServedApp] = field(default_factory=list)

    def settings(self, **more: Any) -> Settings:
        return Settings(
            data=self.folder,
            database_url=self.database.url,
            redis_url=self.redis.url,
            service_secret=SECRET,
            retriever_url=self.neighbours.url,
            **{
                "ingest_url": self.neighbours.url,
                "resolver_url": self.neighbours.url,
                "turn_grace_s": 0.2,
                "chat_tools": False,
                # Here the same question gets many scripts.
                "answer_cache_s": 0,
                **more,
            },
        )

    def agent(self, key: str | None = None, **more: Any) -> AgentClient:
        served = ServedApp(create_app(self.settings(**more)))
        served.start()
        self.served.append(served)
        return AgentClient(served.url, key or self.key)

    @contextmanager
    def as_new(self) -> Iterator["Stage"]:
        """For one test of several on this stage: the neighbours know nothing of the tests before it."""
        self.neighbours.searches.clear()
        self.neighbours.searchers.clear()
        self.neighbours.passages = list(PASSAGES)
        self.neighbours.memory.clear()
        yield self
        self.neighbours.search_latch.open()


def raw_events(stage: Stage, turn_id: str) -> list[dict[str, Any]]:
    """What agents have written into the raw stream of a turn."""
    with Redis.from_url(stage.redis.url, decode_responses=True) as redis:
        return [json.loads(fields["e"]) for _, fields in redis.xrange(keys.turn_raw(turn_id))]


@contextmanager
def built_stage(folder: Path, database_url: str | None = None) -> Iterator[Stage]:
    """A stage with its stores in this folder; SQLite where no other database is given."""
    redis = start_redis(folder / "redis")
    database = make_database(database_url or f"sqlite:///{folder / 'test.db'}")
    neighbours = FakeNeighbours(redis.url, SECRET).start()
    neighbours.passages = list(PASSAGES)
    caller, key = make_caller(database)
    built = Stage(folder, redis, database, neighbours, caller, key)
    yield built
    for served in built.served:
        served.stop()
    neighbours.stop()
    database.close()
    redis.stop()


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with built_stage(tmp_path) as built:
        yield built


@pytest.fixture(scope="module")
def shared_stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stage, AgentClient]]:
    """One stage and one agent without a chat model for all tests of a file."""
    with built_stage(tmp_path_factory.mktemp("shared")) as built, built.agent() as client:
        yield built, client


@pytest.fixture
def agent(stage: Stage) -> Iterator[AgentClient]:
    """An agent without a chat model."""
    with stage.agent() as client:
        yield client
