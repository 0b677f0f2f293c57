"""How much processor time a piece of work takes, which a busy machine hardly changes."""

import gc
import time
from collections.abc import Callable

_SHORTEST_S = 0.002


def processor_seconds(work: Callable[[], object], times: int = 3) -> float:
    """Processor time of this thread for one run, the best of some.

    A short run is repeated until the clock can see it.

    The garbage collector rests meanwhile: it would charge the work for what other tests left behind.
    """
    best = float("inf")
    collects = gc.isenabled()
    gc.disable()
    try:
        for _ in range(times):
            runs, start = 0, time.thread_time()
            while (taken := time.thread_time() - start) < _SHORTEST_S or not runs:
                work()
                runs += 1
            best = min(best, taken / runs)
    finally:
        if collects:
            gc.enable()
    return best
