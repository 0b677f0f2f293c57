"""Whether the clock of this process may decide that something is old enough to be removed for ever.

Of processes whose clocks differ one is wrong, and which one nobody knows. What is removed too late harms
nobody, so where this clock and that of the database differ nothing is removed by its age.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import text

from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import UTC, now
from footnote_shared.telemetry.logs import logger

MOST_APART = timedelta(minutes=10)
"""Every age by which something is removed is longer than that. A machine whose time is kept is never so far
off."""

_ON_SQLITE = text("SELECT strftime('%Y-%m-%dT%H:%M:%f', 'now')")
_ON_POSTGRESQL = text("SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS')")
_log = logger(__name__)


def may_judge_ages(database: Database, clock: Callable[[], datetime] = now) -> bool:
    """Whether `clock` agrees with that of the database. If not, the log says what the operator has to do."""
    with database.read() as session:
        asked = _ON_SQLITE if database.is_sqlite else _ON_POSTGRESQL
        told = datetime.fromisoformat(session.connection().execute(asked).scalar_one()).replace(tzinfo=UTC)
    ahead = clock() - told
    if abs(ahead) <= MOST_APART:
        return True
    _log.error(
        "clock.differs",
        ahead_s=round(ahead.total_seconds()),
        advice="Set the clocks of this machine and of the database. Until then nothing old is removed here.",
    )
    return False
