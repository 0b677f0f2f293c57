"""The migrations of all services.

Each service owns a branch; the entry points `footnote.migrations` name them.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from footnote_shared.db.engine import Database
from footnote_shared.db.partitions import divide
from footnote_shared.db.postgres import lift_limits
from footnote_shared.kernel.errors import Misconfigured

_LOCK = 0x466F6F74
_ENVIRONMENT = Path(__file__).parent / "migration_env"


def alembic_config(database: Database) -> Config:
    """Alembic over the version folders of every installed service."""
    config = Config()
    config.set_main_option("script_location", str(_ENVIRONMENT))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", "\n".join(map(str, _version_folders())))
    config.attributes["database"] = database
    return config


def _version_folders() -> list[Path]:
    points = sorted(entry_points(group="footnote.migrations"), key=lambda point: point.name)
    return [Path(str(import_module(point.value).__file__)).parent / "versions" for point in points]


def migration_files() -> list[Path]:
    """The files of all migrations, and what runs them."""
    found = [file for folder in _version_folders() for file in sorted(folder.glob("*.py"))]
    return [*found, _ENVIRONMENT / "env.py", Path(__file__)]


def upgrade(database: Database, target: str = "heads") -> None:
    """Bring every branch to its head.

    Several processes may call it at once: one of them migrates, and the others wait and find it done.
    Raises Misconfigured for a database that a newer Footnote has changed.
    """
    config = alembic_config(database)
    _refuse_newer(stamped_revisions(database), ScriptDirectory.from_config(config))
    with _alone(database) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, target)
        connection.commit()


@contextmanager
def _alone(database: Database) -> Iterator[Connection]:
    """A connection that one process at a time has. The others wait, on SQLite by its own lock."""
    with database.connected() as connection:
        if database.is_sqlite:
            yield connection
            return
        # To wait for another process that migrates, or to rewrite a large table, may take minutes.
        lift_limits(connection)
        connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _LOCK})
        connection.commit()
        try:
            yield connection
        finally:
            connection.rollback()
            connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _LOCK})
            connection.commit()


def divide_chunks(database: Database, parts: int) -> bool:
    """Divide the table of chunks of a PostgreSQL that is up to date; whether that was still to be done.

    Its rows are copied, and meanwhile nobody reads or writes them. A table that is divided stays as it is.
    """
    with _alone(database) as connection:
        divided = divide(connection, "chunks", "document_id", parts)
        connection.commit()
    return divided


def downgrade(database: Database, target: str = "base") -> None:
    """Take branches back, for an operator who rolls a release back, and for tests."""
    config = alembic_config(database)
    with database.connected() as connection:
        if not database.is_sqlite:
            lift_limits(connection)
        config.attributes["connection"] = connection
        command.downgrade(config, target)
        connection.commit()


def missing_revisions(database: Database) -> set[str]:
    """Head revisions that the database does not have yet; empty when it is up to date.

    Raises Misconfigured for a database that a newer Footnote has changed.
    """
    scripts = ScriptDirectory.from_config(alembic_config(database))
    stamped = stamped_revisions(database)
    _refuse_newer(stamped, scripts)
    # Alembic does not list a branch on which another one depends, so what a revision implies counts too.
    return set(scripts.get_heads()) - {script.revision for script in scripts.get_all_current(stamped)}


def check_known(database: Database, revisions: Sequence[str]) -> None:
    """Raise Misconfigured for revisions that this release does not know: a newer one made them."""
    _refuse_newer(tuple(revisions), ScriptDirectory.from_config(alembic_config(database)))


def stamped_revisions(database: Database) -> tuple[str, ...]:
    """The revisions that the database says it has; none where it is new."""
    with database.connected() as connection:
        if not connection.dialect.has_table(connection, "alembic_version"):
            return ()
        return tuple(
            str(row[0]) for row in connection.execute(text("SELECT version_num FROM alembic_version"))
        )


def _refuse_newer(stamped: tuple[str, ...], scripts: ScriptDirectory) -> None:
    known = {script.revision for script in scripts.walk_revisions()}
    if unknown := sorted(set(stamped) - known):
        raise Misconfigured(
            f"The database was changed by a newer Footnote (it has {', '.join(unknown)}). Start that "
            "version, or have it take the schema back with its `footnote migrate --down`."
        )
