"""Sessions, API keys and migrations, on SQLite and on PostgreSQL."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import inspect, text
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select

from footnote_cli.migrations import downgrade, missing_revisions, upgrade
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.db.postgres import lift_limits
from footnote_shared.db.tables import AvatarRow, WorkspaceRow
from footnote_shared.kernel.errors import Contended, Misconfigured, OurFault, Unavailable
from footnote_shared.kernel.ids import new_id
from footnote_shared.security.api_keys import list_keys, make_key, owner_of, principal_of, revoke_key
from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.workspace import make_caller


def test_work_waits_for_the_commit_and_is_forgotten_on_rollback(database: Database) -> None:
    sent: list[str] = []
    with database.write() as session:
        session.add(WorkspaceRow(name="kept"))
        session.after_commit(lambda: sent.append("kept"))
        assert sent == []
    with pytest.raises(ZeroDivisionError), database.write() as session:
        session.add(WorkspaceRow(name="lost"))
        session.after_commit(lambda: sent.append("lost"))
        raise ZeroDivisionError
    assert sent == ["kept"]
    with database.read() as session:
        assert [row.name for row in session.exec(select(WorkspaceRow))] == ["kept"]


def test_rows_for_the_end_come_behind_the_others_and_go_with_a_savepoint(database: Database) -> None:
    workspace = WorkspaceRow(name="first")
    with database.write() as session:
        session.insert_last(AvatarRow(workspace_id=workspace.id, name="last"))
        session.add(workspace)
        with pytest.raises(ZeroDivisionError), session.begin_nested():
            session.insert_last(AvatarRow(workspace_id=workspace.id, name="undone"))
            raise ZeroDivisionError
        with session.begin_nested():
            session.insert_last(AvatarRow(workspace_id=workspace.id, name="within"))
    with pytest.raises(ZeroDivisionError), database.write() as session:
        session.insert_last(AvatarRow(workspace_id=workspace.id, name="lost"))
        raise ZeroDivisionError
    with database.read() as session:
        assert {row.name for row in session.exec(select(AvatarRow))} == {"last", "within"}


def test_a_read_session_refuses_to_write(database: Database) -> None:
    with pytest.raises(OurFault), database.read() as session:
        session.add(WorkspaceRow(name="sneaky"))
        session.flush()


def test_times_come_back_in_utc(database: Database) -> None:
    row = WorkspaceRow(name="w")
    with database.write() as session:
        session.add(row)
    with database.read() as session:
        stored = session.get(WorkspaceRow, row.id)
        assert stored is not None
        assert stored.created_at == row.created_at
        assert stored.created_at.utcoffset() == timedelta(0)


def test_a_row_of_nobody_is_refused(database: Database) -> None:
    with pytest.raises(IntegrityError), database.write() as session:
        session.add(AvatarRow(workspace_id=new_id(), name="stray"))


def test_an_error_tells_nothing_of_what_was_to_be_written(database: Database) -> None:
    """It goes into the log, and a row may hold what people wrote or asked."""
    with database.write() as session:
        session.add(WorkspaceRow(id="1", name="first"))
    with pytest.raises(IntegrityError) as refused, database.write() as session:
        session.add(WorkspaceRow(id="1", name="zanzibar"))
    assert "zanzibar" not in str(refused.value)


class TestAtOnce:
    """What several threads of one process may do at the same time."""

    def test_twenty_read(self, database: Database) -> None:
        together = threading.Barrier(20)

        def read(_: int) -> int:
            with database.read() as session:
                found = len(session.exec(select(WorkspaceRow)).all())
                together.wait(LIMIT_S)
                return found

        with ThreadPoolExecutor(20) as pool:
            assert list(pool.map(read, range(20))) == [0] * 20

    def test_a_writer_does_not_wait_for_a_reader(self, database: Database) -> None:
        def write() -> None:
            with database.write() as session:
                session.add(WorkspaceRow(name="new"))

        with database.read() as session, ThreadPoolExecutor(1) as pool:
            assert session.exec(select(WorkspaceRow)).all() == []
            pool.submit(write).result(timeout=LIMIT_S)

    def test_a_writer_waits_for_another(self, database: Database) -> None:
        """How long is said by `test_sqlite.py`."""
        holds, asks = threading.Event(), threading.Event()

        def write_slowly() -> None:
            with database.write() as session:
                session.add(WorkspaceRow(name="slow"))
                session.flush()
                holds.set()
                asks.wait(LIMIT_S)

        def write_patiently() -> None:
            holds.wait(LIMIT_S)
            asks.set()
            with database.write() as session:
                session.add(WorkspaceRow(name="patient"))

        with ThreadPoolExecutor(2) as pool:
            writing = [pool.submit(work) for work in (write_slowly, write_patiently)]
            for one in writing:
                one.result(LIMIT_S)
        with database.read() as reading:
            assert {row.name for row in reading.exec(select(WorkspaceRow))} == {"slow", "patient"}


def test_a_revoked_key_is_useless_at_once(database: Database) -> None:
    principal, key = make_caller(database)
    with database.read() as session:
        assert principal_of(session, key) == principal
        (row,) = list_keys(session)
    assert asyncio.run(owner_of(database, key)) == principal
    with database.write() as session:
        revoke_key(session, row.id)
        session.flush()
        assert asyncio.run(owner_of(database, key)) == principal, "it is not committed"
    with database.read() as session:
        assert principal_of(session, key) is None
    assert asyncio.run(owner_of(database, key)) is None


def test_a_request_has_the_groups_and_scopes_of_its_key(database: Database) -> None:
    principal, _ = make_caller(database)
    with database.write() as session:
        key = make_key(session, principal, "k", ["read", "write"], ["b", "a é"])
    with database.read() as session:
        owner = principal_of(session, key)
    assert asyncio.run(owner_of(database, key)) == owner
    assert owner is not None
    assert sorted(owner.scopes) == ["read", "write"]
    assert owner.groups == ("a é", "b")
    assert asyncio.run(owner_of(database, f"{key}x")) is None


def test_migrations_go_forward_and_back(own_database: Database) -> None:
    assert missing_revisions(own_database) == set()
    downgrade(own_database)
    assert set(inspect(own_database.engine).get_table_names()) <= {"alembic_version"}
    assert missing_revisions(own_database) != set()
    upgrade(own_database)
    assert missing_revisions(own_database) == set()
    make_caller(own_database)


def test_a_database_of_a_newer_release_is_left_alone_and_says_so(own_database: Database) -> None:
    with own_database.engine.begin() as connection:
        connection.execute(text("INSERT INTO alembic_version VALUES ('ingest_9999')"))
    for look in (upgrade, missing_revisions):
        with pytest.raises(Misconfigured, match=r"newer Footnote \(it has ingest_9999\).* --down"):
            look(own_database)


class TestOnPostgreSQL:
    """What only a server does: it ends slow statements, and one of two transactions in a deadlock."""

    def test_of_two_that_wait_for_each_other_one_is_called_again(self, postgres_url: str) -> None:
        database = Database(postgres_url)
        with database.write() as session:
            rows = [WorkspaceRow(name="a"), WorkspaceRow(name="b")]
            session.add_all(rows)
        both_hold_one = threading.Barrier(2)
        calls: list[str] = []

        def rename(first: str, second: str, name: str) -> None:
            def work(session: WriteSession) -> None:
                calls.append(name)
                session.execute(_RENAME, {"id": first, "name": name})
                if calls.count(name) == 1:
                    both_hold_one.wait(LIMIT_S)
                session.execute(_RENAME, {"id": second, "name": name})

            database.write_once_more(work)

        ids = rows[0].id, rows[1].id
        with ThreadPoolExecutor(2) as pool:
            one = pool.submit(rename, ids[0], ids[1], "one")
            other = pool.submit(rename, ids[1], ids[0], "other")
            one.result(LIMIT_S)
            other.result(LIMIT_S)
        assert len(calls) == 3
        with database.read() as reading:
            found = reading.exec(select(WorkspaceRow.name).where(col(WorkspaceRow.id).in_(ids))).all()
        assert set(found) == {calls[-1]}
        database.close()

    def test_one_that_always_loses_is_told_what_happened(self, postgres_url: str) -> None:
        database = Database(postgres_url)

        def work(session: WriteSession) -> None:
            session.execute(text("DO $$ BEGIN RAISE deadlock_detected; END $$"))

        with pytest.raises(Contended) as caught:
            database.write_once_more(work)
        assert caught.value.retry_after is not None
        database.close()

    def test_a_slow_statement_ends_and_the_connection_is_used_again(self, postgres_url: str) -> None:
        database = Database(postgres_url, pool=1, answer_s=1.0)
        with pytest.raises(Unavailable), database.write() as session:
            session.execute(text("SELECT pg_sleep(600)"))

        def answers() -> bool:
            database.ping()
            return True

        # A busy machine may let even this take longer than a second. The pool has no other connection.
        eventually(answers, "the connection is used again")
        database.close()

    def test_a_migration_takes_the_time_that_it_needs(self, postgres_url: str) -> None:
        database = Database(postgres_url, answer_s=1.0)
        with database.engine.connect() as connection:
            lift_limits(connection)
            assert connection.execute(text("SELECT 1 FROM pg_sleep(2.5)")).scalar_one() == 1
        with pytest.raises(Unavailable), database.read() as reading:
            reading.execute(text("SELECT pg_sleep(600)"))
        database.close()


_RENAME = text("UPDATE workspaces SET name = :name WHERE id = :id")
