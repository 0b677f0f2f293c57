"""The application of ingest over HTTP, and a workshop that does the workers' part."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from fastapi import FastAPI
from fastapi.testclient import TestClient

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_ingest.app import create_app
from footnote_shared.contracts.identity import Principal
from footnote_shared.settings.base import Settings
from footnote_testing.eventually import LIMIT_S
from footnote_testing.served_app import ServedApp
from footnote_testing.workspace import make_caller
from tests.integration.ingest.workshop import Workshop

Transition = tuple[str, dict[str, Any]]
"""A live event of a document's timeline: its id and its data."""


@dataclass
class Served:
    """The application over HTTP, and a workshop on the same stores that does the workers' part."""

    app: FastAPI
    http: TestClient
    workshop: Workshop
    principal: Principal
    settings: Settings

    def work(self) -> None:
        """Take every accepted document to its end."""
        self.workshop.lose_messages()
        self.workshop.sweep()
        self.workshop.run_all()

    def upload(self, name: str, content: str | bytes, **fields: str) -> dict[str, Any]:
        answer = self.http.post("/v1/documents", files={"file": (name, content)}, data=fields)
        assert answer.status_code == 202, answer.text
        document: dict[str, Any] = answer.json()
        return document

    @contextmanager
    def live_timeline(
        self, reader: TestClient, document_id: str, **headers: str
    ) -> Iterator[Iterator[Transition]]:
        """The transitions of a document as they come, from a second server over the same stores.

        The answer of a `TestClient` comes only when it is whole, so the reader gets a server on a real port.
        """
        server = ServedApp(create_app(self.settings)).start()
        path = f"{server.url}/v1/documents/{document_id}/events"
        wanted = {"Authorization": reader.headers["Authorization"], "Accept": "text/event-stream", **headers}
        try:
            with httpx.stream(
                "GET", path, headers=wanted, timeout=LIMIT_S, trust_env=False, verify=NO_CERTIFICATES
            ) as response:
                assert response.status_code == 200
                yield _transitions(response)
        finally:
            server.stop()

    def new_client(self) -> TestClient:
        """A further client without a key. It calls the application in the loop that has its connections."""
        client = TestClient(self.app, raise_server_exceptions=False)
        client.portal = self.http.portal
        return client

    def as_stranger(self) -> TestClient:
        """Another workspace's admin."""
        key = make_caller(self.workshop.database, "stranger")[1]
        client = self.new_client()
        client.headers["Authorization"] = f"Bearer {key}"
        return client


def _transitions(response: httpx.Response) -> Iterator[Transition]:
    event_id = ""
    for line in response.iter_lines():
        if line.startswith("id: "):
            event_id = line[4:]
        elif line.startswith("data: "):
            yield event_id, json.loads(line[6:])
