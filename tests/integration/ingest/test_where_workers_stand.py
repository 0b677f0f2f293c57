"""A worker that waits for its Redis is asked where it stands, before it has begun any task."""

import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from footnote_testing.child_process import ChildProcess
from footnote_testing.eventually import eventually
from footnote_testing.ports import free_port
from footnote_testing.workspace import make_database

pytestmark = pytest.mark.system

TELLS = "most recent call first"
TRIES = "Cannot connect"
PASSWORD = "amberfinch"


@pytest.fixture
def beginning(tmp_path: Path) -> Iterator[ChildProcess]:
    database = make_database(f"sqlite:///{tmp_path / 'footnote.db'}")
    environment = {
        "FOOTNOTE_DATA": str(tmp_path),
        "FOOTNOTE_DATABASE_URL": database.url,
        "FOOTNOTE_SERVICE_SECRET": "s" * 40,
        "FOOTNOTE_REDIS_URL": f"redis://:{PASSWORD}@127.0.0.1:{free_port()}/0",
    }
    command = [sys.executable, "-m", "footnote_cli", "worker", "--queues", "maintenance"]
    worker = ChildProcess(command, tmp_path / "worker.log", environment=environment)
    yield worker
    worker.kill()
    database.close()


def pool_of(worker: ChildProcess) -> list[psutil.Process]:
    return [one for one in worker.family()[1:] if works(one)]


def works(process: psutil.Process) -> bool:
    """Whether it is one of ours that has not ended."""
    try:
        return process.is_running() and "footnote_cli" in process.cmdline()
    except psutil.NoSuchProcess:
        return False


def test_the_processes_of_its_pool_answer_while_they_begin_and_go_on(beginning: ChildProcess) -> None:
    # No pause between two signals: the moment in which the libraries would have them end is shorter than one.
    while beginning.alive and beginning.log.read_text().count(TRIES) < 2:
        for process in pool_of(beginning):
            with suppress(ProcessLookupError, psutil.NoSuchProcess):
                process.send_signal(signal.SIGUSR1)
    assert len(pool_of(beginning)) > 1, beginning.tail()


def test_all_its_processes_answer_without_a_secret_and_go_on(beginning: ChildProcess) -> None:
    beginning.wait_until(lambda: TRIES in beginning.log.read_text(), "it waits for Redis")
    asked = [one for one in beginning.family() if "footnote_cli" in one.cmdline()]
    assert len(asked) > 1, "its pool has begun"
    for process in asked:
        process.send_signal(signal.SIGUSR1)
    eventually(
        lambda: beginning.log.read_text().count(TELLS),
        "each answers",
        until=lambda count: count >= len(asked),
    )
    assert all(map(works, asked))
    told = beginning.log.read_text()
    assert PASSWORD not in told
    assert "LOCAL VARIABLES" not in told
