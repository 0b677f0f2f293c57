"""SQLite, the store of an embedded run: every process of it writes to one file, one transaction at a time.

SQLite's own wait for the write lock looks again after 1, 2, 5 ms and so on up to every 100 ms. Where workers
write without a pause it misses their short gaps, and an upload waited for most of a second. Here a thread
that wants the lock queues behind the other threads of its process, first come, first served, and the first of
them looks every other millisecond. Of the processes that work in the background one writes at a time, and it
leaves a gap before each transaction. So an upload waits for one transaction of theirs, however many workers
there are.
"""

import fcntl
import sqlite3
import threading
import time
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import OperationalError
from sqlmodel import create_engine

from footnote_shared.kernel.errors import Unavailable

LOCK_S = 30.0
"""How many seconds a transaction waits for the ones before it."""

_READER_MS = 30_000
_LOOK_MS = 3
"""SQLite looks twice within this many milliseconds."""

_GAP_S = 0.002
"""A process in the background waits so long behind a transaction: two looks of the others."""

_MOST_IN_A_ROW = 8
"""This many turns pass at most before one that gives way."""

_TOO_LONG = "The database does not answer: other changes take too long."

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


class WriterQueue:
    """Threads that wait for the one place of a writer. Whoever came first is next.

    Threads that give way come behind the others, but at least one in a few turns is theirs.
    A plain lock goes to whichever thread runs when it is let go, which is often the one that had it.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken = False
        self._waiting: deque[threading.Event] = deque()
        self._giving_way: deque[threading.Event] = deque()
        self._in_a_row = 0

    def acquire(self, timeout_s: float, *, gives_way: bool = False) -> bool:
        """Wait for the place. Returns False if it was not given within this many seconds."""
        waiting = self._giving_way if gives_way else self._waiting
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            given = threading.Event()
            waiting.append(given)
        if given.wait(timeout_s):
            return True
        with self._guard:
            if given.is_set():
                return True
            waiting.remove(given)
            return False

    def release(self) -> None:
        """Give the place to the next one."""
        with self._guard:
            if self._giving_way and (not self._waiting or self._in_a_row >= _MOST_IN_A_ROW):
                self._in_a_row = 0
                self._giving_way.popleft().set()
            elif self._waiting:
                self._in_a_row += 1
                self._waiting.popleft().set()
            else:
                self._taken = False

    @property
    def waiting(self) -> int:
        """How many wait at this moment."""
        return len(self._waiting) + len(self._giving_way)


class _BackgroundPlace:
    """The one place of the processes in the background: a lock on a file beside the database.

    The system frees the place of a process that was killed.
    """

    def __init__(self, database: str) -> None:
        self._path = Path(f"{database}-background")
        self._file: IO[str] | None = None

    def take(self, patience_s: float) -> bool:
        """Wait for the place; return whether another process had it. Raises Unavailable after the limit."""
        if self._file is None:
            self._file = self._path.open("a")
        until, waited = time.monotonic() + patience_s, False
        while True:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                waited = True
            else:
                return waited
            if time.monotonic() > until:
                raise Unavailable("sql", _TOO_LONG)
            time.sleep(_GAP_S)

    def leave(self) -> None:
        if self._file is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


_queues: dict[str, WriterQueue] = defaultdict(WriterQueue)
"""One for each file: a process may hold several engines for it."""


def sqlite_reader(url: str, pool: int, synchronous: str) -> Engine:
    """An engine whose transactions see one snapshot."""
    engine = _engine(url, pool, synchronous, _READER_MS)

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


class SqliteWriter:
    """An engine whose transactions hold the write lock from their start, and the queue before it.

    Two readers that both became writers would end in an error that no waiting cures.
    """

    def __init__(
        self, url: str, pool: int, synchronous: str, *, background: bool, patience_s: float = LOCK_S
    ) -> None:
        self.engine = _engine(url, pool, synchronous, _LOOK_MS)
        self._queue = _queues[url]
        self._place = _BackgroundPlace(self.engine.url.database or "") if background else None
        self._patience_s = patience_s
        self._free_at = 0.0
        event.listen(self.engine, "begin", self._begin)

    @contextmanager
    def turn(self, *, gives_way: bool = False) -> Iterator[None]:
        """The one writer of this process during the block. Raises Unavailable after the limit of time."""
        if not self._queue.acquire(self._patience_s, gives_way=gives_way):
            raise Unavailable("sql", _TOO_LONG)
        try:
            if self._place is None:
                yield
            else:
                yield from self._turn_in_background(self._place)
        finally:
            self._queue.release()

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()
        if self._place is not None:
            self._place.close()

    def _turn_in_background(self, place: _BackgroundPlace) -> Iterator[None]:
        if place.take(self._patience_s):
            self._free_at = time.monotonic() + _GAP_S
        try:
            time.sleep(max(0.0, self._free_at - time.monotonic()))
            yield
        finally:
            self._free_at = time.monotonic() + _GAP_S
            place.leave()

    def _begin(self, connection: Connection) -> None:
        raw: Any = connection.connection.driver_connection
        until = time.monotonic() + self._patience_s
        while True:
            try:
                raw.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF not in _BUSY or time.monotonic() > until:
                    raise OperationalError("BEGIN IMMEDIATE", None, error) from error


def _engine(url: str, pool: int, synchronous: str, busy_ms: int) -> Engine:
    engine = create_engine(
        url,
        pool_size=pool,
        max_overflow=pool,
        connect_args={"check_same_thread": False},
        # An error goes into the log, and what was to be written is people's text.
        hide_parameters=True,
    )

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, record: object) -> None:
        # The driver must not begin transactions by itself.
        connection.isolation_level = None
        for pragma in (
            f"busy_timeout={_READER_MS}",
            "journal_mode=WAL",
            f"synchronous={synchronous}",
            "foreign_keys=ON",
            "cache_size=-20000",
            "temp_store=MEMORY",
            f"busy_timeout={busy_ms}",
        ):
            connection.execute(f"PRAGMA {pragma}")
        connection.create_function("translate", 3, _translate, deterministic=True)

    return engine


def _translate(text: str | None, letters: str, others: str) -> str | None:
    """The text with each letter replaced by the other one at its place, as `translate` of PostgreSQL does.

    One letter after the other, which takes a fiftieth of the time of a table of all: none of the others may
    be among the letters.
    """
    if text is not None:
        for letter, other in zip(letters, others, strict=True):
            text = text.replace(letter, other)
    return text
