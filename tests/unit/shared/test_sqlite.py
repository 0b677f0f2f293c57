"""Who writes to SQLite waits for its turn, behind threads of its own process and behind other processes."""

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from footnote_shared.db.sqlite import SqliteWriter
from footnote_shared.kernel.errors import Unavailable
from footnote_testing.eventually import LIMIT_S


@pytest.fixture
def url(tmp_path: Path) -> str:
    with closing(sqlite3.connect(tmp_path / "test.db")) as made:
        made.execute("PRAGMA journal_mode=WAL")
        made.execute("CREATE TABLE notes (text)")
    return f"sqlite:///{tmp_path / 'test.db'}"


@contextmanager
def held(url: str) -> Iterator[None]:
    """Somebody else holds the write lock, as another process would."""
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def note(writer: SqliteWriter, said: str) -> None:
    with writer.turn(), writer.engine.begin() as connection:
        connection.execute(text("INSERT INTO notes VALUES (:said)"), {"said": said})


def notes(writer: SqliteWriter) -> list[str]:
    with writer.engine.begin() as connection:
        return list(connection.execute(text("SELECT text FROM notes")).scalars())


@pytest.mark.parametrize("background", [True, False])
def test_threads_of_one_process_write_one_after_the_other(url: str, *, background: bool) -> None:
    writer = SqliteWriter(url, 4, "OFF", background=background)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: note(writer, str(number)), range(20)))
    assert sorted(map(int, notes(writer))) == list(range(20))
    writer.engine.dispose()


def test_a_lock_that_another_process_lets_go_is_taken(url: str) -> None:
    writer = SqliteWriter(url, 1, "OFF", background=False)
    begun = threading.Event()

    def wait_and_note() -> None:
        begun.set()
        note(writer, "late")

    with ThreadPoolExecutor(1) as pool:
        with held(url):
            waiting = pool.submit(wait_and_note)
            begun.wait(LIMIT_S)
        waiting.result(LIMIT_S)
    assert notes(writer) == ["late"]
    writer.engine.dispose()


def test_a_lock_that_is_never_let_go_is_told(url: str) -> None:
    writer = SqliteWriter(url, 1, "OFF", background=False, patience_s=0.05)
    with held(url), pytest.raises(OperationalError, match="locked"):
        note(writer, "never")
    note(writer, "now")
    assert notes(writer) == ["now"]
    writer.engine.dispose()


def test_a_thread_that_never_ends_its_transaction_is_told(url: str) -> None:
    """The engines of one process share one queue."""
    writer = SqliteWriter(url, 1, "OFF", background=False)
    other = SqliteWriter(url, 1, "OFF", background=False, patience_s=0.05)
    with writer.turn(), pytest.raises(Unavailable):
        note(other, "never")
    note(other, "now")
    assert notes(writer) == ["now"]
    writer.engine.dispose()
    other.engine.dispose()
