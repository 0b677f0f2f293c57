"""Moments that one process writes into a row and others wait for, though the clock may have been wrong.

All processes go by the clock of the database (docs/adr/0099), which somebody may have set. A lease or a pause
is never longer than a known time. A moment that lies further ahead than that was not written by the right
clock, and counts as over: else a row that was given back while the clock was a day ahead would lie there for
that long.
"""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, bindparam, or_
from sqlalchemy.orm import Mapped

from footnote_shared.kernel.clock import now

LONGEST_LEASE = timedelta(hours=1)
"""Longer than any lease, and than any pause that ours choose. It is also how far the clock may be set back
before one process takes what another holds; fences then keep their work apart."""


def is_over(moment: datetime | None, longest_ahead: timedelta, at: datetime | None = None) -> bool:
    """Whether nobody waits for the moment any more at `at`, by default now. There is nothing in None."""
    current = at or now()
    return moment is None or moment <= current or moment > current + longest_ahead


def has_come(
    moment: Mapped[datetime | None] | Mapped[datetime], longest_ahead: timedelta, at: datetime | None = None
) -> ColumnElement[bool]:
    """Where the moment is over, or lies further ahead than any that was written by the right clock."""
    current = at or now()
    return or_(moment <= current, moment > current + longest_ahead)


def has_come_then(moment: Mapped[datetime | None] | Mapped[datetime]) -> ColumnElement[bool]:
    """`has_come` for a statement that is built once, and given `then` each time that it is run."""
    return or_(moment <= bindparam("then"), moment > bindparam("furthest"))


def then(longest_ahead: timedelta, at: datetime | None = None) -> dict[str, datetime]:
    """What a statement with `has_come_then` is given: the moment, by default now, and the furthest ahead."""
    current = at or now()
    return {"then": current, "furthest": current + longest_ahead}


def is_free(
    until: Mapped[datetime | None], longest_ahead: timedelta, at: datetime | None = None
) -> ColumnElement[bool]:
    """Where nobody holds a row: it has no end of a lease, or one that has come."""
    return or_(until.is_(None), has_come(until, longest_ahead, at))
