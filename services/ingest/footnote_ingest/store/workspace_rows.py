"""The rows of one workspace, or of one avatar, in every table of the database (spec 3.6).

The database itself says which tables there are, so that none can be forgotten: a table is the owner's by its
column (`workspace_id`, `avatar_id`), or because it refers to one that is.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    and_,
    delete,
    or_,
    select,
    tuple_,
    update,
)

from footnote_shared.db.partitions import whole_tables

Narrowed = Mapping[str, Callable[[Table], ColumnElement[bool]]]
"""By the name of a table, which of the owner's rows are meant."""

_OF_WORKSPACE = "workspace_id"
_OF_AVATAR = "avatar_id"

_WITHOUT_KEY = {"turn_streams": ("conversation_id", "conversations", "id")}
"""Tables that refer to what is an avatar's without a foreign key: by which column to which."""


@dataclass(frozen=True, slots=True)
class OwnedRows:
    """The rows of one table that belong to the owner."""

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
    return _rows_of(connection, _OF_WORKSPACE, workspace_id, leave, {})


def rows_of_avatar(
    connection: Connection, avatar_id: str, leave: Collection[str], narrowed: Narrowed
) -> list[OwnedRows]:
    """Each table that can hold rows of the avatar, before those that it refers to.

    Of those that are `narrowed` these rows alone are meant, and what hangs on them.
    """
    return _rows_of(connection, _OF_AVATAR, avatar_id, leave, narrowed)


def _rows_of(
    connection: Connection, column: str, owner: str, leave: Collection[str], narrowed: Narrowed
) -> list[OwnedRows]:
    metadata = whole_tables(connection)
    found: dict[str, OwnedRows] = {}
    for table in sorted(metadata.sorted_tables, key=lambda table: table.name in _WITHOUT_KEY):
        if table.name in leave:
            continue
        mine = _belongs(table, column, owner, found)
        if mine is not None:
            narrow = narrowed.get(table.name)
            found[table.name] = OwnedRows(table, mine if narrow is None else and_(mine, narrow(table)))
    return list(reversed(found.values()))


def some_of(connection: Connection, owned: OwnedRows, most: int) -> list[tuple[Any, ...]]:
    """The primary keys of some of the rows."""
    chosen = select(*owned.table.primary_key.columns).where(owned.mine).limit(most)
    return [tuple(row) for row in connection.execute(chosen)]


def drop(connection: Connection, owned: OwnedRows, keys: Sequence[tuple[Any, ...]]) -> int:
    """Delete the rows of these keys that are the owner's; return how many there were."""
    if not keys:
        return 0
    table = owned.table
    named = tuple_(*table.primary_key.columns).in_(keys)
    for column in _of_itself(table):
        # The row that it refers to may go first.
        connection.execute(update(table).where(owned.mine, column.is_not(None)).values({column.name: None}))
    return connection.execute(delete(table).where(named, owned.mine)).rowcount


def _belongs(
    table: Table, column: str, owner: str, owned: Mapping[str, OwnedRows]
) -> ColumnElement[bool] | None:
    if column in table.columns:
        return table.c[column] == owner
    ways = [
        key.parent.in_(select(key.column).where(owned[key.column.table.name].mine))
        for key in sorted(table.foreign_keys, key=lambda key: key.parent.name)
        if key.column.table.name in owned
    ]
    own, other, other_key = _WITHOUT_KEY.get(table.name, ("", "", ""))
    if other in owned:
        ways.append(table.c[own].in_(select(owned[other].table.c[other_key]).where(owned[other].mine)))
    return or_(*ways) if ways else None


def _of_itself(table: Table) -> list[Any]:
    return [key.parent for key in table.foreign_keys if key.column.table is table and not key.ondelete]
