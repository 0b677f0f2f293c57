"""Rows that SQLite finds by their keys, read on the spot: to hand them to a thread takes ten times as long.

Only for statements that read a few pages. In WAL mode a reader waits for nobody. Where SQLite would wait
all the same, nothing is read here, and the caller has a thread do it.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from sqlalchemy import Select
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

_DIALECT = SQLiteDialect_pysqlite(paramstyle="named")
_MOST_CHARS = 2_000_000
"""Rows that hold more than this together are none that can be read on the spot.

A row may be a million characters long. 64 of them, read whole, held everybody who is answered in this process
for a tenth of a second.
"""


@dataclass(frozen=True, slots=True)
class _Listed:
    """A statement with a place for each member of its lists, and what makes our values of SQLite's."""

    text: str
    fixed: Mapping[str, Any]
    places: Mapping[str, Sequence[str]]
    readers: Sequence[tuple[int, Callable[[Any], Any]]]

    @classmethod
    def of(
        cls, statement: Select[Any], given: Mapping[str, str | Sequence[str] | Sequence[int]]
    ) -> "_Listed":
        whole = statement.compile(dialect=_DIALECT).construct_expanded_state(dict(given))
        places = whole.parameter_expansion
        ours = {*given, *(name for names in places.values() for name in names)}
        fixed = {name: value for name, value in whole.parameters.items() if name not in ours}
        types = [column.type.dialect_impl(_DIALECT) for column in statement.selected_columns]
        made = [(at, one.result_processor(_DIALECT, None)) for at, one in enumerate(types)]
        return cls(whole.statement, fixed, places, [(at, read) for at, read in made if read is not None])

    def values(self, given: Mapping[str, str | Sequence[str] | Sequence[int]]) -> dict[str, Any]:
        found = dict(self.fixed)
        for name, value in given.items():
            if isinstance(value, str):
                found[name] = value
            else:
                found.update(zip(self.places[name], value, strict=True))
        return found

    def read(self, row: Sequence[Any]) -> list[Any]:
        values = list(row)
        for at, read in self.readers:
            values[at] = read(values[at])
        return values


class PromptRows:
    """A connection of its own to one file, opened when it is first used. For one thread at a time."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._texts: dict[Select[Any], str] = {}
        self._listed: dict[tuple[Select[Any], tuple[int, ...]], _Listed] = {}

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

    def all(
        self, statement: Select[Any], given: Mapping[str, str | Sequence[str] | Sequence[int]]
    ) -> list[Sequence[Any]] | None:
        """All rows as of now, with values as the session gives them. Texts and lists are given.

        None if they are too long together.

        `statement` lives as long as the process, and its lists have few lengths: each is kept. Raises
        sqlite3.Error where it had to wait.
        """
        asked = statement, tuple(len(value) for value in given.values() if not isinstance(value, str))
        listed = self._listed.get(asked)
        if listed is None:
            listed = self._listed[asked] = _Listed.of(statement, given)
        cursor = self._opened().execute(listed.text, listed.values(given))
        found: list[Sequence[Any]] = []
        chars = 0
        for row in cursor:
            chars += sum([len(value) for value in row if isinstance(value, str | bytes)])
            if chars > _MOST_CHARS:
                # An open cursor would hold its snapshot, and with it the log.
                cursor.close()
                return None
            found.append(row)
        return [listed.read(row) for row in found]

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
