"""Engines and sessions.

A session for reading has its own type, so that no read handler writes by accident.
"""

import math
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager, nullcontext
from typing import Any, Protocol, TypeVar

from anyio import CapacityLimiter, to_thread
from sqlalchemy import Connection, Engine, Select, text
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlmodel import create_engine

from footnote_shared.db.database_clock import ClockReader
from footnote_shared.db.group_commit import GroupCommit
from footnote_shared.db.new_rows import insert_rows
from footnote_shared.db.places import in_place
from footnote_shared.db.postgres import bound_statements
from footnote_shared.db.prompt_rows import PromptRows
from footnote_shared.db.sealed_rows import Sealer, SealingKey, SealingSession
from footnote_shared.db.sqlite import SqliteWriter, sqlite_reader
from footnote_shared.db.table_row import TableRow
from footnote_shared.kernel.errors import Contended, OurFault, Unavailable
from footnote_shared.settings.base import Settings

Answer = TypeVar("Answer")

HELD_S = 0.015
"""After this many seconds a transaction on SQLite takes on nothing more: nobody else can write meanwhile."""

PATIENT_S = 30.0
"""How many seconds a process that answers nobody, such as a worker, waits for a statement on PostgreSQL."""

_PAUSE_S = 0.1
"""Before the second try of a transaction that was in another one's way, in seconds."""

_IN_EACH_OTHERS_WAY = {"40001", "40P01"}
"""SQLSTATE of a serialisation failure and of a deadlock (PostgreSQL, appendix A)."""

_TOOK_TOO_LONG = "57014"
"""SQLSTATE of a statement that the server has cancelled at its limit."""


class _Turn(Protocol):
    def __call__(self, *, gives_way: bool) -> AbstractContextManager[None]: ...


class ReadSession(SealingSession):
    """A session that cannot write: a flush that would change something raises OurFault."""

    def flush(self, objects: Any = None) -> None:
        if self.new or self.dirty or self.deleted:
            raise OurFault("A read session was asked to write.")


