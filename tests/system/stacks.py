"""Whole systems for tests: embedded as `footnote up` runs it, and distributed, each role a process."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil
from sqlalchemy import make_url

from footnote_cli.embedded.ports import NO_CERTIFICATES, accepts_connections, is_ready
from footnote_shared.blobs.folder import FolderBlobs
from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.db.engine import Database
from footnote_testing.child_process import ChildProcess
from footnote_testing.eventually import LIMIT_S, NeverHappened, eventually
from footnote_testing.ports import free_port
from footnote_testing.postgres_process import PostgresProcess
from footnote_testing.redis_process import start_redis
from footnote_testing.workspace import make_caller, migrated_database
from tests.model_cache import CACHE

FOOTNOTE = [sys.executable, "-m", "footnote_cli"]
SETTINGS = {
    **CACHE,
    "FOOTNOTE_DRAIN_S": "0.2",
    "FOOTNOTE_INJECTION_TIMEOUT_S": "30",
    "FOOTNOTE_VERIFICATION_TIMEOUT_S": "60",
}
PATIENCE = {"FOOTNOTE_VECTOR_TIMEOUT_S": "60", "FOOTNOTE_SEARCH_TIMEOUT_S": "60"}
"""A machine with much else to do is no vector store that is away."""
ONE_PARSER = {"FOOTNOTE_PARSE_PROCESSES": "1"}
"""For a stack that reads few files: each process that reads some imports all parsers first."""
ENDED = {"indexed", "failed", "skipped", "deleted"}


class Client:
    """A user of the API with one key."""

    def __init__(self, url: str, key: str) -> None:
        self.url = url
        self.key = key
        self.http = httpx.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {key}"},
            timeout=LIMIT_S,
            trust_env=False,
            verify=NO_CERTIFICATES,
        )

    def upload(self, name: str, content: bytes, **fields: str) -> dict[str, Any]:
        """Upload a file, again where a busy machine asks for that, as every client does."""

        def post() -> httpx.Response:
            return self.http.post("/v1/documents", files={"file": (name, content)}, data=fields)

        answer = eventually(post, "the upload is taken", until=lambda got: got.status_code != 503)
        assert answer.status_code == 202, answer.text
        document: dict[str, Any] = answer.json()
        return document

    def document(self, document_id: str) -> dict[str, Any]:
        answer = self.http.get(f"/v1/documents/{document_id}")
        assert answer.status_code == 200, answer.text
        document: dict[str, Any] = answer.json()
        return document

    def wait_ended(self, ids: list[str], limit_s: float = 180) -> list[dict[str, Any]]:
        """Every document in its end state; a document that hangs fails the test with its timeline."""
        found: list[dict[str, Any]] = []

        def open_ones() -> list[dict[str, Any]]:
            found[:] = self._lookup(ids)
            assert len(found) == len(ids)
            return [document for document in found if document["status"] not in ENDED]

        try:
            eventually(open_ones, "every document ends", until=lambda left: not left, limit_s=limit_s)
        except NeverHappened as failure:
            for document in open_ones()[:2]:
                failure.add_note(self.http.get(f"/v1/documents/{document['id']}/events").text)
            raise
        return found

    def _lookup(self, ids: list[str]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for start in range(0, len(ids), 200):
            answer = self.http.post("/v1/documents:lookup", json={"ids": ids[start : start + 200]})
            assert answer.status_code == 200, answer.text
            found += answer.json()["items"]
        return found

    def search(self, query: str, **body: Any) -> dict[str, Any]:
        answer = self.http.post("/v1/search", json={"query": query, **body})
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()
        return result

    def thread(self) -> str:
        """As a client does, it comes again while the service says that it is not there (503)."""

        def post() -> httpx.Response:
            return self.http.post("/v1/threads", json={})

        answer = eventually(post, "a thread is made", until=lambda got: got.status_code != 503)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def ask(self, question: str, thread: str | None = None, **body: Any) -> dict[str, Any]:
        """A turn without a stream."""
        path = f"/v1/threads/{thread or self.thread()}/turns"
        answer = self.http.post(path, json={"text": question, "stream": False, **body})
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()
        return result


@dataclass(frozen=True)
class ServerEvent:
    """One server-sent event as a reader got it."""

    id: str
    event: dict[str, Any]

    @property
    def type(self) -> str:
        return str(self.event["type"])


def server_events(response: httpx.Response) -> Iterator[ServerEvent]:
    """The events of a stream as they come."""
    event_id = ""
    for line in response.iter_lines():
        if line.startswith("id:"):
            event_id = line[3:].strip()
        elif line.startswith("data:"):
            yield ServerEvent(event_id, json.loads(line[5:]))


def end_all(process: psutil.Process) -> None:
    """kill -9 of a process and of everything below it, the parent first, as when a machine dies."""
    try:
        family = [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for member in family:
        try:
            member.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(family, timeout=LIMIT_S)


@dataclass
class EmbeddedStack:
    """`footnote up` in a folder of its own."""

    data: Path
    port: int = field(default_factory=free_port)
    metrics_port: int = 0
    environment: dict[str, str] = field(default_factory=dict)
    process: ChildProcess | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> "EmbeddedStack":
        command = [*FOOTNOTE, "up", "--no-browser", "--port", str(self.port), "--data", str(self.data)]
        environment = {
            # A stack that many tests share is swept for minutes, and a sweep takes as much as a few requests.
            "FOOTNOTE_SWEEP_S": "2",
            "FOOTNOTE_LEASE_S": "6",
            "FOOTNOTE_HEARTBEAT_S": "1",
            "FOOTNOTE_WORKER_METRICS_PORT": str(self.metrics_port),
            **SETTINGS,
            **PATIENCE,
            **self.environment,
        }
        self.process = ChildProcess(command, self.data.parent / "up.log", environment=environment)
        self.process.wait_until(self.ready, "footnote up", 2 * LIMIT_S)
        return self

    def ready(self) -> bool:
        return is_ready(self.url)

    def client(self) -> Client:
        return Client(self.url, (self.data / "api_key").read_text().strip())

    def stop(self) -> int:
        assert self.process is not None
        return self.process.stop(60)

    def kill_everything(self) -> None:
        """kill -9 of the supervisor and of every process that it started."""
        assert self.process is not None
        end_all(psutil.Process(self.process.process.pid))
        self.process.process.wait(LIMIT_S)

    def pids_of(self, part: str) -> list[int]:
        """Processes of this stack whose command line holds `part`."""
        assert self.process is not None
        family = psutil.Process(self.process.process.pid).children(recursive=True)
        return [p.pid for p in family if part in _command_line(p)]

    def pids_left(self) -> list[int]:
        """Processes anywhere on the machine that still work on this stack's data."""
        return [p.pid for p in psutil.process_iter() if str(self.data) in _command_line(p)]


