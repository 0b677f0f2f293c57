"""What a process of a test has imported, and that one that is frozen stands still where others can go on."""

import fcntl
import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from footnote_cli.embedded.forked_process import ForkServer
from footnote_shared.db.engine import Database
from footnote_testing.child_process import IMPORTED_TOO, ChildProcess, run_to_its_end
from footnote_testing.eventually import LIMIT_S
from footnote_testing.ports import free_port
from footnote_testing.workspace import is_writable

WRITER = """
import sqlite3, sys, time
own = sqlite3.connect(sys.argv[1], isolation_level=None)
while True:
    own.execute("BEGIN IMMEDIATE")
    print("begun", flush=True)
    time.sleep(0.05)
    own.execute("COMMIT")
    time.sleep(0.05)
"""


PLACE_HOLDER = """
import fcntl, sys, time
place = open(sys.argv[1] + "-background", "a")
while True:
    fcntl.flock(place, fcntl.LOCK_EX)
    print("taken", flush=True)
    time.sleep(0.05)
    fcntl.flock(place, fcntl.LOCK_UN)
    time.sleep(0.05)
"""


def test_nor_while_it_has_the_place_of_the_background_writer(tmp_path: Path) -> None:
    file = tmp_path / "test.db"
    database = Database(f"sqlite:///{file}")
    holder = ChildProcess([sys.executable, "-c", PLACE_HOLDER, str(file)], tmp_path / "holder.log")
    holder.wait_until(lambda: "taken" in holder.tail(), "it has the place")
    for _ in range(4):
        with (
            holder.frozen(lambda: is_writable(database)),
            (tmp_path / "test.db-background").open("a") as place,
        ):
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    holder.kill()
    database.close()


def test_it_is_frozen_between_two_transactions(tmp_path: Path) -> None:
    file = tmp_path / "test.db"
    database = Database(f"sqlite:///{file}")
    writer = ChildProcess([sys.executable, "-c", WRITER, str(file)], tmp_path / "writer.log")
    writer.wait_until(lambda: "begun" in writer.tail(), "it writes")
    (process,) = writer.family()
    for _ in range(2):
        with writer.frozen(lambda: is_writable(database)):
            assert process.status() == psutil.STATUS_STOPPED
            assert is_writable(database)
        assert process.status() != psutil.STATUS_STOPPED
    writer.kill()
    database.close()


def test_a_program_of_this_environment_is_found_without_a_path_to_it(tmp_path: Path) -> None:
    program = ChildProcess(["footnote", "--help"], tmp_path / "log", environment={"PATH": "/usr/bin:/bin"})
    assert program.process.wait(60) == 0
    assert "Usage" in program.tail(400)


def test_of_a_program_that_ended_what_it_said_and_complained_of_is_told_apart() -> None:
    refused = run_to_its_end([sys.executable, "-m", "footnote_cli", "search"], {})
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert "query" in refused.stderr
    told = run_to_its_end([sys.executable, "-m", "footnote_cli", "--version"], {})
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.startswith("footnote ")


def test_a_program_that_does_not_end_in_time_is_killed() -> None:
    endless = [sys.executable, "-m", "http.server", str(free_port()), "--bind", "127.0.0.1"]
    with pytest.raises(subprocess.TimeoutExpired):
        run_to_its_end(endless, {}, limit_s=0.01)
    assert endless not in [child.cmdline() for child in psutil.Process().children()]


@pytest.mark.skipif(not ForkServer.available(), reason="Linux alone has what a fork server takes")
def test_what_all_have_imported_counts_nothing_and_knows_no_table_of_a_service(tmp_path: Path) -> None:
    log = tmp_path / "witness.log"
    witness = ChildProcess([sys.executable, "-m", "tests.unit.cli.forked_witness"], log)
    assert witness.process.wait(LIMIT_S) == 7
    modules = set(json.loads(log.read_text())["modules"])
    assert set(IMPORTED_TOO) <= modules
    assert "prometheus_client" not in modules, "it reads its folder at its import"
    assert "onnxruntime" not in modules, "it starts a thread at its import"
    assert not [name for name in modules if name.startswith("footnote_") and ".store." in name]
