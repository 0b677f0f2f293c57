"""A process whose clock is wrong. One of which nothing else goes on in a test is another process there."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from footnote_shared.kernel.clock import PROCESS_CLOCK


@contextmanager
def wrong_clock(ahead: timedelta) -> Iterator[None]:
    """Within the block the clock of this machine is `ahead`, as if somebody had set it."""
    machine, behind = PROCESS_CLOCK.machine, PROCESS_CLOCK.behind
    PROCESS_CLOCK.machine = lambda: machine() + ahead
    try:
        yield
    finally:
        PROCESS_CLOCK.machine, PROCESS_CLOCK.behind = machine, behind


@contextmanager
def outdated_clock(ahead: timedelta) -> Iterator[None]:
    """Within the block this process is `ahead` and does not know it: somebody has set the database's clock.

    It knows when it reads that one again, which is due a minute after it did so.
    """
    behind = PROCESS_CLOCK.behind
    PROCESS_CLOCK.behind += ahead
    try:
        yield
    finally:
        PROCESS_CLOCK.behind = behind
