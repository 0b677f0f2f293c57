"""The stores that docker-compose.yml names, each in a container of a test's own (testcontainers).

Where no engine answers, or an image is neither here nor to be had, `NoStore` says which. Nothing cleans up
behind a run that is killed: the container that testcontainers has for that needs an image more.
"""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import httpx
import psycopg
import pytest
import redis
import yaml
from psycopg.sql import SQL, Identifier
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer

from footnote_shared.kernel.ids import new_id
from footnote_shared.redis.connection import connect
from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.s3_server import S3Server
from tests.containers.engine import ROOT, NoEngine, answering_engine, has_image, is_offered, pull

_HERE = "127.0.0.1"
_START_S = 2 * LIMIT_S
_PULL_S = 300.0


class NoStore(Exception):
    """The store cannot be started here. The message says why."""


@dataclass(frozen=True, slots=True)
class ContainerPostgres:
    """A server of its own, with a user that may make databases."""

    address: str
    password: str

    def url(self, database: str, driver: str = "+psycopg") -> str:
        return f"postgresql{driver}://footnote:{self.password}@{self.address}/{database}"

    def new_database(self) -> str:
        """Make an empty database and return its URL."""
        name = "t" + new_id().replace("-", "")
        with psycopg.connect(self.url("footnote", driver=""), autocommit=True) as connection:
            connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        return self.url(name)


@dataclass(frozen=True, slots=True)
class ContainerRedis:
    """Where a Redis answers, with its password."""

    url: str


@dataclass(frozen=True, slots=True)
class ContainerQdrant:
    """Where a Qdrant answers, and its key."""

    url: str
    key: str

    def serves(self) -> bool:
        asked = httpx.get(
            f"{self.url}/collections", headers={"api-key": self.key}, trust_env=False, timeout=5
        )
        return asked.is_success


@cache
def image_of(service: str) -> str:
    """The image that docker-compose.yml takes for a service: a test is about that release, not another."""
    read = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
    return str(read["services"][service]["image"])


@contextmanager
def running_postgres() -> Iterator[ContainerPostgres]:
    password = secrets.token_hex(16)
    given = {"POSTGRES_USER": "footnote", "POSTGRES_DB": "footnote", "POSTGRES_PASSWORD": password}
    with _running("postgres", 5432, given) as address:
        server = ContainerPostgres(address, password)

        def answers() -> bool:
            try:
                psycopg.connect(server.url("footnote", driver=""), connect_timeout=5).close()
            except psycopg.OperationalError:
                return False
            return True

        _wait(answers, "PostgreSQL")
        yield server


@contextmanager
def running_redis() -> Iterator[ContainerRedis]:
    password = secrets.token_hex(16)
    with _running("redis", 6379, {}, ["redis-server", "--requirepass", password]) as address:
        server = ContainerRedis(f"redis://:{password}@{address}/0")

        def answers() -> bool:
            try:
                return bool(connect(server.url).ping())
            except redis.RedisError:
                return False

        _wait(answers, "Redis")
        yield server


@contextmanager
def running_qdrant() -> Iterator[ContainerQdrant]:
    key = secrets.token_hex(16)
    with _running("qdrant", 6333, {"QDRANT__SERVICE__API_KEY": key}) as address:
        server = ContainerQdrant(f"http://{address}", key)
        _wait(server.serves, "Qdrant")
        yield server


@contextmanager
def running_objects() -> Iterator[S3Server]:
    password = secrets.token_hex(16)
    given = {"MINIO_ROOT_USER": "footnote", "MINIO_ROOT_PASSWORD": password}
    with _running("objects", 9000, given, ["server", "/data"]) as address:
        server = S3Server(f"http://{address}", "footnote", password)
        _wait(server.serves, "the object store")
        yield server


Store = TypeVar("Store")


@contextmanager
def store_or_skip(running: AbstractContextManager[Store]) -> Iterator[Store]:
    """The store in its container; the test that asks for it is skipped where there can be none."""
    with ExitStack() as stack:
        try:
            store = stack.enter_context(running)
        except NoStore as reason:
            pytest.skip(f"no container: {reason}")
        yield store


def _wait(answers: Callable[[], bool], name: str) -> None:
    eventually(answers, f"{name} answers in its container", limit_s=_START_S)


@cache
def _why_not(image: str) -> str:
    """Why there is no container of this image here. Empty: there can be one."""
    try:
        answering_engine()
    except NoEngine as reason:
        return str(reason)
    if has_image(image):
        return ""
    if not is_offered(image):
        return f"the image {image} is not here, and no registry offers it"
    return "" if pull(image, limit_s=_PULL_S) else f"the image {image} cannot be fetched"


@contextmanager
def _running(
    service: str, port: int, environment: Mapping[str, str], command: Sequence[str] | None = None
) -> Iterator[str]:
    """The address of a new container of the service's image, which ends and goes with the block."""
    image = image_of(service)
    if reason := _why_not(image):
        raise NoStore(reason)
    testcontainers_config.ryuk_disabled = True
    container: Any = DockerContainer(image, env=dict(environment))
    # Other machines are not let in, and the tests reach nothing but loopback.
    container.ports = {f"{port}/tcp": (_HERE, None)}
    if command is not None:
        container.with_command(list(command))
    with container:
        yield f"{_HERE}:{container.get_exposed_port(port)}"