class WriteSession(SealingSession):
    """The unit of work: one transaction, committed once, at the edge. Work to send waits for the commit."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine, expire_on_commit=False)
        self._after_commit: list[Callable[[], None]] = []
        self._last: dict[type[TableRow], list[TableRow]] = {}

    def insert_last(self, row: TableRow) -> None:
        """Insert the row at the end of the transaction, in one statement with those of its table.

        Until then no statement finds it. Within a savepoint it is added like any other.
        """
        if self.in_nested_transaction():
            self.add(row)
        else:
            self._last.setdefault(type(row), []).append(row)

    def commit(self) -> None:
        last, self._last = self._last, {}
        if last:
            # They may refer to what the session still has to write.
            self.flush()
        for rows in last.values():
            insert_rows(self.connection(), rows)
        super().commit()

    def after_commit(self, call: Callable[[], None]) -> None:
        """Run `call` once the transaction is durable. A rollback forgets it."""
        self._after_commit.append(call)

    def take_after_commit(self) -> list[Callable[[], None]]:
        """What waits for the commit. The caller runs it now, or forgets it."""
        calls, self._after_commit = self._after_commit, []
        return calls

    def run_after_commit(self) -> None:
        for call in self.take_after_commit():
            call()


class Database:
    """The SQL store of one process. It blocks; on the event loop one waits for a place and a thread works."""

    def __init__(
        self,
        url: str,
        *,
        pool: int = 10,
        sqlite_synchronous: str = "FULL",
        answer_s: float = PATIENT_S,
        background: bool = False,
    ) -> None:
        """`answer_s`: seconds for each statement on PostgreSQL. A connection is waited for half as long.

        `background`: on SQLite, other processes come first.
        """
        self.url = url
        self.sealer: Sealer | None = None
        """What encrypts and decrypts rows, if anything does."""
        self.held_s: float
        """For how many seconds a transaction may take on more work. No limit where others write beside it."""
        self.is_sqlite = url.startswith("sqlite")
        self.writing = CapacityLimiter(2 * pool)
        """Places for those on the event loop that write: as many as there are connections."""
        self.reading: CapacityLimiter
        """Places for those that read. On SQLite nobody who reads waits for somebody who writes."""
        self._turn: _Turn
        self._close_writer: Callable[[], None]
        self._prompt: PromptRows | None = None
        if self.is_sqlite:
            writer = SqliteWriter(url, pool, sqlite_synchronous, background=background)
            self._write_engine, self._turn = writer.engine, writer.turn
            self._close_writer = writer.close
            self._read_engine = sqlite_reader(url, pool, sqlite_synchronous)
            self._prompt = PromptRows(self._read_engine.url.database or "")
            self.reading = CapacityLimiter(2 * pool)
            self.held_s = HELD_S
        else:
            self._write_engine = create_engine(
                url,
                pool_size=pool,
                max_overflow=pool,
                pool_pre_ping=True,
                pool_timeout=answer_s / 2,
                # An error goes into the log, and what was to be written is people's text.
                hide_parameters=True,
            )
            self._turn = _no_queue
            self._close_writer = self._write_engine.dispose
            self.held_s = math.inf
            bound_statements(self._write_engine, answer_s)
            self._read_engine = self._write_engine.execution_options(postgresql_readonly=True)
            self.reading = self.writing
        self._group = GroupCommit(self.write, self.held_s)
        self._leading = CapacityLimiter(2 * pool)
        self._clock = ClockReader(self._read_engine)

    @classmethod
    def from_settings(
        cls, settings: Settings, *, answer_s: float = PATIENT_S, background: bool = False
    ) -> "Database":
        if settings.sql_url.startswith("sqlite"):
            settings.data.mkdir(parents=True, exist_ok=True)
        return cls(
            settings.sql_url,
            pool=settings.database_pool,
            sqlite_synchronous=settings.sqlite_synchronous,
            answer_s=answer_s,
            background=background,
        )

    @property
    def engine(self) -> Engine:
        """The engine that writes, for migrations."""
        return self._write_engine

    @property
    def seals(self) -> bool:
        """Whether content is encrypted at rest."""
        return self.sealer is not None and self.sealer.seals

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """A connection that writes, for migrations and copies of everything; the caller commits.

        What its statements do wrong is raised as it is. Raises Unavailable where the database is away.
        """
        with _translated():
            opened = self.engine.connect()
        with opened as connection:
            try:
                yield connection
            except DBAPIError as error:
                if error.connection_invalidated:
                    raise Unavailable("sql", "The database closed the connection.") from error
                raise

    @contextmanager
    def read(self) -> Iterator[ReadSession]:
        """A session over one snapshot, which is never committed."""
        with _translated():
            self._prepare()
            with ReadSession(self._read_engine) as session:
                session.sealer = self.sealer
                yield session

    @contextmanager
    def write(self, *, gives_way: bool = False) -> Iterator[WriteSession]:
        """One transaction: rolled back if the block raises, else committed. Then the waiting work is sent.

        `gives_way`: on SQLite, whoever else waits in this process comes first.
        """
        with _translated():
            self._prepare()
            with self._turn(gives_way=gives_way), WriteSession(self._write_engine) as session:
                session.sealer = self.sealer
                yield session
                session.commit()
        session.run_after_commit()

    def read_unit(self) -> AbstractAsyncContextManager[ReadSession]:
        """`read` for the event loop: the session is to be used in threads."""
        return in_place(self.reading, self.read())

    def write_unit(self) -> AbstractAsyncContextManager[WriteSession]:
        """`write` for the event loop: the session is to be used in threads."""
        return in_place(self.writing, self.write())

    async def read_async(self, work: Callable[[ReadSession], Answer]) -> Answer:
        """Run `work(session)` in a thread, within one read session."""

        def run() -> Answer:
            with self.read() as session:
                return work(session)

        return await to_thread.run_sync(run, limiter=self.reading)

    async def first_async(self, statement: Select[Any], given: Mapping[str, str]) -> Sequence[Any] | None:
        """The first row that a statement finds by a key, as of now: one that lives as long as the process.

        On SQLite it is read on the spot, with JSON as a text. Where that cannot be, and elsewhere, a thread
        reads it.
        """
        if self._prompt is not None:
            try:
                return self._prompt.first(statement, given)
            except sqlite3.Error:
                # A thread may wait for what stood in the way, and says what is wrong if that stays.
                self._prompt.close()

        def read(session: ReadSession) -> Sequence[Any] | None:
            return session.connection().execute(statement, given).first()

        return await self.read_async(read)

    def rows_at_once(
        self, statement: Select[Any], given: Mapping[str, str | Sequence[str] | Sequence[int]]
    ) -> list[Sequence[Any]] | None:
        """All rows of a statement that finds a few by their keys, read on the spot on SQLite.

        None elsewhere, and where that cannot be or takes too long: then a thread has to read them. See
        `PromptRows.all`.
        """
        if self._prompt is None:
            return None
        try:
            return self._prompt.all(statement, given)
        except sqlite3.Error:
            self._prompt.close()
            return None

    def write_once_more(self, work: Callable[[WriteSession], Answer], *, gives_way: bool = False) -> Answer:
        """Run `work(session)` as one transaction, and once more if another transaction stood in its way.

        PostgreSQL ends one of two transactions that wait for each other. Nothing of it is left, so `work` has
        to bear being called twice. Raises Contended if the second try ends like the first.
        """
        try:
            with self.write(gives_way=gives_way) as session:
                return work(session)
        except Contended:
            # The other one has to come through first: it only wakes up when we let go.
            time.sleep(_PAUSE_S)
            with self.write(gives_way=gives_way) as session:
                return work(session)

    def write_together(self, work: Callable[[WriteSession], Answer]) -> Answer:
        """Like `write_once_more`, for short work that many ask for at once.

        On SQLite those that wait share a transaction and its commit, and each of them fails by itself.
        """
        return self._group.run(work) if self.is_sqlite else self.write_once_more(work)

    async def write_async(self, work: Callable[[WriteSession], Answer]) -> Answer:
        """Run `work(session)` in a thread like `write_once_more`. It is committed before this returns."""
        return await to_thread.run_sync(self.write_once_more, work, limiter=self.writing)

    async def write_together_async(self, work: Callable[[WriteSession], Answer]) -> Answer:
        """Run `work(session)` like `write_together`, in a thread. It is committed before this returns.

        On SQLite none of those that wait holds a thread: however many come at once, they share a commit.
        """
        if not self.is_sqlite:
            return await self.write_async(work)
        return await self._group.run_async(work, self._lead)

    async def _lead(self, call: Callable[[], Answer]) -> Answer:
        return await to_thread.run_sync(call, limiter=self._leading)

    def sealing_key(self, workspace_id: str) -> SealingKey | None:
        """The key that seals content of the workspace; None where nothing is sealed. Not in a transaction."""
        if self.sealer is None or not self.seals:
            return None
        return self.sealer.committed_key(self, workspace_id)

    def ping(self) -> None:
        """Raise Unavailable unless the database answers."""
        with self.read() as session:
            session.execute(text("SELECT 1"))

    def _prepare(self) -> None:
        """What may take a while, such as asking for a key, is done before a transaction begins."""
        self._clock.read_when_due()
        if self.sealer is not None:
            self.sealer.prepare(self._read_engine, self._write_engine)

    def close(self) -> None:
        if self._prompt is not None:
            self._prompt.close()
        self._close_writer()
        if self.is_sqlite:
            self._read_engine.dispose()


def _no_queue(*, gives_way: bool) -> AbstractContextManager[None]:
    """On PostgreSQL nobody waits for a writer."""
    return nullcontext()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except IntegrityError:
        raise
    except PoolTimeout as error:
        raise Unavailable("sql", "All connections to the database are in use.") from error
    except OperationalError as error:
        state = getattr(error.orig, "sqlstate", None)
        if state in _IN_EACH_OTHERS_WAY:
            raise Contended("Another change of the same rows was in the way; nothing was changed.") from error
        if state == _TOOK_TOO_LONG:
            raise Unavailable("sql", "The database did not answer in time; nothing was changed.") from error
        raise Unavailable("sql", "The database does not answer.") from error
    except DBAPIError as error:
        if error.connection_invalidated:
            raise Unavailable("sql", "The database closed the connection.") from error
        raise


def lock_for_transaction(session: WriteSession, *names: str) -> None:
    """Hold a named lock until the transaction ends.

    On SQLite there is only one write transaction at a time anyway.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(
            text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": "/".join(names)}
        )
