"""What goes wrong in a run: one fault at a time, each of them over before the next one begins."""

import os
import random
import signal
import time
from collections.abc import Callable

import psutil
from sqlalchemy import text

from footnote_shared.redis.connection import connect
from footnote_testing.postgres_process import PostgresProcess
from footnote_testing.redis_process import start_redis
from footnote_testing.unwritable import unwritable
from tests.chaos.stack import WORKERS, ChaosStack

SERVICES = ("ingest", "retriever", "resolver0", "resolver1", "agent0", "agent1")
_FROZEN_S = 6.0
_FULL_S = 8.0
_SKEWED_S = 15.0
"""A process of its own needs some seconds to begin."""


class Faults:
    """Chooses by its seed; `names` says what there is."""

    def __init__(self, stack: ChaosStack, postgres: PostgresProcess, seed: int) -> None:
        self._stack = stack
        self._postgres = postgres
        self._chance = random.Random(f"faults/{seed}")
        self._all: dict[str, Callable[[], None]] = {
            **{f"kill {name}": self._killed_worker(name) for name in WORKERS},
            **{f"stop {name}": self._stopped_worker(name) for name in WORKERS},
            **{f"kill {name}": self._killed_service(name) for name in SERVICES},
            **{f"stop {name}": self._stopped_service(name) for name in SERVICES},
            "kill beat": self._killed_clock,
            "empty redis": self._emptied_redis,
            "kill redis": self._killed_redis,
            "freeze redis": lambda: self._freeze(self._stack.redis.process.pid),
            "freeze postgresql": lambda: self._freeze(self._postgres.pid),
            "cut postgresql": self._cut_database,
            "kill postgresql": self._killed_database,
            **{f"skew the clock of {name}": self._skewed_worker(name) for name in WORKERS},
            **self._of_the_blobs(),
            "kill vectors": self._killed_vectors,
            "freeze vectors": lambda: self._freeze(self._stack.roles["vectors"].process.pid),
        }

    @property
    def names(self) -> list[str]:
        return sorted(self._all)

    def order(self, count: int) -> list[str]:
        """Each fault once before any comes again, in an order of the seed."""
        chosen: list[str] = []
        while len(chosen) < count:
            chosen += self._chance.sample(self.names, len(self.names))
        return chosen[:count]

    def make(self, name: str) -> None:
        self._all[name]()

    def _killed_worker(self, name: str) -> Callable[[], None]:
        def fault() -> None:
            self._stack.kill_role(name)
            self._stack.start_worker(name, *WORKERS[name])

        return fault

    def _stopped_worker(self, name: str) -> Callable[[], None]:
        def fault() -> None:
            self._stack.roles[name].stop(60)
            self._stack.start_worker(name, *WORKERS[name])

        return fault

    def _killed_service(self, name: str) -> Callable[[], None]:
        def fault() -> None:
            self._stack.kill_role(name)
            self._stack.start_service(name)
            self._stack.wait_ready(name)

        return fault

    def _stopped_service(self, name: str) -> Callable[[], None]:
        def fault() -> None:
            self._stack.roles[name].stop(60)
            self._stack.start_service(name)
            self._stack.wait_ready(name)

        return fault

    def _killed_clock(self) -> None:
        self._stack.kill_role("beat")
        self._stack.start_clock()

    def _skewed_worker(self, name: str) -> Callable[[], None]:
        """For a while its clock is off, by less than a lease or by a day."""

        def fault() -> None:
            off_s = self._chance.choice((-86_400.0, -90.0, -2.0, 2.0, 90.0, 86_400.0))
            print(f"          by {off_s:.0f} s", flush=True)
            self._stack.roles[name].stop(60)
            self._stack.start_skewed_worker(name, off_s)
            time.sleep(_SKEWED_S)
            self._stack.roles[name].stop(60)
            self._stack.start_worker(name, *WORKERS[name])

        return fault

    def _of_the_blobs(self) -> dict[str, Callable[[], None]]:
        if (folder := self._stack.blob_folder) is None:
            return {"freeze objects": self._frozen_objects}

        def fault() -> None:
            with unwritable(folder):
                time.sleep(_FULL_S)

        return {"fill the disk of blobs": fault}

    def _frozen_objects(self) -> None:
        assert self._stack.objects is not None
        self._freeze(self._stack.objects.process.pid)

    def _emptied_redis(self) -> None:
        connect(self._stack.redis.url).flushall()

    def _killed_redis(self) -> None:
        redis = self._stack.redis
        redis.kill()
        time.sleep(self._chance.uniform(0.5, 4))
        self._stack.redis = start_redis(self._stack.folder / "redis", redis.port)

    def _killed_vectors(self) -> None:
        self._stack.kill_role("vectors")
        time.sleep(self._chance.uniform(0.5, 3))
        self._stack.start_vectors()

    def _killed_database(self) -> None:
        with self._postgres.away():
            time.sleep(self._chance.uniform(0.5, 4))

    def _cut_database(self) -> None:
        with self._stack.database.engine.connect() as connection:
            connection.execute(
                text(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            )

    def _freeze(self, pid: int) -> None:
        parent = psutil.Process(pid)
        processes = [parent, *parent.children(recursive=True)]
        for process in processes:
            os.kill(process.pid, signal.SIGSTOP)
        try:
            time.sleep(_FROZEN_S)
        finally:
            for process in processes:
                os.kill(process.pid, signal.SIGCONT)
