"""The application of ingest over HTTP, and a workshop that does the workers' part."""

from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient

from footnote_shared.contracts.identity import Principal
from footnote_shared.settings.base import Settings
from footnote_testing.workspace import make_caller
from tests.integration.ingest.workshop import Workshop


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
