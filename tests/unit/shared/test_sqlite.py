"""Who writes to SQLite waits for its turn, behind threads of its own process and behind other processes."""

import asyncio
import fcntl
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from operator import eq
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.db.sqlite import SqliteWriter, WriterQueue, _queues
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.security.api_keys import owner_of
from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.workspace import make_caller, make_database


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
    writer.close()


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
    writer.close()


def test_a_lock_that_is_never_let_go_is_told(url: str) -> None:
    writer = SqliteWriter(url, 1, "OFF", background=False, patience_s=0.05)
    with held(url), pytest.raises(OperationalError, match="locked"):
        note(writer, "never")
    note(writer, "now")
    assert notes(writer) == ["now"]
    writer.close()


def test_a_thread_that_never_ends_its_transaction_is_told(url: str) -> None:
    """The engines of one process share one queue."""
    writer = SqliteWriter(url, 1, "OFF", background=False)
    other = SqliteWriter(url, 1, "OFF", background=False, patience_s=0.05)
    with writer.turn(), pytest.raises(Unavailable):
        note(other, "never")
    note(other, "now")
    assert notes(writer) == ["now"]
    writer.close()
    other.close()


def test_who_came_first_writes_first(url: str) -> None:
    writer = SqliteWriter(url, 16, "OFF", background=False)
    queue = _queues[url]
    with ThreadPoolExecutor(8) as pool:
        with writer.turn():
            waiting = []
            for number in range(8):
                waiting.append(pool.submit(note, writer, str(number)))
                eventually(lambda: queue.waiting, "it waits", until=lambda found: found == len(waiting))
        for each in waiting:
            each.result(LIMIT_S)
    assert notes(writer) == [str(number) for number in range(8)]
    writer.close()


def test_who_has_written_queues_behind_those_that_wait() -> None:
    """A plain lock often goes to the thread that has just let it go."""
    queue, order = WriterQueue(), []

    def wait() -> None:
        assert queue.acquire(LIMIT_S)
        order.append("waited")
        queue.release()

    assert queue.acquire(LIMIT_S)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait)
        eventually(lambda: queue.waiting, "it waits")
        queue.release()
        assert queue.acquire(LIMIT_S)
        order.append("came again")
        queue.release()
        waiting.result(LIMIT_S)
    assert order == ["waited", "came again"]


def test_who_gives_up_is_left_out() -> None:
    queue = WriterQueue()
    assert queue.acquire(LIMIT_S)
    assert not queue.acquire(0.01)
    queue.release()
    assert queue.acquire(0.0)


@contextmanager
def background_at_work(url: str) -> Iterator[None]:
    """Another process in the background has the place of those that write."""
    with Path(f"{url.removeprefix('sqlite:///')}-background").open("a") as place:
        fcntl.flock(place, fcntl.LOCK_EX)
        yield


def test_of_the_processes_in_the_background_one_writes_at_a_time(url: str) -> None:
    worker = SqliteWriter(url, 1, "OFF", background=True)
    web = SqliteWriter(f"{url}?", 1, "OFF", background=False)
    with ThreadPoolExecutor(1) as pool:
        with background_at_work(url):
            waiting = pool.submit(note, worker, "worker")
            note(web, "web")
            assert not waiting.done()
        waiting.result(LIMIT_S)
    assert notes(web) == ["web", "worker"]
    worker.close()
    web.close()


def test_a_place_in_the_background_that_is_never_left_is_told(url: str) -> None:
    worker = SqliteWriter(url, 1, "OFF", background=True, patience_s=0.05)
    with background_at_work(url), pytest.raises(Unavailable):
        note(worker, "never")
    note(worker, "now")
    assert notes(worker) == ["now"]
    worker.close()


def order_of_turns(ways: list[bool]) -> list[bool]:
    """The order in which threads that wait get the place. Each is told whether it gives way."""
    queue, order = WriterQueue(), []

    def wait(gives_way: bool) -> None:
        assert queue.acquire(LIMIT_S, gives_way=gives_way)
        order.append(gives_way)
        queue.release()

    assert queue.acquire(LIMIT_S)
    with ThreadPoolExecutor(len(ways)) as pool:
        for number, gives_way in enumerate(ways):
            pool.submit(wait, gives_way)
            eventually(lambda: queue.waiting, "it waits", until=partial(eq, number + 1))
        queue.release()
    return order


def test_who_gives_way_comes_behind_the_others() -> None:
    assert order_of_turns([True, True, False, False]) == [False, False, True, True]


def test_who_gives_way_is_not_left_waiting_for_ever() -> None:
    assert order_of_turns([True] + [False] * 10) == [False] * 8 + [True] + [False] * 2


def test_a_key_is_known_once_what_stands_in_the_way_has_gone(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'test # 1.db'}"
    made = make_database(url)
    owner, key = make_caller(made)
    made.close()
    database = Database(url)

    async def ask() -> Principal | None:
        blocking = sqlite3.connect(tmp_path / "test # 1.db", isolation_level=None)
        blocking.execute("PRAGMA locking_mode=EXCLUSIVE")
        blocking.execute("BEGIN EXCLUSIVE")
        asked = asyncio.create_task(owner_of(database, key))
        # It is refused on the spot now, and waits in a thread.
        await asyncio.sleep(0)
        blocking.close()
        return await asked

    assert asyncio.run(ask()) == owner
    # The same again, now with nothing in the way.
    assert asyncio.run(owner_of(database, key)) == owner
    database.close()
    assert not (tmp_path / "test # 1.db-wal").exists(), "the last connection has closed"
