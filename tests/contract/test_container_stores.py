"""PostgreSQL and Redis of docker-compose.yml pass the suites that the tests' own servers pass, where there is
a container engine that has their images or can fetch them.

Qdrant and the object store have a place among the parameters of the suites beside this file.
"""

from collections.abc import Iterator

import pytest

from footnote_shared.db.engine import Database
from footnote_testing.workspace import empty_tables, make_database
from tests.containers.stores import (
    ContainerPostgres,
    ContainerRedis,
    running_postgres,
    running_redis,
    store_or_skip,
)
from tests.integration.resolver.test_turn_streams import TestAnnouncements as TestAnnouncements
from tests.integration.resolver.test_turn_streams import TestAppend as TestAppend
from tests.integration.resolver.test_turn_streams import TestHub as TestHub
from tests.integration.resolver.test_turn_streams import TestLease as TestLease
from tests.integration.resolver.test_turn_streams import client as client
from tests.integration.resolver.test_turn_streams import streams as streams
from tests.integration.shared.test_database import TestAtOnce as TestAtOnce
from tests.integration.shared.test_database import TestOnPostgreSQL as TestOnPostgreSQL
from tests.integration.shared.test_database import (
    test_migrations_go_forward_and_back as test_migrations_go_forward_and_back,
)
from tests.integration.shared.test_database import (
    test_times_come_back_in_utc as test_times_come_back_in_utc,
)
from tests.integration.shared.test_idempotency import TestTheSameKey as TestTheSameKey
from tests.integration.shared.test_idempotency import TestTwoAtOnce as TestTwoAtOnce
from tests.integration.shared.test_limits import TestRequests as TestRequests
from tests.integration.shared.test_limits import TestTheCount as TestTheCount
from tests.integration.shared.test_limits import patience as patience
from tests.integration.shared.test_limits import serve as serve


@pytest.fixture(scope="module")
def postgres() -> Iterator[ContainerPostgres]:
    with store_or_skip(running_postgres()) as server:
        yield server


@pytest.fixture(scope="module")
def redis_server() -> Iterator[ContainerRedis]:
    with store_or_skip(running_redis()) as server:
        yield server


@pytest.fixture(scope="module")
def postgres_url(postgres: ContainerPostgres) -> str:
    url = postgres.new_database()
    make_database(url).close()
    return url


@pytest.fixture
def database(postgres_url: str) -> Iterator[Database]:
    opened = Database(postgres_url)
    empty_tables(opened)
    yield opened
    opened.close()


@pytest.fixture
def own_database(postgres: ContainerPostgres) -> Iterator[Database]:
    opened = make_database(postgres.new_database())
    yield opened
    opened.close()
