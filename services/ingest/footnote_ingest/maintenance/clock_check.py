"""Whether a worker may decide that something is old enough to be removed for ever.

If the clocks of its machine and of the database differ one is wrong, and which one nobody knows. What is
removed too late harms nobody. So such a worker removes nothing by its age, although it goes by the database's
clock (docs/adr/0099).
"""

from datetime import timedelta

from footnote_shared.db.database_clock import database_now
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import machine_now
from footnote_shared.telemetry.logs import logger

MOST_APART = timedelta(minutes=10)
"""Every age by which something is removed is longer than that. A machine whose time is kept is never so far
off."""

_log = logger(__name__)


def may_judge_ages(database: Database) -> bool:
    """Whether the clocks of this machine and of the database agree. If not, the log says what to do."""
    with database.read() as session:
        told = database_now(session)
    ahead = machine_now() - told
    if abs(ahead) <= MOST_APART:
        return True
    _log.error(
        "clock.differs",
        ahead_s=round(ahead.total_seconds()),
        advice="Set the clocks of this machine and of the database. Until then nothing old is removed here.",
    )
    return False
