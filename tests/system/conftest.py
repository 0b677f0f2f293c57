"""One embedded stack for all tests that do not break it."""

from collections.abc import Iterator

import pytest

from footnote_testing.postgres_process import PostgresProcess
from tests.system.stacks import Client, DistributedStack, EmbeddedStack


@pytest.fixture(scope="session")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStack]:
    stack = EmbeddedStack(tmp_path_factory.mktemp("embedded") / "data").start()
    yield stack
    stack.stop()


@pytest.fixture
def user(embedded: EmbeddedStack) -> Client:
    return embedded.client()


@pytest.fixture(scope="session")
def distributed(
    tmp_path_factory: pytest.TempPathFactory, postgres: PostgresProcess
) -> Iterator[DistributedStack]:
    stack = DistributedStack(tmp_path_factory.mktemp("distributed"), postgres, resolvers=2, agents=2)
    stack.start()
    yield stack
    stack.stop()
