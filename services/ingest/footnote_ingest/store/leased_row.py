"""What the row of a table has that workers take: its tries, when it may be taken, and who holds it."""

from datetime import datetime, timedelta
from typing import ClassVar

from sqlalchemy import Column, ColumnElement, and_, inspect, or_
from sqlmodel import Field, col

from footnote_shared.db.awaited_moments import LONGEST_LEASE, has_come, has_come_then, is_free, then
from footnote_shared.db.table_row import TableRow
from footnote_shared.db.tables import UtcDateTime
from footnote_shared.kernel.clock import now


class LeasedRow(TableRow):
    """Work that one worker at a time holds (docs/adr/0001).

    `attempts` counts the tries, and `dispatched_at` is when a hint was last sent. Nobody takes it before
    `available_at`. `lease_token` names who holds it, until `lease_until`. Whoever lets go of it may leave
    `lease_until` in the past: then the sweeper knows that its hint is lost.
    """

    longest_ahead: ClassVar[timedelta] = LONGEST_LEASE
    """No lease of such rows, and no wait, is so long. A moment further ahead was written by a machine whose
    clock is wrong, and nobody waits for it."""

    attempts: int = 0
    available_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    dispatched_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    lease_token: str | None = None
    lease_until: datetime | None = Field(default=None, sa_type=UtcDateTime)


def key_of(table: type[LeasedRow]) -> Column[str]:
    """The column that names a row of the table."""
    key: Column[str] = inspect(table).primary_key[0]
    return key


def unheld(table: type[LeasedRow]) -> ColumnElement[bool]:
    """Rows that nobody holds."""
    return is_free(col(table.lease_until), table.longest_ahead)


def takeable(table: type[LeasedRow]) -> ColumnElement[bool]:
    """Rows that nobody holds and that have nothing to wait for."""
    return and_(unheld(table), has_come(col(table.available_at), table.longest_ahead))


def takeable_then(table: type[LeasedRow]) -> ColumnElement[bool]:
    """`takeable` for a statement that is built once, and given `then_of` each time that it is run."""
    until = col(table.lease_until)
    return and_(or_(until.is_(None), has_come_then(until)), has_come_then(col(table.available_at)))


def then_of(table: type[LeasedRow]) -> dict[str, datetime]:
    """This moment, as a statement with `takeable_then` is given it."""
    return then(table.longest_ahead)
