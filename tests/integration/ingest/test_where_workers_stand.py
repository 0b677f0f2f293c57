"""A worker that waits for its Redis is asked where it stands, before it has begun any task."""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from footnote_testing.child_process import ChildProcess
from footnote_testing.eventually import eventually
from footnote_testing.ports import free_port
from footnote_testing.workspace import make_database

pytestmark = pytest.mark.system

TELLS = "most recent call first"
PASSWORD = "amberfinch"


@pytest.fixture
def waiting(tmp_path: Path) -> Iterator[ChildProcess]:
    database = make_database(f"sqlite:///{tmp_path / 'footnote.db'}")
    environment = {
        "FOOTNOTE_DATA": str(tmp_path),
        "FOOTNOTE_DATABASE_URL": database.url,
        "FOOTNOTE_SERVICE_SECRET": "s" * 40,
        "FOOTNOTE_REDIS_URL": f"redis://:{PASSWORD}@127.0.0.1:{free_port()}/0",
    }
    command = [sys.executable, "-m", "footnote_cli", "worker", "--queues", "maintenance"]
    worker = ChildProcess(command, tmp_path / "worker.log", environment=environment)
    worker.wait_until(lambda: "Cannot connect" in worker.log.read_text(), "it waits for Redis")
    yield worker
    worker.kill()
    database.close()


def test_all_its_processes_answer_without_a_secret_and_go_on(waiting: ChildProcess) -> None:
    asked = [one for one in waiting.family() if "footnote_cli" in one.cmdline()]
    assert len(asked) > 1, "its pool has begun"
    for process in asked:
        process.send_signal(signal.SIGUSR1)
    eventually(
        lambda: waiting.log.read_text().count(TELLS), "each answers", until=lambda count: count >= len(asked)
    )
    assert all(process.is_running() for process in asked)
    told = waiting.log.read_text()
    assert PASSWORD not in told
    assert "LOCAL VARIABLES" not in told
