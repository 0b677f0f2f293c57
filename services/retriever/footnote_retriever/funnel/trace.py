"""What each step of a search did, how long it took, and what the answer had to do without."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from prometheus_client import Histogram

from footnote_shared.contracts.search import StepReport
from footnote_shared.telemetry import metrics


@dataclass(slots=True)
class StepRun:
    """A step at work. It fills in how many candidates it gave on, and what it has to say."""

    name: str
    taken: int
    given: int = 0
    ms: float = 0.0
    notes: dict[str, Any] = field(default_factory=dict)


@cache
def _seconds_of(step: str) -> Histogram:
    """To find the series of a step takes longer than to count in it, and there are some fifteen steps."""
    return metrics.SEARCH_STEP_SECONDS.labels(step)


class Trace:
    """The record of one search; not shared."""

    def __init__(self) -> None:
        self.degraded: list[str] = []
        self._runs: list[StepRun] = []
        self._started = time.perf_counter()

    @contextmanager
    def step(self, name: str, taken: int) -> Iterator[StepRun]:
        """Time a step. One that raises is timed and counted too."""
        run = StepRun(name, taken)
        started = time.perf_counter()
        try:
            yield run
        finally:
            seconds = time.perf_counter() - started
            run.ms = round(seconds * 1000, 3)
            _seconds_of(name).observe(seconds)
            self._runs.append(run)

    def degrade(self, part: str) -> None:
        """Note that the answer does without this part."""
        if part not in self.degraded:
            self.degraded.append(part)
            metrics.DEGRADED.labels(part).inc()

    def timings_ms(self) -> dict[str, float]:
        """Milliseconds by step, and from the beginning until now as `total`."""
        by_step: dict[str, float] = {}
        for run in self._runs:
            by_step[run.name] = round(by_step.get(run.name, 0.0) + run.ms, 3)
        return {**by_step, "total": round((time.perf_counter() - self._started) * 1000, 3)}

    def explanation(self) -> list[StepReport]:
        """A line for each step, in the order in which they ran. After two looks some are there twice."""
        return [
            StepReport(stage=run.name, taken=run.taken, given=run.given, ms=run.ms, notes=run.notes)
            for run in self._runs
        ]
