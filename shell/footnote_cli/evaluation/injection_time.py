"""What injection added to a sentence of a stream, read from the resolver's metrics before and after a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prometheus_client.parser import text_string_to_metric_families

_SECONDS = "footnote_injection_duration_seconds_bucket"
_DEGRADED = "footnote_degraded_total"


@dataclass(frozen=True, slots=True)
class InjectionMetrics:
    """Cumulated counts by the upper bound of their bucket in seconds, and how often injection gave up."""

    buckets: Mapping[float, float]
    skipped: float


@dataclass(frozen=True, slots=True)
class InjectionTime:
    """Milliseconds that a sentence waited, and how often injection gave up."""

    sentences: int
    p50_ms: float
    p95_ms: float
    skipped: int


def read_metrics(text: str) -> InjectionMetrics:
    """The metrics of injection in what `/metrics` answers."""
    buckets: dict[float, float] = {}
    skipped = 0.0
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name == _SECONDS:
                buckets[float(sample.labels["le"])] = sample.value
            elif sample.name == _DEGRADED and sample.labels.get("part") == "injection":
                skipped = sample.value
    return InjectionMetrics(buckets, skipped)


def injection_time(before: InjectionMetrics, after: InjectionMetrics) -> InjectionTime | None:
    """What was added between the two; None where no sentence was looked at."""
    grown = sorted((bound, count - before.buckets.get(bound, 0.0)) for bound, count in after.buckets.items())
    if not grown or not grown[-1][1]:
        return None
    return InjectionTime(
        int(grown[-1][1]),
        quantile_ms(grown, 0.5),
        quantile_ms(grown, 0.95),
        int(after.skipped - before.skipped),
    )


def quantile_ms(buckets: Sequence[tuple[float, float]], share: float) -> float:
    """A quantile of a Prometheus histogram in seconds, from cumulated counts by upper bound.

    It is linear within a bucket. Above the last finite bound it is that bound.
    """
    wanted = share * buckets[-1][1]
    low, below = 0.0, 0.0
    for bound, count in buckets:
        if count >= wanted and bound != float("inf"):
            inside = (wanted - below) / (count - below) if count > below else 1.0
            return round(1000 * (low + inside * (bound - low)), 2)
        if bound != float("inf"):
            low, below = bound, count
    return round(1000 * low, 2)
