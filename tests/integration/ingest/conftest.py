"""A workshop, and the application, on each of the two databases."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from footnote_ingest.app import create_app
from footnote_shared.blobs.open import open_blobs
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.settings.base import Settings
from footnote_testing.redis_process import RedisProcess
from footnote_testing.workspace import make_caller
from tests.integration.ingest.workshop import Workshop


@pytest.fixture
def workshop(database: Database) -> Workshop:
    return Workshop(database)


@dataclass
class Served:
    """The application over HTTP, and a workshop on the same stores that does the workers' part."""

    http: TestClient
    workshop: Workshop
    principal: Principal
    settings: Settings

    def work(self) -> None:
        """Take every accepted document to its end."""
        self.workshop.lose_messages()
        self.workshop.sweep()
        self.workshop.run_all()

    def upload(self, name: str, content: bytes, **fields: str) -> dict[str, Any]:
        answer = self.http.post("/v1/documents", files={"file": (name, content)}, data=fields)
        assert answer.status_code == 202, answer.text
        document: dict[str, Any] = answer.json()
        return document

    def as_stranger(self) -> TestClient:
        """Another workspace's admin."""
        key = make_caller(self.workshop.database, "stranger")[1]
        client = TestClient(self.http.app)
        client.headers["Authorization"] = f"Bearer {key}"
        return client


@pytest.fixture
def served(database: Database, redis_server: RedisProcess, tmp_path: Path) -> Iterator[Served]:
    settings = Settings(
        data=tmp_path,
        database_url=database.url,
        redis_url=redis_server.url,
        max_upload_bytes=300_000,
        max_json_bytes=200_000,
    )
    workshop = Workshop(database)
    workshop.blobs = open_blobs(settings)
    principal, key = make_caller(database)
    workshop.caller = principal
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        client.headers["Authorization"] = f"Bearer {key}"
        yield Served(client, workshop, principal, settings)
