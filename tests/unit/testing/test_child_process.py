"""A process that a test freezes stands still where all others can go on."""

import fcntl
import sys
from pathlib import Path

import psutil

from footnote_shared.db.engine import Database
from footnote_testing.child_process import ChildProcess
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
