"""The rows of one workspace in every table of the database (spec 3.6).

The database itself says which tables there are, so that none can be forgotten: a table is the workspace's by
its column `workspace_id`, or because it refers to one that is.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, MetaData, Table, delete, or_, select, tuple_, update

OWNER = "workspace_id"


@dataclass(frozen=True, slots=True)
class OwnedRows:
    """The rows of one table that belong to the workspace."""

    table: Table
    mine: ColumnElement[bool]

    @property
    def name(self) -> str:
        return self.table.name


def rows_of_workspace(
    connection: Connection, workspace_id: str, leave: Collection[str] = ()
) -> list[OwnedRows]:
    """Each table that can hold rows of the workspace, before those that it refers to.

    `leave` names tables whose `workspace_id` says who asked, and not whose the row is.
    """
    metadata = MetaData()
    metadata.reflect(connection)
    found: dict[str, OwnedRows] = {}
    for table in metadata.sorted_tables:
        if table.name in leave:
            continue
        mine = _belongs(table, workspace_id, found)
        if mine is not None:
            found[table.name] = OwnedRows(table, mine)
    return list(reversed(found.values()))


def some_of(connection: Connection, owned: OwnedRows, most: int) -> list[tuple[Any, ...]]:
    """The primary keys of some of the rows."""
    chosen = select(*owned.table.primary_key.columns).where(owned.mine).limit(most)
    return [tuple(row) for row in connection.execute(chosen)]


def drop(connection: Connection, owned: OwnedRows, keys: Sequence[tuple[Any, ...]]) -> int:
    """Delete the rows of these keys that are the workspace's; return how many there were."""
    if not keys:
        return 0
    table = owned.table
    named = tuple_(*table.primary_key.columns).in_(keys)
    for column in _of_itself(table):
        # The row that it refers to may go first.
        connection.execute(update(table).where(owned.mine, column.is_not(None)).values({column.name: None}))
    return connection.execute(delete(table).where(named, owned.mine)).rowcount


def _belongs(table: Table, workspace_id: str, owned: dict[str, OwnedRows]) -> ColumnElement[bool] | None:
    if OWNER in table.columns:
        return table.c[OWNER] == workspace_id
    ways = [
        key.parent.in_(select(key.column).where(owned[key.column.table.name].mine))
        for key in sorted(table.foreign_keys, key=lambda key: key.parent.name)
        if key.column.table.name in owned
    ]
    return or_(*ways) if ways else None


def _of_itself(table: Table) -> list[Any]:
    return [key.parent for key in table.foreign_keys if key.column.table is table and not key.ondelete]
