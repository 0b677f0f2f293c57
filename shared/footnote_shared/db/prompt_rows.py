"""A row that SQLite finds by its key, read on the spot: to hand it to a thread takes ten times as long.

Only for statements that read a page or two. In WAL mode a reader waits for nobody. Where SQLite would wait
all the same, nothing is read here, and the caller has a thread do it.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from sqlalchemy import Select
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

_DIALECT = SQLiteDialect_pysqlite(paramstyle="named")


class PromptRows:
    """A connection of its own to one file, opened when it is first used. For one thread at a time."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._texts: dict[Select[Any], str] = {}

    def first(self, statement: Select[Any], given: Mapping[str, str]) -> Sequence[Any] | None:
        """The first row as of now, with values as SQLite keeps them: JSON is a text.

        `statement` is one that lives as long as the process. Raises sqlite3.Error where it had to wait.
        """
        text = self._texts.get(statement)
        if text is None:
            text = self._texts[statement] = str(statement.compile(dialect=_DIALECT))
        # All rows are fetched, because an open cursor would hold its snapshot, and with it the log.
        rows: list[Sequence[Any]] = self._opened().execute(text, dict(given)).fetchall()
        return rows[0] if rows else None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            opened = sqlite3.connect(
                f"file:{quote(self._path)}?mode=rw",
                uri=True,
                timeout=0,
                isolation_level=None,
                check_same_thread=False,
            )
            opened.execute("PRAGMA query_only=ON")
            self._connection = opened
        return self._connection

    def close(self) -> None:
        """Close the connection. The next row opens another one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
