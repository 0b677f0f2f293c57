"""Time, as UTC and as RFC 3339.

All processes go by the clock of their database (docs/adr/0099): what one writes into a row, others wait for.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

__all__ = ["APART", "PROCESS_CLOCK", "UTC", "ProcessClock", "machine_now", "now", "rfc3339"]

APART = timedelta(seconds=1)
"""A machine whose clock is off by less is left its own time. One whose time is kept is never so far off."""


def _of_the_machine() -> datetime:
    return datetime.now(UTC)


class ProcessClock:
    """The clock of a process: that of its machine, put right by what the database says."""

    def __init__(self, machine: Callable[[], datetime] = _of_the_machine) -> None:
        self.machine = machine
        self.behind = timedelta()
        """How far the machine is behind the database, as far as the process knows."""

    def now(self) -> datetime:
        """The time by which the process goes."""
        return self.machine() + self.behind

    def learn(self, told: datetime, asked_at: datetime, took_s: float) -> bool:
        """Take note of what the database has told of its time. Returns whether that has changed anything.

        It was asked at `asked_at` by the clock of the machine, and its answer took `took_s` seconds: what it
        told was right at some moment of these. What is known stays unless that shows it to be wrong.
        """
        uncertain = timedelta(seconds=took_s / 2)
        behind = told - (asked_at + uncertain)
        if abs(behind - self.behind) <= APART + uncertain:
            return False
        self.behind = behind
        return True


PROCESS_CLOCK = ProcessClock()
"""The clock of this process."""


def now() -> datetime:
    """The current time, aware, in UTC, by the clock of the database."""
    return PROCESS_CLOCK.now()


def machine_now() -> datetime:
    """The current time, aware, in UTC, by the clock of this machine.

    It is for what is signed for others outside, or signed by them: a database whose clock is wrong must not
    have every process refused.
    """
    return PROCESS_CLOCK.machine()


def rfc3339(moment: datetime) -> str:
    """RFC 3339 with milliseconds and `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
