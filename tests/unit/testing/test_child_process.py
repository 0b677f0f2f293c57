"""A process that a test freezes stands still where all others can go on."""

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
