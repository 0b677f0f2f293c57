"""SQLite, the store of an embedded run: every process of it writes to one file, one transaction at a time.

SQLite's own wait for the write lock looks again after 1, 2, 5 ms and so on up to every 100 ms. Where workers
write without a pause it misses their short gaps, and an upload waited for most of a second. Here a thread
that wants the lock queues behind the other threads of its process, the first of them looks every other
millisecond, and a process that works in the background leaves a gap behind each of its transactions.
"""

import sqlite3
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import OperationalError
from sqlmodel import create_engine

from footnote_shared.kernel.errors import Unavailable

LOCK_S = 30.0
"""How many seconds a transaction waits for the ones before it."""

_READER_MS = 30_000
_LOOK_MS = 3
"""SQLite looks twice within so many milliseconds."""

_GAP_S = 0.002
"""A process in the background waits so long behind a transaction: two looks of the others."""

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_queues: dict[str, threading.Lock] = defaultdict(threading.Lock)
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
        self._gap_s = _GAP_S if background else 0.0
        self._patience_s = patience_s
        self._free_at = 0.0
        event.listen(self.engine, "begin", self._begin)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """The one writer of this process during the block. Raises Unavailable after the limit of time."""
        if not self._queue.acquire(timeout=self._patience_s):
            raise Unavailable("sql", "The database does not answer: other changes take too long.")
        try:
            time.sleep(max(0.0, self._free_at - time.monotonic()))
            yield
        finally:
            self._free_at = time.monotonic() + self._gap_s
            self._queue.release()

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
    engine = create_engine(url, pool_size=pool, max_overflow=pool, connect_args={"check_same_thread": False})

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

    return engine
