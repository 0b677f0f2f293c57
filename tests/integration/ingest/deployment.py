"""Ingest as it runs: real Redis, the vector bridge, the real embedder, and Celery workers."""

import json
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import psutil
from fastapi.testclient import TestClient
from sqlmodel import select

from footnote_ingest.app import create_app
from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.db.engine import Database
from footnote_shared.settings.base import Settings
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_testing.bridge_process import BridgeProcess, start_bridge
from footnote_testing.child_process import ChildProcess
from footnote_testing.eventually import LIMIT_S, NeverHappened, eventually
from footnote_testing.redis_process import RedisProcess, start_redis
from footnote_testing.workspace import is_writable, make_caller
from tests.model_cache import MODEL_CACHE

FOOTNOTE = [sys.executable, "-m", "footnote_cli"]
ENDED = {"indexed", "failed"}


class Deployment:
    """The processes of ingest in a folder; the application itself runs in the test's process."""

    def __init__(self, folder: Path, database: Database, **settings: Any) -> None:
        self.folder = folder
        self.redis: RedisProcess = start_redis(folder / "redis")
        self.bridge: BridgeProcess = start_bridge(folder / "vectors")
        self.database = database
        values = {
            "data": str(folder / "data"),
            "database_url": database.url,
            "redis_url": self.redis.url,
            "qdrant_url": self.bridge.url,
            "qdrant_api_key": self.bridge.key,
            "lease_s": 6.0,
            "heartbeat_s": 0.5,
            "sweep_s": 1.0,
            "cache": MODEL_CACHE,
            "embedding_runtime": "onnx",
            "embedding_threads": 1,
            # A machine with much else to do is no vector store that is away.
            "search_timeout_s": LIMIT_S,
            "vector_timeout_s": LIMIT_S,
            **settings,
        }
        self.settings = Settings(**values)
        self.environment = {
            f"FOOTNOTE_{name.upper()}": json.dumps(value) if isinstance(value, list) else str(value)
            for name, value in values.items()
        }
        self.principal, key = make_caller(database)
        self.workers: dict[str, ChildProcess] = {}
        self.http = TestClient(create_app(self.settings), headers={"Authorization": f"Bearer {key}"})
        self.http.__enter__()
        self.lane = LaneIndex(
            QdrantVectorIndex(self.bridge.url, api_key=self.bridge.key, timeout_s=LIMIT_S), self.settings.lane
        )

    def start(self, name: str, *arguments: str) -> None:
        """`worker` with its options, or `beat`."""
        self.workers[name] = ChildProcess(
            [*FOOTNOTE, *arguments], self.folder / f"{name}.log", environment=self.environment
        )

    def start_worker(self, name: str, queues: str, concurrency: int = 1) -> None:
        self.start(name, "worker", "--name", name, "--queues", queues, "--concurrency", str(concurrency))

    def start_all(self) -> None:
        self.start_worker("parse", "parse")
        self.start_worker("embed", "embed")
        self.start_worker("index", "index,maintenance")
        self.start("beat", "beat")

    def kill(self, name: str) -> None:
        """kill -9 of all of a worker at once, as when a machine dies."""
        family = self.workers[name].family()
        for member in family:
            try:
                member.kill()
            except psutil.NoSuchProcess:
                continue
        psutil.wait_procs(family, timeout=LIMIT_S)
        del self.workers[name]

    def frozen(self, name: str) -> AbstractContextManager[None]:
        """A worker stands still during the block, as on a machine that hangs."""
        return self.workers[name].frozen(lambda: is_writable(self.database))

    def stop(self) -> None:
        for worker in self.workers.values():
            worker.process.terminate()
        for worker in self.workers.values():
            worker.stop(20)
        self.http.__exit__(None, None, None)
        self.lane.close()
        self.bridge.stop()
        self.redis.stop()

    def upload(self, name: str, content: bytes, **fields: str) -> dict[str, Any]:
        answer = self.http.post("/v1/documents", files={"file": (name, content)}, data=fields)
        assert answer.status_code == 202, answer.text
        document: dict[str, Any] = answer.json()
        return document

    def documents(self, ids: list[str]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for start in range(0, len(ids), 200):
            found += self.http.post("/v1/documents:lookup", json={"ids": ids[start : start + 200]}).json()[
                "items"
            ]
        return found

    def leases(self) -> list[str | None]:
        """Of every document, the lease that holds it."""
        with self.database.read() as session:
            return list(session.exec(select(DocumentRow.lease_token)))

    def statuses_in_time(self, document_id: str) -> list[str]:
        return [
            item["status"] for item in self.http.get(f"/v1/documents/{document_id}/events").json()["items"]
        ]

    def wait_until(self, ids: list[str], statuses: set[str], *, any_of: bool = False) -> list[dict[str, Any]]:
        """Wait until all (or any) of the documents have one of the statuses."""
        found: list[dict[str, Any]] = []

        def now_in() -> list[str]:
            found[:] = self.documents(ids)
            return [document["status"] for document in found]

        def reached(now: list[str]) -> bool:
            return bool(now) and (any if any_of else all)(status in statuses for status in now)

        try:
            eventually(now_in, f"documents are {' or '.join(sorted(statuses))}", until=reached)
        except NeverHappened as failure:
            failure.add_note(str([self.statuses_in_time(document["id"]) for document in found]))
            for name, worker in self.workers.items():
                failure.add_note(f"--- {name}\n{worker.tail(15)}")
            raise
        return found