def _command_line(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return ""


class DistributedStack:
    """The roles as separate processes on PostgreSQL, Redis and the vector bridge."""

    def __init__(
        self, folder: Path, postgres: PostgresProcess, *, resolvers: int = 1, agents: int = 1
    ) -> None:
        self.folder = folder
        self.database = self.prepared_database(postgres)
        # Some tests freeze the server, and look how long it is waited for: what is tested has its own limit.
        limitless = make_url(self.database.url).difference_update_query(["connect_timeout"])
        self.database_url = limitless.render_as_string(hide_password=False)
        self.principal, self.key = make_caller(self.database)
        self.redis = start_redis(folder / "redis")
        self.ports = {name: free_port() for name in ("vectors", "ingest", "retriever")}
        self.ports |= {f"resolver{i}": free_port() for i in range(resolvers)}
        self.ports |= {f"agent{i}": free_port() for i in range(agents)}
        self.roles: dict[str, ChildProcess] = {}

    def prepared_database(self, postgres: PostgresProcess) -> Database:
        """The database at its newest schema."""
        return Database(migrated_database(postgres))

    @property
    def blobs(self) -> BlobStore:
        """What all roles share."""
        return FolderBlobs(self.folder / "data" / "blobs")

    @property
    def services(self) -> list[str]:
        """The names of the services that run, each replica for itself."""
        return [name for name in self.ports if name != "vectors"]

    @property
    def environment(self) -> dict[str, str]:
        url = "http://127.0.0.1:{}".format
        return {
            **SETTINGS,
            "FOOTNOTE_DATA": str(self.folder / "data"),
            "FOOTNOTE_DATABASE_URL": self.database_url,
            "FOOTNOTE_REDIS_URL": self.redis.url,
            "FOOTNOTE_QDRANT_URL": url(self.ports["vectors"]),
            "FOOTNOTE_QDRANT_API_KEY": self.vectors_key,
            "FOOTNOTE_INGEST_URL": url(self.ports["ingest"]),
            "FOOTNOTE_RETRIEVER_URL": url(self.ports["retriever"]),
            "FOOTNOTE_RESOLVER_URL": url(self.ports["resolver0"]),
            "FOOTNOTE_AGENT_URL": url(self.ports["agent0"]),
            "FOOTNOTE_SERVICE_SECRET": "a secret that only the services of this test share",
            "FOOTNOTE_SWEEP_S": "1",
            "FOOTNOTE_LEASE_S": "4",
            "FOOTNOTE_HEARTBEAT_S": "1",
            "FOOTNOTE_TURN_LEASE_S": "4",
            "FOOTNOTE_STREAM_LEASE_S": "2",
        }

    @property
    def vectors_key(self) -> str:
        """The key that the bridge has written; none before its first start."""
        file = self.folder / "vectors" / "api_key"
        return file.read_text() if file.is_file() else ""

    def start_role(self, name: str, command: list[str]) -> ChildProcess:
        role = ChildProcess(command, self.folder / f"{name}.log", environment=self.environment)
        self.roles[name] = role
        return role

    def start_vectors(self) -> None:
        port = str(self.ports["vectors"])
        command = [
            sys.executable,
            "-m",
            "footnote_bridge",
            "--data",
            str(self.folder / "vectors"),
            "--port",
            port,
        ]
        self.start_role("vectors", command).wait_until(
            lambda: accepts_connections(self.ports["vectors"]), "vectors"
        )

    def start_service(self, name: str) -> None:
        service = name.rstrip("0123456789")
        self.start_role(name, [*FOOTNOTE, "serve", service, "--port", str(self.ports[name])])

    def start_worker(self, name: str, queues: str, concurrency: int = 1) -> None:
        options = ["--name", name, "--queues", queues, "--concurrency", str(concurrency)]
        self.start_role(name, [*FOOTNOTE, "worker", *options])

    def start_clock(self) -> None:
        self.start_role("beat", [*FOOTNOTE, "beat"])

    def start(self) -> "DistributedStack":
        self.start_vectors()
        for name in self.services:
            self.start_service(name)
        self.start_worker("parser", "parse")
        self.start_worker("embedder", "embed")
        self.start_worker("indexer", "index,connectors,maintenance", 2)
        self.start_clock()
        for name in self.services:
            self.wait_ready(name)
        return self

    def wait_ready(self, name: str) -> None:
        self.roles[name].wait_until(lambda: self.ready(name), name, 2 * LIMIT_S)

    def ready(self, name: str) -> bool:
        return is_ready(f"http://127.0.0.1:{self.ports[name]}")

    def port_of(self, service: str) -> int:
        """Where users of a service send their requests."""
        return self.ports[service]

    def client(self, service: str = "ingest", key: str | None = None) -> Client:
        return Client(f"http://127.0.0.1:{self.port_of(service)}", key or self.key)

    def kill_role(self, name: str) -> None:
        """kill -9 of the process, its pool and its children."""
        end_all(psutil.Process(self.roles[name].process.pid))
        self.roles[name].process.wait(LIMIT_S)

    def stop(self) -> None:
        for role in reversed(list(self.roles.values())):
            if role.alive:
                role.process.terminate()
        for role in reversed(list(self.roles.values())):
            role.stop(15)
        self.redis.stop()
        self.database.close()
