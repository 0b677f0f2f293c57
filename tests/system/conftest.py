"""Stacks that many tests share, and one worker for all tests of a stack."""

import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from footnote_testing.ports import ports_in_a_row
from footnote_testing.postgres_process import PostgresProcess
from footnote_testing.scripted_model import ScriptedModel
from tests.chaos.stack import ChaosStack
from tests.system.handbook import Handbook
from tests.system.operator_keys import key_of
from tests.system.planted import Planted, planted_system
from tests.system.planted_work import work_and_fail
from tests.system.sharing import group_of, in_a_wrong_group, place_in_line
from tests.system.stacks import Client, EmbeddedStack


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if in_a_wrong_group(item.nodeid, getattr(item, "fixturenames", ())):
            raise pytest.UsageError(f"{item.nodeid}: tests/system/sharing.py has its file in a wrong set")
    items.sort(key=lambda item: place_in_line(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give a worker all files of a stack, so that no stack is started twice."""
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = group_of
    return scheduler


_ENDS: dict[str, Callable[[], None]] = {}
"""What ends the stack of a group, while it runs."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """A stack ends with the last test of its group. Until the last of all it would take a tenth of a core."""
    try:
        return (yield)
    finally:
        group = group_of(item.nodeid)
        if nextitem is not None and group_of(nextitem.nodeid) != group:
            _end(group)


def _end(group: str) -> None:
    if (end := _ENDS.pop(group, None)) is not None:
        end()


@pytest.fixture(scope="session")
def embedded() -> Iterator[EmbeddedStack]:
    """Its data lies where every user of the machine can go, unlike pytest's own folders."""
    with tempfile.TemporaryDirectory(prefix="footnote-") as place:
        Path(place).chmod(0o755)
        stack = EmbeddedStack(Path(place) / "data", metrics_port=ports_in_a_row(3)).start()
        yield stack
        stack.stop()


@pytest.fixture
def user(embedded: EmbeddedStack) -> Client:
    return embedded.client()


@pytest.fixture(scope="session")
def colleague(embedded: EmbeddedStack) -> Client:
    """A second avatar of the first workspace. Nobody makes another one of its name."""
    return Client(embedded.url, key_of(embedded, "--new-avatar", "colleague"))


@pytest.fixture
def handbook(user: Client, request: pytest.FixtureRequest) -> Callable[..., Handbook]:
    """Makes a handbook; the name of the test is its place."""
    place = "".join(word.capitalize() for word in request.node.name.removeprefix("test_").split("_")[:6])
    return lambda **options: Handbook(user, place, **options)


@pytest.fixture(scope="session")
def distributed(tmp_path_factory: pytest.TempPathFactory, postgres: PostgresProcess) -> Iterator[ChaosStack]:
    stack = ChaosStack(tmp_path_factory.mktemp("distributed"), postgres, objects=False)
    _ENDS["distributed"] = stack.stop
    stack.start()
    yield stack
    _end("distributed")


@pytest.fixture(scope="session")
def model() -> Iterator[ScriptedModel]:
    """What the stack of `asking` asks: a model that says what it is told to."""
    served = ScriptedModel().start()
    yield served
    served.stop()


@pytest.fixture(scope="session")
def planted(
    model: ScriptedModel, postgres: PostgresProcess, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Planted]:
    """The stack of `asking`, with all that its operator knows of it."""
    running = ExitStack()
    system = running.enter_context(planted_system(tmp_path_factory.mktemp("asking"), postgres, model))
    _ENDS["asking"] = running.close
    yield system
    _end("asking")


@pytest.fixture(scope="session")
def worked(planted: Planted) -> Planted:
    """The same, after each of its secrets was used, well and in vain."""
    work_and_fail(planted)
    return planted


@pytest.fixture(scope="session")
def asking(planted: Planted) -> Client:
    """A user of a stack with a scripted model, to which the same question may be put again and again.

    One document is there to ask about.
    """
    made = planted.client.upload("gull.txt", b"The gull of Scarborough steals four sandwiches a day.")
    planted.client.wait_ended([made["id"]])
    return planted.client
