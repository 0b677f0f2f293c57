"""Spans: nothing without a backend, the trace of the logs with one, and a backend that takes none."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from pydantic import SecretStr

from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.settings.telemetry import TelemetrySettings
from footnote_shared.telemetry import context, metrics, tracing
from footnote_shared.telemetry.otlp import headers_of
from footnote_testing.trace_collector import TraceCollector

PARENT = "00f067aa0ba902b7"


@pytest.fixture
def collector() -> Iterator[TraceCollector]:
    made = TraceCollector().start()
    yield made
    made.stop()


@contextmanager
def sent_to(collector: TraceCollector, share: float = 1.0) -> Iterator[str]:
    """A trace that a process is in, whose spans are sent there at the end."""
    settings = TelemetrySettings(
        otlp_endpoint=collector.url + "/", otlp_headers=SecretStr("X-Key=a=b, Two=2"), trace_share=share
    )
    tracing.set_up_traces(settings, "tested")
    trace = context.new_trace_id()
    before = context.trace_id.set(trace)
    try:
        yield trace
        tracing.end_traces()
    finally:
        tracing.use_tracer(None)
        context.trace_id.reset(before)


def lost() -> float:
    return float(metrics.SPANS.labels("lost")._value.get())


class TestWithoutABackend:
    def test_there_are_no_spans_and_no_library(self) -> None:
        asked = (
            "import sys\n"
            "from footnote_shared.settings.telemetry import TelemetrySettings\n"
            "from footnote_shared.telemetry import tracing\n"
            "tracing.set_up_traces(TelemetrySettings(), 'agent')\n"
            "with tracing.span('a') as span: span.set(b=1)\n"
            "print(span.id, tracing.traced(), any('opentelemetry.sdk' in name for name in sys.modules))"
        )
        said = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
        assert said.stdout.strip() == "False False"

    def test_the_trace_of_a_caller_goes_on(self) -> None:
        header = f"00-{'ab' * 16}-{PARENT}-01"
        trace, parent = context.trace_id.set(context.trace_of(header)), context.span_id.set(PARENT)
        assert context.traceparent() == header
        context.span_id.reset(parent)
        assert context.traceparent().startswith(f"00-{'ab' * 16}-")
        context.trace_id.reset(trace)


class TestWithABackend:
    def test_spans_stand_below_each_other_in_the_trace_of_the_logs(self, collector: TraceCollector) -> None:
        with sent_to(collector) as trace:
            with tracing.span("above", "server", a__b=1) as above:
                assert context.traceparent() == f"00-{trace}-{above.id}-01"
                beside = tracing.begin_span("beside", "client")
                with tracing.span("below") as below:
                    below.set(found=True, missing=None)
                beside.end()
            assert context.span_id.get() == ""
        spans = collector.of(trace)
        assert [spans[name].parent for name in ("above", "beside", "below")] == ["", above.id, above.id]
        assert spans["above"].attributes == {"a.b": 1}
        assert spans["below"].attributes == {"found": True}
        assert spans["above"].service == "footnote-tested"
        assert {"a=b", "2"} <= set(collector.headers[0].values())

    def test_a_block_that_fails_names_the_kind_of_its_error_alone(self, collector: TraceCollector) -> None:
        with sent_to(collector) as trace, pytest.raises(ValueError, match="secret"), tracing.span("fails"):
            raise ValueError("a secret")
        span = collector.of(trace)["fails"]
        assert span.failed
        assert span.attributes == {"error.type": "ValueError"}
        assert b"secret" not in b"".join(collector.bodies)

    def test_work_that_is_over_has_its_own_times_and_the_trace_it_came_with(
        self, collector: TraceCollector
    ) -> None:
        ended = now() - timedelta(seconds=5)
        other = "cd" * 16
        with sent_to(collector):
            tracing.past_span("over", f"00-{other}-{PARENT}-01", ended - timedelta(seconds=2), ended, n=3)
            tracing.past_span("of nobody", "malformed", ended, ended)
        (span,) = collector.spans
        assert (span.trace, span.parent, span.name) == (other, PARENT, "over")
        assert span.ended - span.begun == 2_000_000_000

    def test_a_share_of_none_sends_none_and_half_is_decided_by_the_trace(
        self, collector: TraceCollector
    ) -> None:
        with sent_to(collector, share=0.0), tracing.span("never"):
            pass
        assert collector.spans == []
        kept = list[bool]()
        for trace in ("0" * 31 + "1", "f" * 32):
            with sent_to(collector, share=0.5):
                tracing.past_span("one", f"00-{trace}-{PARENT}-01", now(), now())
            kept.append(bool(collector.of(trace)))
        assert kept == [True, False]

    def test_a_backend_that_takes_none_costs_its_spans_and_is_counted(
        self, collector: TraceCollector
    ) -> None:
        collector.status, before = 400, lost()
        with sent_to(collector), tracing.span("lost"):
            pass
        assert lost() == before + 1


def test_headers_that_are_none_are_refused() -> None:
    assert headers_of("") == {}
    for wrong in ("key", "=value", "a=b,c"):
        with pytest.raises(Misconfigured, match="OTLP_HEADERS"):
            headers_of(wrong)
