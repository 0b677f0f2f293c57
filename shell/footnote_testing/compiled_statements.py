"""Statements are compiled once in a process, for all databases of a kind.

SQLAlchemy keeps what it has compiled with the engine, and one that serves has few of those. A process that
runs tests makes an engine or two for each test, and compiled the same statements anew for a quarter of its
time.
"""

from typing import Any

from sqlalchemy import Connection, Engine, event

_FIRST: dict[tuple[object, ...], Engine] = {}
"""The first engine that has connected to each kind of database."""


def share_compiled_statements() -> None:
    """From now on an engine, once it connects, uses what earlier ones of this process have compiled."""
    if not event.contains(Engine, "engine_connect", _join):
        event.listen(Engine, "engine_connect", _join)


def _join(connection: Connection) -> None:
    engine: Any = connection.engine
    dialect = engine.dialect
    first: Any = _FIRST.setdefault((dialect.name, dialect.driver, dialect.server_version_info), engine)
    if dialect is not first.dialect:
        # What is compiled is found by its dialect. Two that reach the same kind of server are alike.
        engine.dialect = first.dialect
        engine._compiled_cache = first._compiled_cache
    connection.dialect = first.dialect
