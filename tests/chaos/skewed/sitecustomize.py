"""Read by Python at its start: the clock of this process is off by `CHAOS_CLOCK_OFF_S` seconds.

It is the clock by which Footnote judges moments. Nobody has taken it by its name yet when this is read.
"""

import os
from datetime import UTC, datetime, timedelta

from footnote_shared.kernel import clock

_OFF = timedelta(seconds=float(os.environ["CHAOS_CLOCK_OFF_S"]))  # noqa: TID251  # no setting of ours


def _now() -> datetime:
    return datetime.now(UTC) + _OFF


clock.now = _now
