"""A workshop, and the application, on each of the two databases."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from footnote_ingest.app import create_app
from footnote_shared.blobs.open import open_blobs
from footnote_shared.db.engine import Database
from footnote_shared.settings.base import Settings
from footnote_testing.redis_process import RedisProcess
from footnote_testing.workspace import make_caller, make_database
from tests.integration.ingest.avatars import Avatar
from tests.integration.ingest.reading_facts import Facts
from tests.integration.ingest.served import Served
from tests.integration.ingest.workshop import Workshop


@pytest.fixture
def workshop(database: Database) -> Workshop:
    return Workshop(database)


@pytest.fixture
def sqlite_workshop(tmp_path: Path) -> Iterator[Workshop]:
    """For what is the same on both databases: SQLite alone."""
    database = make_database(f"sqlite:///{tmp_path / 'workshop.db'}")
    yield Workshop(database)
    database.close()


@pytest.fixture
def served(database: Database, redis_server: RedisProcess, tmp_path: Path) -> Iterator[Served]:
    settings = Settings(
        data=tmp_path,
        database_url=database.url,
        redis_url=redis_server.url,
        max_upload_bytes=300_000,
        max_json_bytes=200_000,
        # Nobody asks this model: what reads facts in these tests stands in the workshop.
        chat_base_url="http://model.invalid/v1",
        chat_model="chat",
        fast_model="fast",
        facts_classifications=["open"],
    )
    workshop = Workshop(database)
    workshop.blobs = open_blobs(settings)
    principal, key = make_caller(database)
    workshop.caller = principal
    app = create_app(settings)
    with TestClient(app, raise_server_exceptions=False) as client:
        client.headers["Authorization"] = f"Bearer {key}"
        yield Served(app, client, workshop, principal, settings)


@pytest.fixture
def other(served: Served) -> Avatar:
    return Avatar(served)


@pytest.fixture
def facts(served: Served) -> Facts:
    return Facts(served.workshop)
