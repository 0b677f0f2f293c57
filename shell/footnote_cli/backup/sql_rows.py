"""The rows of all tables as lines of JSON, the same from SQLite and from PostgreSQL, out and in again."""

import base64
import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Connection, Table, text
from sqlalchemy.types import JSON, Boolean, DateTime, LargeBinary

from footnote_cli.backup.manifest import BackedUpTable, sha256_of
from footnote_shared.db.engine import Database
from footnote_shared.db.partitions import whole_tables
from footnote_shared.db.postgres import lift_limits
from footnote_shared.kernel.clock import UTC
from footnote_shared.kernel.errors import Misconfigured

_AT_ONCE = 500
_VERSIONS = "alembic_version"
_SQLITE_MOMENT = "%Y-%m-%d %H:%M:%S.%f"


def dump(database: Database, folder: Path) -> list[BackedUpTable]:
    """Write every row of one moment below the folder, a file for each table. Others go on writing."""
    folder.mkdir(mode=0o700)
    with _snapshot(database) as connection:
        return [_dump_table(connection, table, folder) for table in tables_of(connection)]


@contextmanager
def _snapshot(database: Database) -> Iterator[Connection]:
    """A connection that shows the moment of its first statement for as long as it takes, and locks nobody."""
    many = {"stream_results": True, "yield_per": _AT_ONCE}
    if database.is_sqlite:
        with database.read() as session:
            yield session.connection().execution_options(**many)
        return
    with database.connected() as opened:
        connection = opened.execution_options(isolation_level="REPEATABLE READ", **many)
        lift_limits(connection)
        yield connection


def load(connection: Connection, folder: Path, listed: list[BackedUpTable]) -> None:
    """Insert the rows of a backup into the empty tables of the same schema. The caller commits.

    Raises Misconfigured where the rows are not those that the manifest counts.
    """
    known = {table.name: table for table in tables_of(connection)}
    by_name = {one.name: one for one in listed}
    if set(known) != set(by_name):
        raise Misconfigured("The tables of the backup are not those of its schema.")
    for name, table in known.items():
        rows = _load_table(connection, table, file_of(folder, by_name[name]))
        if rows != by_name[name].rows:
            raise Misconfigured(f"The backup has {rows} rows of {name}, and says {by_name[name].rows}.")


def file_of(folder: Path, table: BackedUpTable) -> Path:
    """The rows of a table. Raises Misconfigured for a name that leads elsewhere than into the folder."""
    if table.file != f"{table.name}.jsonl.gz" or Path(table.file).name != table.file:
        raise Misconfigured(f"The backup names a file that no backup has for {table.name}.")
    return folder / table.file


def has_rows(connection: Connection) -> bool:
    """Whether any table holds a row."""
    return any(
        connection.execute(text(f"SELECT 1 FROM {_quoted(connection, table.name)} LIMIT 1")).first()
        for table in tables_of(connection)
    )


def remove_rows(connection: Connection) -> None:
    """Empty all tables. The caller commits."""
    for table in reversed(tables_of(connection)):
        connection.execute(text(f"DELETE FROM {_quoted(connection, table.name)}"))


def tables_of(connection: Connection) -> list[Table]:
    """The tables as they are in the database, each behind those that it refers to."""
    return [table for table in whole_tables(connection).sorted_tables if table.name != _VERSIONS]


def _dump_table(connection: Connection, table: Table, folder: Path) -> BackedUpTable:
    file = folder / f"{table.name}.jsonl.gz"
    columns = list(table.columns)
    asked = ", ".join(
        # JSON goes as the text that stands there, so that no number or null becomes another one.
        f"CAST({name} AS TEXT)" if isinstance(column.type, JSON) else name
        for column, name in ((one, _quoted(connection, one.name)) for one in columns)
    )
    rows = 0
    writers = [_writer(column) for column in columns]
    with gzip.open(file, "wt", compresslevel=6) as out:
        out.write(json.dumps([column.name for column in columns]) + "\n")
        for row in connection.execute(text(f"SELECT {asked} FROM {_quoted(connection, table.name)}")):
            line = [
                None if value is None else write(value) for write, value in zip(writers, row, strict=True)
            ]
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
            rows += 1
    return BackedUpTable(name=table.name, file=file.name, sha256=sha256_of(file), rows=rows)


def _load_table(connection: Connection, table: Table, file: Path) -> int:
    is_sqlite = connection.dialect.name == "sqlite"
    count = 0
    own = [fk.parent.name for fk in table.foreign_keys if fk.column.table is table]
    parents: list[dict[str, Any]] = []
    with gzip.open(file, "rt") as lines:
        names = json.loads(next(lines))
        if set(names) - {column.name for column in table.columns}:
            raise Misconfigured(f"The backup has columns of {table.name} that its schema lacks.")
        readers = [_reader(table.columns[name], is_sqlite=is_sqlite) for name in names]
        places = ", ".join(f":c{number}" for number in range(len(names)))
        listed = ", ".join(_quoted(connection, name) for name in names)
        insert = text(f"INSERT INTO {_quoted(connection, table.name)} ({listed}) VALUES ({places})")
        for batch in _batches(lines):
            rows = []
            for values in batch:
                row = dict(zip(names, values, strict=True))
                # A row may refer to one of its own table that comes later: that is set when all are there.
                parents += [
                    {"id": row["id"], "to": row[one], "by": one} for one in own if row[one] is not None
                ]
                row |= dict.fromkeys(own)
                read = zip(readers, row.values(), strict=True)
                rows.append({f"c{n}": None if v is None else r(v) for n, (r, v) in enumerate(read)})
            connection.execute(insert, rows)
            count += len(rows)
    for one in own:
        update = text(
            f"UPDATE {_quoted(connection, table.name)} SET {_quoted(connection, one)} = :to WHERE id = :id"
        )
        found = [{"id": parent["id"], "to": parent["to"]} for parent in parents if parent["by"] == one]
        if found:
            connection.execute(update, found)
    return count


def _batches(lines: Iterator[str]) -> Iterator[list[list[Any]]]:
    batch: list[list[Any]] = []
    for line in lines:
        batch.append(json.loads(line))
        if len(batch) == _AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


def _writer(column: Column[Any]) -> Callable[[Any], Any]:
    if isinstance(column.type, DateTime):
        return _said_moment
    if isinstance(column.type, Boolean):
        return bool
    if isinstance(column.type, LargeBinary):
        return lambda value: base64.b64encode(value).decode()
    return lambda value: value


def _reader(column: Column[Any], *, is_sqlite: bool) -> Callable[[Any], Any]:
    if isinstance(column.type, DateTime):
        return _sqlite_moment if is_sqlite else datetime.fromisoformat
    if isinstance(column.type, LargeBinary):
        return base64.b64decode
    return lambda value: value


def _said_moment(value: datetime | str) -> str:
    """RFC 3339 in UTC. SQLite keeps moments as texts without a zone."""
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).isoformat()


def _sqlite_moment(value: str) -> str:
    return datetime.fromisoformat(value).astimezone(UTC).strftime(_SQLITE_MOMENT)


def _quoted(connection: Connection, name: str) -> str:
    return connection.dialect.identifier_preparer.quote(name)
