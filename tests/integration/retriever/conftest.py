"""The retriever over HTTP, with the real model, a real vector store, and ingest behind a port."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_retriever.app import create_app
from footnote_shared.contracts.identity import Principal
from footnote_shared.embedding.load import load_embedder
from footnote_shared.embedding.protocol import Embedder
from footnote_shared.security.api_keys import make_avatar, make_key
from footnote_shared.settings.base import Settings
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_testing.bridge_process import BridgeProcess, start_bridge
from footnote_testing.eventually import LIMIT_S
from footnote_testing.fake_ingest import FakeIngest
from footnote_testing.library import Book, Library
from footnote_testing.served_app import ServedApp
from footnote_testing.workspace import make_caller, make_database
from tests.model_cache import MODEL_CACHE

SECRET = "a secret that only the services of this test share"


@dataclass(frozen=True)
class User:
    """A caller with a workspace of its own."""

    principal: Principal
    http: httpx.Client

    def search(self, query: str, **body: Any) -> dict[str, Any]:
        response = self.http.post("/v1/search", json={"query": query, **body})
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found

    def titles(self, query: str, **body: Any) -> list[str]:
        return [passage["title"] for passage in self.search(query, **body)["passages"]]


class Stack:
    """One retriever with everything that it stands on."""

    def __init__(self, folder: Path, embedder: Embedder, **settings: Any) -> None:
        self.embedder = embedder
        self.bridge: BridgeProcess = start_bridge(folder / "vectors")
        self.ingest = FakeIngest(SECRET)
        self.served_ingest = ServedApp(self.ingest.app).start()
        self.database = make_database(f"sqlite:///{folder / 'test.db'}")
        self.folder = folder
        values = {
            "data": folder / "data",
            "cache": MODEL_CACHE,
            "database_url": self.database.url,
            "qdrant_url": self.bridge.url,
            "qdrant_api_key": self.bridge.key,
            "ingest_url": self.served_ingest.url,
            "service_secret": SECRET,
            # A busy machine is slow, and nothing is wrong with it.
            "search_timeout_s": LIMIT_S,
            "vector_timeout_s": LIMIT_S,
            **settings,
        }
        self.settings = Settings.model_validate(values)
        self.served = ServedApp(create_app(self.settings)).start()
        self.url = self.served.url

    def add(self, owner: Principal, *books: Book) -> None:
        async def run() -> None:
            index = QdrantVectorIndex(self.bridge.url, api_key=self.bridge.key, timeout_s=LIMIT_S)
            await Library(index, self.settings.lane, self.embedder, self.ingest).add(owner, *books)
            await index.close()

        asyncio.run(run())

    def user(self) -> User:
        principal, key = make_caller(self.database)
        return User(
            principal,
            httpx.Client(
                base_url=self.url,
                headers={"Authorization": f"Bearer {key}"},
                timeout=LIMIT_S,
                trust_env=False,
                verify=NO_CERTIFICATES,
            ),
        )

    def colleague(self, of: User) -> User:
        """A second avatar of the user's workspace."""
        with self.database.write() as session:
            principal = make_avatar(session, of.principal.workspace_id, "colleague")
            key = make_key(session, principal, "colleague", ["read"])
        headers = {"Authorization": f"Bearer {key}"}
        http = httpx.Client(
            base_url=self.url, headers=headers, timeout=LIMIT_S, trust_env=False, verify=NO_CERTIFICATES
        )
        return User(principal, http)

    def ready(self) -> tuple[int, dict[str, str]]:
        response = httpx.get(f"{self.url}/readyz", timeout=LIMIT_S, trust_env=False, verify=NO_CERTIFICATES)
        return response.status_code, response.json()["checks"]

    def restart_bridge(self) -> None:
        """The same data on the same port."""
        self.bridge = start_bridge(self.folder / "vectors", int(self.bridge.url.rsplit(":", 1)[1]))

    def stop(self) -> None:
        self.served.stop()
        self.served_ingest.stop()
        self.bridge.stop()
        self.database.close()


MakeStack = Callable[..., Stack]


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return load_embedder(Settings.model_validate({"cache": MODEL_CACHE}))


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Iterator[Stack]:
    """For tests that break nothing; each makes a user of its own."""
    made = Stack(tmp_path_factory.mktemp("retriever"), embedder)
    yield made
    made.stop()


@pytest.fixture
def make_stack(tmp_path: Path, embedder: Embedder) -> Iterator[MakeStack]:
    """For tests that break parts."""
    made: list[Stack] = []

    def make(**settings: Any) -> Stack:
        made.append(Stack(tmp_path / str(len(made)), embedder, **settings))
        return made[-1]

    yield make
    for one in made:
        one.stop()


@pytest.fixture
def user(stack: Stack) -> Iterator[User]:
    made = stack.user()
    yield made
    made.http.close()
