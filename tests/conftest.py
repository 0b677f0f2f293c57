"""What every test may ask for: real Redis and PostgreSQL of its own, and databases with all migrations."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from footnote_shared.db.engine import Database
from footnote_shared.settings.base import datasets_dir, forget_environment
from footnote_testing.compiled_statements import share_compiled_statements
from footnote_testing.postgres_process import PostgresProcess
from footnote_testing.redis_process import RedisProcess, start_redis
from footnote_testing.workspace import (
    empty_tables,
    make_database,
    migrated_database,
    start_migrated_postgres,
)

# What somebody has set for a Footnote of their own says nothing to the tests, nor to what they start.
forget_environment()

share_compiled_statements()

# A run that fails fails again; `make fuzz` looks for what has not been seen yet.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, print_blob=True)
settings.load_profile("repeatable")


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Bytes are named by their argument and its number.

    What packs them may write the time into them, and each process that runs tests would give the case another
    name.
    """
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresProcess]:
    server = start_migrated_postgres()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisProcess]:
    server = start_redis(tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def postgres_url(postgres: PostgresProcess) -> str:
    """A migrated database for tests that leave its tables as they are."""
    return migrated_database(postgres)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A migrated database without rows, once on each of the two that Footnote runs on."""
    if request.param == "sqlite":
        opened = make_database(f"sqlite:///{tmp_path / 'test.db'}")
    else:
        opened = Database(request.getfixturevalue("postgres_url"))
        empty_tables(opened)
    yield opened
    opened.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def own_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """Like `database`, for tests that change tables."""
    if request.param == "sqlite":
        opened = make_database(f"sqlite:///{tmp_path / 'test.db'}")
    else:
        opened = Database(migrated_database(request.getfixturevalue("postgres")))
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def datasets() -> Path:
    """The corpora with judgements; a test that needs them is skipped, and says so, where they are absent."""
    folder = datasets_dir()
    if not (folder / "cranfield" / "corpus.jsonl").is_file():
        pytest.skip(f"no corpora at {folder}: set FOOTNOTE_DATASETS")
    return folder
