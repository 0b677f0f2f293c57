"""The statements that reach the database. For SQLite, where reading and writing have an engine each."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import event

from footnote_shared.db.engine import Database


@dataclass(frozen=True, slots=True)
class SentStatement:
    """One call of the driver. `rows` is how many sets of parameters an `executemany` has, else 1."""

    text: str
    rows: int
    parameters: int


@contextmanager
def statements(database: Database) -> Iterator[list[SentStatement]]:
    """Collects the statements that the block sends."""
    seen: list[SentStatement] = []

    def note(_conn: Any, _cursor: Any, text: str, parameters: Any, _context: Any, many: bool) -> None:
        seen.append(SentStatement(text, len(parameters) if many else 1, 0 if many else len(parameters)))

    with database.read() as session:
        engines = [session.get_bind(), database.engine]
    for engine in engines:
        event.listen(engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        for engine in engines:
            event.remove(engine, "before_cursor_execute", note)
