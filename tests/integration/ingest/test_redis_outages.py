"""Redis dies again and again while workers are busy: each goes on by itself, and says so where it cannot."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from footnote_ingest.hints.celery_app import make_celery
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Queue, Task
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.kernel.ids import new_id
from footnote_shared.redis.connection import connect, redis_errors
from footnote_shared.redis.keys import worker_beat
from footnote_shared.settings.base import Settings
from footnote_testing.child_process import ChildProcess
from footnote_testing.eventually import LIMIT_S
from footnote_testing.redis_process import RedisProcess, start_redis
from footnote_testing.workspace import make_database
from tests.integration.ingest.deployment import FOOTNOTE

pytestmark = pytest.mark.system

OUTAGES = 10
WORKERS = ("first", "second")
_MOST_WAITING = 300


class Roles:
    """Two workers on one queue, and a Redis that can be killed under them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.redis: RedisProcess = start_redis(folder / "redis")
        self.settings = Settings(
            data=folder / "data",
            database_url=f"sqlite:///{folder / 'footnote.db'}",
            redis_url=self.redis.url,
        )
        make_database(self.settings.database_url).close()
        environment = {
            "FOOTNOTE_DATA": str(folder / "data"),
            "FOOTNOTE_DATABASE_URL": self.settings.database_url,
            "FOOTNOTE_REDIS_URL": self.redis.url,
        }
        self.workers = {
            name: ChildProcess(
                [*FOOTNOTE, "worker", "--name", name, "--queues", "index", "--concurrency", "2"],
                folder / f"{name}.log",
                environment=environment,
            )
            for name in WORKERS
        }

    def kill_redis(self) -> None:
        self.redis.kill()

    def restart_redis(self) -> None:
        self.redis = start_redis(self._folder / "redis", self.redis.port)

    def consumed_since(self, name: str, moment: float) -> bool:
        """Whether this worker has ended a task after the moment."""
        with redis_errors():
            client = connect(self.redis.url)
            beats = [client.get(key) for key in client.scan_iter(worker_beat(f"{name}@*"))]
        return any(float(str(beat)) > moment for beat in beats if beat is not None)

    def wait_until_all_consume(self) -> None:
        since = time.time()
        for name, worker in self.workers.items():
            worker.wait_until(partial(self.consumed_since, name, since), f"{name} consumes")

    def stop(self) -> list[int]:
        """Ask every worker to stop; their exit statuses."""
        for worker in self.workers.values():
            worker.process.terminate()
        return [worker.process.wait(LIMIT_S) for worker in self.workers.values()]


@pytest.fixture
def roles(tmp_path: Path) -> Iterator[Roles]:
    made = Roles(tmp_path)
    yield made
    made.stop()
    made.redis.stop()


@contextmanager
def load(settings: Settings) -> Iterator[None]:
    """Hints for documents that do not exist, so that the workers always hold some of them."""
    ended = threading.Event()

    def send() -> None:
        dispatcher = Dispatcher(make_celery(settings))
        client = connect(settings.redis_url)
        while not ended.wait(0.01):
            try:
                with redis_errors():
                    waiting = int(str(client.llen(Queue.INDEX.value)))
            except Unavailable:
                continue
            for _ in range(_MOST_WAITING - waiting):
                if not dispatcher.send(Task.INDEX, new_id()):
                    break

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    yield
    ended.set()
    sender.join()


def test_every_worker_consumes_after_each_of_ten_outages_under_load(roles: Roles) -> None:
    with load(roles.settings):
        roles.wait_until_all_consume()
        for _ in range(OUTAGES):
            roles.kill_redis()
            roles.restart_redis()
            roles.wait_until_all_consume()
    assert roles.stop() == [0, 0]
