"""When documents that have all their vectors are handed over: in a stream, several at once.

A slice of the model ends a few documents, and to hand them over, to index them and to call for the next ones
costs more for each batch than for each document.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from footnote_ingest.hints.queues import Task

GATHERED_S = 0.75
"""Seconds after documents were handed over in which those that are done wait for others."""


@dataclass(slots=True)
class Gathering:
    """Says whether documents that are done wait. The first after a pause of `for_s` seconds never do."""

    for_s: float
    clock: Callable[[], float] = time.monotonic
    handed_over_at: float = -math.inf

    def waits(self, done: int, coming: int) -> bool:
        """Whether `done` documents wait for `coming`, which the model is about to complete."""
        is_early = self.clock() < self.handed_over_at + self.for_s
        return coming > 0 and done < Task.INDEX.together and is_early

    def note(self) -> None:
        """Note that documents were handed over."""
        self.handed_over_at = self.clock()
