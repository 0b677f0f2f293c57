"""Inserting rows that the session need not keep track of, which would cost more than to write them.

Rows with sealed columns are none of these: a flush of the session seals them (`sealed_rows.py`).
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Insert, insert
from sqlalchemy.orm import class_mapper

from footnote_shared.db.sealed_rows import SEALED
from footnote_shared.db.table_row import TableRow
from footnote_shared.kernel.errors import OurFault


def insert_rows(connection: Connection, rows: Sequence[TableRow]) -> None:
    """Insert rows of one table in one statement, in this order."""
    if rows:
        statement, names = _insertion(type(rows[0]))
        values = [{column: getattr(row, name) for column, name in names} for row in rows]
        connection.execute(statement, values)


@cache
def _insertion(table: type[TableRow]) -> tuple[Insert, list[tuple[str, Any]]]:
    """The statement, and the names of the columns with those of their attributes."""
    attributes = class_mapper(table).column_attrs
    if SEALED in attributes:
        raise OurFault(f"Rows of {table.__name__} are sealed by the session, and cannot be written past it.")
    return insert(table), [(attribute.columns[0].key, attribute.key) for attribute in attributes]
