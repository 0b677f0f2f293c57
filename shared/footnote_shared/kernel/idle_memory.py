"""Memory of a process that has nothing to do: what it freed goes back to the system.

The C library keeps what is freed between what is in use, for the next that asks. After a busy hour that is
tens of megabytes in each process, though nobody may ask again for days.
"""

import ctypes
import sys
import threading
import time
from collections.abc import Callable

LOOK_EVERY_S = 20.0
IDLE_SHARE = 0.03
"""A process that took less of one core than this since the last look had nothing to do."""
WORTH_S = 0.5
"""Processor seconds of work since memory was given back, under which there is hardly any to give."""


class IdleTimes:
    """Tells a process when to give memory back: once in each idle time that came after work.

    All is in processor seconds of the process, but for `every_s`: seconds between two looks.
    """

    def __init__(self, spent_s: float, every_s: float = LOOK_EVERY_S) -> None:
        self._every_s = every_s
        self._at_last_look = spent_s
        self._at_last_return = 0.0

    def is_due(self, spent_s: float) -> bool:
        """Whether memory is to be given back now. `spent_s`: what the process has spent since its start."""
        idle = spent_s - self._at_last_look < IDLE_SHARE * self._every_s
        self._at_last_look = spent_s
        if not idle or spent_s - self._at_last_return < WORTH_S:
            return False
        self._at_last_return = spent_s
        return True


def give_back_when_idle(
    every_s: float = LOOK_EVERY_S, give_back: Callable[[], None] | None = None
) -> threading.Thread:
    """Start a thread that gives memory back in idle times until the process ends, and return it.

    A process that is forked from this one needs a thread of its own.
    """

    def watch() -> None:
        times = IdleTimes(time.process_time(), every_s)
        while True:
            time.sleep(every_s)
            if times.is_due(time.process_time()):
                (give_back or give_back_memory)()

    watching = threading.Thread(target=watch, name="idle-memory", daemon=True)
    watching.start()
    return watching


def give_back_memory() -> None:
    """Have the C library return to the system what it keeps of freed memory. Only that of GNU can do so."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
