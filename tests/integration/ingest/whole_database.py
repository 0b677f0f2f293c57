"""Rows of a workspace in every table that the database has, and the whole database as texts."""

from datetime import UTC, datetime
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, MetaData, Table, insert, select
from sqlalchemy.types import JSON, Boolean, DateTime, Float, Integer, LargeBinary

from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.kernel.ids import new_id

DEPLOYMENT = frozenset(
    {
        "alembic_version",
        "lane_changes",
        "lane_versions",
        "lanes",
        "sealing",
        "workspace_deletions",
        "workspaces",
        "wrapping_keys",
    }
)
"""Tables that belong to no workspace. Whoever adds one says that it holds nothing of a workspace's own."""

_seen: WeakKeyDictionary[Engine, list[Table]] = WeakKeyDictionary()

MOMENT = datetime(2026, 1, 2, tzinfo=UTC)


def tables(connection: Connection) -> list[Table]:
    """All tables as they are in the database, each behind those that it refers to.

    They are looked at once per engine: no test here changes the schema of its database.
    """
    if connection.engine not in _seen:
        metadata = MetaData()
        metadata.reflect(connection)
        _seen[connection.engine] = list(metadata.sorted_tables)
    return _seen[connection.engine]


def plant(database: Database, owner: Principal, count: int = 1, first: int = 0) -> dict[str, int]:
    """Add rows of the workspace to every table that is not the deployment's; return how many of each.

    What has an owner in the workspace is the avatar's. A second call for a workspace has another `first`.
    """
    planted: dict[str, dict[str, Any]] = {
        "workspaces": {"id": owner.workspace_id},
        "avatars": {"id": owner.avatar_id},
    }
    with database.write() as session:
        connection = session.connection()
        owned = [table for table in tables(connection) if table.name not in DEPLOYMENT]
        for table in owned:
            key = table.primary_key.columns
            one_only = all(column.name == "workspace_id" or column.foreign_keys for column in key)
            for number in range(first, first + (1 if one_only else count)):
                row = {column.name: _value(table, column, planted, owner, number) for column in table.columns}
                if not (one_only and _count(connection, table, owner)):
                    connection.execute(insert(table), row)
                if table.name != "avatars":
                    planted[table.name] = row
        return {table.name: _count(connection, table, owner) for table in owned}


def texts(database: Database, *but: str) -> dict[str, list[str]]:
    """Every row of every table as a text, sorted, but for the tables named."""
    with database.read() as session:
        connection = session.connection()
        return {
            table.name: sorted(repr(tuple(row)) for row in connection.execute(select(table)))
            for table in tables(connection)
            if table.name not in but
        }


def naming(database: Database, word: str) -> dict[str, int]:
    """How many rows of each table hold the word in any column."""
    found = {name: sum(word in row for row in rows) for name, rows in texts(database).items()}
    return {name: count for name, count in found.items() if count}


def _value(
    table: Table, column: Any, planted: dict[str, dict[str, Any]], caller: Principal, number: int
) -> Any:
    owner = caller.workspace_id
    for key in column.foreign_keys:
        parent = planted.get(key.column.table.name)
        return None if parent is None else parent[key.column.name]
    if column.name == "workspace_id":
        return owner
    if column.name == "avatar_id":
        return caller.avatar_id
    match column.type:
        case Boolean():
            return False
        case Integer() | Float():
            return number + 1
        case DateTime():
            # What has ended stands in nobody's way.
            return MOMENT if column.name == "ended_at" or not column.nullable else None
        case LargeBinary():
            return None if column.nullable else f"bytes of {owner}".encode()
        case JSON():
            return {"of": owner}
    named = column.name == "id" or column.name.endswith("_id")
    return new_id() if named else f"{table.name} {column.name} {number} of {owner}"


def _count(connection: Connection, table: Table, owner: Principal) -> int:
    return sum(owner.workspace_id in repr(tuple(row)) for row in connection.execute(select(table)))
