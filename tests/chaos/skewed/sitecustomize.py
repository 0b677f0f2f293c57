"""Read by Python at its start: the clock of this process is off by `CHAOS_CLOCK_OFF_S` seconds.

It is the clock of its machine. What the process knows of the database's clock, it has read against this one.
"""

import os
from datetime import UTC, datetime, timedelta

from footnote_shared.kernel.clock import PROCESS_CLOCK

_OFF = timedelta(seconds=float(os.environ["CHAOS_CLOCK_OFF_S"]))  # noqa: TID251  # no setting of ours


def _now() -> datetime:
    return datetime.now(UTC) + _OFF


PROCESS_CLOCK.machine = _now
