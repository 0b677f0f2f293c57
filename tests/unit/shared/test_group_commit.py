"""Work that waits for SQLite's one writer shares a transaction, and each of it fails by itself."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import event, text

from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.db.group_commit import GroupCommit
from footnote_shared.kernel.errors import Conflict, Unavailable
from footnote_testing.eventually import LIMIT_S, eventually

TRACE: ContextVar[str] = ContextVar("TRACE")


@dataclass
class Notebook:
    """A table of notes, and how many transactions were committed."""

    database: Database
    pool: ThreadPoolExecutor
    group: GroupCommit[WriteSession]
    commits: list[int] = field(default_factory=list)

    def add(self, said: str, *, then: Callable[[], None] = lambda: None) -> Future[str]:
        """Ask for a note in a thread of its own. `then` is called within its transaction."""

        def work(session: WriteSession) -> str:
            session.connection().execute(text("INSERT INTO notes VALUES (:said)"), {"said": said})
            then()
            return said

        return self.pool.submit(self.group.run, work)

    def waiting(self, count: int) -> None:
        """Wait until so many threads have left their work."""
        eventually(lambda: self.group.waiting, "they wait", until=lambda found: found == count)

    @property
    def notes(self) -> list[str]:
        with self.database.read() as session:
            return list(session.connection().execute(text("SELECT said FROM notes")).scalars())


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[Notebook]:
    database = Database(f"sqlite:///{tmp_path / 'test.db'}", sqlite_synchronous="OFF")
    with database.write() as session:
        session.connection().execute(text("CREATE TABLE notes (said UNIQUE)"))
    with ThreadPoolExecutor(16) as pool:
        made = Notebook(database, pool, GroupCommit(database.write, LIMIT_S))
        event.listen(database.engine, "commit", lambda _: made.commits.append(1))
        yield made
    database.close()


@contextmanager
def busy(notebook: Notebook) -> Iterator[None]:
    """The first in a group is at work during the block, so that whoever comes has to wait."""
    begun, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        go_on.wait(LIMIT_S)

    first = notebook.add("first", then=wait)
    begun.wait(LIMIT_S)
    try:
        yield
    finally:
        go_on.set()
        first.result(LIMIT_S)


def refuse() -> None:
    raise Conflict("This one is refused.")


def break_down() -> None:
    raise ZeroDivisionError


def test_what_waits_is_committed_together(notebook: Notebook) -> None:
    with busy(notebook):
        waiting = [notebook.add(f"note {n}") for n in range(5)]
        notebook.waiting(5)
    assert [each.result(LIMIT_S) for each in waiting] == [f"note {n}" for n in range(5)]
    assert sorted(notebook.notes) == ["first", *(f"note {n}" for n in range(5))]
    assert len(notebook.commits) == 1


def test_no_transaction_takes_on_more_than_its_time_allows(notebook: Notebook) -> None:
    notebook.group = GroupCommit(notebook.database.write, held_s=0.0)
    with busy(notebook):
        waiting = [notebook.add(f"note {n}") for n in range(3)]
        notebook.waiting(3)
    for each in waiting:
        each.result(LIMIT_S)
    assert len(notebook.commits) == 4


@pytest.mark.parametrize(("poison", "error"), [(refuse, Conflict), (break_down, ZeroDivisionError)])
def test_one_that_fails_fails_alone(
    notebook: Notebook, poison: Callable[[], None], error: type[Exception]
) -> None:
    with busy(notebook):
        before = notebook.add("before")
        notebook.waiting(1)
        failing = notebook.add("poison", then=poison)
        notebook.waiting(2)
        after = notebook.add("after")
        notebook.waiting(3)
    assert (before.result(LIMIT_S), after.result(LIMIT_S)) == ("before", "after")
    with pytest.raises(error):
        failing.result(LIMIT_S)
    assert sorted(notebook.notes) == ["after", "before", "first"]


def test_what_the_database_refuses_fails_alone(notebook: Notebook) -> None:
    with busy(notebook):
        twins = [notebook.add("twin") for _ in range(2)]
        other = notebook.add("other")
        notebook.waiting(3)
    assert other.result(LIMIT_S) == "other"
    assert len([each for each in twins if each.exception(LIMIT_S) is None]) == 1
    assert sorted(notebook.notes) == ["first", "other", "twin"]


def test_a_database_that_nobody_may_write_to_is_told_to_all_that_wait(notebook: Notebook) -> None:
    asked: list[int] = []

    @contextmanager
    def away() -> Iterator[WriteSession]:
        asked.append(1)
        if len(asked) == 1:
            notebook.waiting(3)
            raise Unavailable("sql", "The database does not answer.")
        with notebook.database.write() as session:
            yield session

    notebook.group = GroupCommit(away, LIMIT_S)
    waiting = [notebook.add(f"note {n}") for n in range(4)]
    for each in waiting:
        with pytest.raises(Unavailable):
            each.result(LIMIT_S)
    assert len(asked) == 1
    assert notebook.add("later").result(LIMIT_S) == "later"


def test_what_waits_for_the_commit_belongs_to_its_own_request(notebook: Notebook) -> None:
    sent: list[tuple[str, str]] = []

    def asked(trace: str, poison: Callable[[], None] | None = None) -> None:
        TRACE.set(trace)

        def work(session: WriteSession) -> None:
            within = TRACE.get()
            session.after_commit(lambda: sent.append((within, TRACE.get())))
            if poison is not None:
                poison()

        notebook.group.run(work)

    with busy(notebook):
        good = [notebook.pool.submit(asked, name) for name in ("one", "two")]
        bad = notebook.pool.submit(asked, "three", refuse)
        notebook.waiting(3)
        assert sent == []
    for each in good:
        each.result(LIMIT_S)
    with pytest.raises(Conflict):
        bad.result(LIMIT_S)
    assert sorted(sent) == [("one", "one"), ("two", "two")]


async def test_those_on_the_event_loop_wait_without_a_thread_and_are_committed_together(
    notebook: Notebook,
) -> None:
    begun, go_on, threads = threading.Event(), threading.Event(), []

    async def in_thread(call: Callable[[], str]) -> str:
        threads.append(1)
        return await asyncio.to_thread(call)

    def asked(said: str, then: Callable[[], object] = lambda: None) -> asyncio.Task[str]:
        def work(session: WriteSession) -> str:
            session.connection().execute(text("INSERT INTO notes VALUES (:said)"), {"said": said})
            then()
            return said

        return asyncio.create_task(notebook.group.run_async(work, in_thread))

    def hold() -> None:
        begun.set()
        go_on.wait(LIMIT_S)

    first = asked("first", hold)
    await asyncio.to_thread(begun.wait, LIMIT_S)
    waiting = [asked(f"note {n}") for n in range(12)]
    await asyncio.sleep(0)
    waiting.pop(3).cancel()
    await asyncio.sleep(0)
    go_on.set()
    async with asyncio.timeout(LIMIT_S):
        said = await asyncio.gather(first, *waiting)
    assert said == ["first", *(f"note {n}" for n in range(12) if n != 3)]
    assert sorted(notebook.notes) == sorted(said)
    assert (len(notebook.commits), len(threads)) == (1, 1)


async def test_whoever_was_to_lead_and_goes_away_leaves_it_to_the_next(notebook: Notebook) -> None:
    notebook.group = GroupCommit(notebook.database.write, held_s=0.0)

    def work(session: WriteSession) -> str:
        session.connection().execute(text("INSERT INTO notes VALUES ('written')"))
        return "written"

    with busy(notebook):
        asked = [
            asyncio.create_task(notebook.group.run_async(work, lambda call: asyncio.to_thread(call)))
            for _ in range(2)
        ]
        await asyncio.sleep(0)
    # The first of them is told to lead in the moment in which it is cancelled.
    asked[0].cancel()
    async with asyncio.timeout(LIMIT_S):
        assert await asked[1] == "written"
    assert sorted(notebook.notes) == ["first", "written"]


async def test_one_that_is_refused_and_has_nobody_beside_it_is_tried_once(notebook: Notebook) -> None:
    tries: list[int] = []

    def work(session: WriteSession) -> None:
        tries.append(1)
        refuse()

    with pytest.raises(Conflict):
        await notebook.group.run_async(work, lambda call: asyncio.to_thread(call))
    assert tries == [1]
