"""What injection adds to a sentence, read from metrics."""

from footnote_cli.evaluation.injection_time import injection_time, quantile_ms, read_metrics

METRICS = """\
# TYPE footnote_injection_duration_seconds histogram
footnote_injection_duration_seconds_bucket{{le="0.01"}} {fast}
footnote_injection_duration_seconds_bucket{{le="0.1"}} {all}
footnote_injection_duration_seconds_bucket{{le="+Inf"}} {all}
footnote_injection_duration_seconds_count {all}
footnote_injection_duration_seconds_sum 0.5
# TYPE footnote_degraded_total counter
footnote_degraded_total{{part="injection"}} {skipped}
footnote_degraded_total{{part="rerank"}} 99
"""


def test_a_quantile_is_read_from_a_histogram() -> None:
    buckets = [(0.005, 50.0), (0.01, 90.0), (0.05, 100.0), (float("inf"), 100.0)]
    assert quantile_ms(buckets, 0.5) == 5.0
    assert quantile_ms(buckets, 0.7) == 7.5
    assert quantile_ms(buckets, 0.95) == 30.0
    assert quantile_ms([(0.005, 0.0), (float("inf"), 4.0)], 0.5) == 5.0


def test_only_what_the_run_added_counts() -> None:
    before = read_metrics(METRICS.format(fast=100, all=100, skipped=3))
    after = read_metrics(METRICS.format(fast=108, all=110, skipped=4))
    found = injection_time(before, after)
    assert found is not None
    assert (found.sentences, found.skipped) == (10, 1)
    assert found.p50_ms == 6.25
    assert 10 < found.p95_ms <= 100


def test_nothing_is_said_of_a_run_without_a_sentence() -> None:
    same = read_metrics(METRICS.format(fast=1, all=1, skipped=0))
    assert injection_time(same, same) is None
    assert injection_time(read_metrics(""), read_metrics("")) is None
