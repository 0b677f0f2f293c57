"""What a database says of its tables is what stands there at that moment, also when it was asked before."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from footnote_shared.db.engine import Database
from footnote_shared.db.partitions import whole_tables


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(f"sqlite:///{tmp_path / 'test.db'}")
    yield opened
    opened.close()


def change(database: Database, statement: str) -> None:
    """By another engine than the one that is asked: nobody tells it."""
    with database.connected() as connection:
        connection.exec_driver_sql(statement)
        connection.commit()


def columns(database: Database) -> dict[str, list[str]]:
    with database.read() as session:
        found = whole_tables(session.connection()).tables
        return {name: list(table.columns.keys()) for name, table in found.items()}


def test_a_table_or_a_column_that_comes_or_goes_is_seen_at_once(database: Database) -> None:
    change(database, "CREATE TABLE notes (said TEXT)")
    assert columns(database) == {"notes": ["said"]}
    change(database, "ALTER TABLE notes ADD COLUMN heard TEXT")
    assert columns(database) == {"notes": ["said", "heard"]}
    change(database, "CREATE TABLE others (id TEXT)")
    assert columns(database) == {"notes": ["said", "heard"], "others": ["id"]}
    change(database, "DROP TABLE notes")
    assert columns(database) == {"others": ["id"]}


def test_what_was_told_is_kept_until_the_schema_changes(database: Database) -> None:
    change(database, "CREATE TABLE notes (said TEXT)")
    with database.read() as session:
        first = whole_tables(session.connection())
    change(database, "INSERT INTO notes VALUES ('hello')")
    with database.read() as session:
        assert whole_tables(session.connection()) is first
