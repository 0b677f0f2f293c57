"""Spans by OpenTelemetry's SDK, sent with OTLP over HTTP. Imported only where an endpoint is set.

Which traces are kept depends on their id alone, so that all processes decide alike (`FOOTNOTE_TRACE_SHARE`).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.metadata import version

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import TraceIdRatioBased
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)
from opentelemetry.trace import Span as SdkSpan

from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.settings.telemetry import TelemetrySettings
from footnote_shared.telemetry import context, metrics
from footnote_shared.telemetry.spans import Kind, Span, Value

_MOST_WAITING = 4096
_SENT_EVERY_MS = 1000
_SEND_WITHIN_S = 5.0
_CLOSE_WITHIN_MS = 2000

_KINDS: Mapping[Kind, SpanKind] = {
    "internal": SpanKind.INTERNAL,
    "server": SpanKind.SERVER,
    "client": SpanKind.CLIENT,
    "consumer": SpanKind.CONSUMER,
}


class OtlpTracer:
    """Makes spans and sends them in batches. What a backend does not take is dropped and counted."""

    def __init__(self, settings: TelemetrySettings, service: str) -> None:
        """`service`: what this process is, behind `footnote-`. Raises Misconfigured."""
        exporter = OTLPSpanExporter(
            endpoint=f"{settings.otlp_endpoint.rstrip('/')}/v1/traces",
            headers=headers_of(settings.otlp_headers.get_secret_value()),
            timeout=_SEND_WITHIN_S,
        )
        self._provider = TracerProvider(
            sampler=TraceIdRatioBased(settings.trace_share),
            resource=Resource.create(
                {
                    "service.name": f"footnote-{service}",
                    "service.namespace": "footnote",
                    "service.version": version("footnote"),
                }
            ),
            id_generator=_LogsIds(),
        )
        self._provider.add_span_processor(
            BatchSpanProcessor(
                CountedExporter(exporter), max_queue_size=_MOST_WAITING, schedule_delay_millis=_SENT_EVERY_MS
            )
        )
        self._tracer = self._provider.get_tracer("footnote")

    def begin(
        self,
        name: str,
        kind: Kind,
        above: tuple[str, str],
        attributes: Mapping[str, Value],
        at: datetime | None,
    ) -> Span:
        """See Tracer.begin."""
        made = self._tracer.start_span(
            name,
            context=_below(*above),
            kind=_KINDS[kind],
            attributes=attributes,
            start_time=_nanoseconds(at),
        )
        return _Made(made)

    def close(self) -> None:
        """See Tracer.close."""
        self._provider.force_flush(_CLOSE_WITHIN_MS)


class _Made:
    """One span of the SDK."""

    def __init__(self, made: SdkSpan) -> None:
        self._made = made
        self.id = format(made.get_span_context().span_id, "016x")

    def set(self, **values: Value | None) -> None:
        for name, value in values.items():
            if value is not None:
                self._made.set_attribute(name.replace("__", "."), value)

    def rename(self, name: str) -> None:
        self._made.update_name(name)

    def fail(self, reason: str) -> None:
        self._made.set_attribute("error.type", reason)
        self._made.set_status(Status(StatusCode.ERROR))

    def end(self, at: datetime | None = None) -> None:
        self._made.end(_nanoseconds(at))


class CountedExporter(SpanExporter):
    """Passes spans on to another exporter, and counts those that it could not send."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._exporter.export(spans)
        outcome = "sent" if result is SpanExportResult.SUCCESS else "lost"
        metrics.SPANS.labels(outcome).inc(len(spans))
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)


class _LogsIds(RandomIdGenerator):
    """A span that begins a trace takes the id that logs name already."""

    def generate_trace_id(self) -> int:
        return int(context.trace_id.get() or context.new_trace_id(), 16)


def headers_of(text: str) -> dict[str, str]:
    """Pairs of `name=value`, separated by commas, as OpenTelemetry writes them. Raises Misconfigured."""
    pairs = [pair.partition("=") for pair in text.split(",") if pair.strip()]
    if any(not name.strip() or not sign for name, sign, _ in pairs):
        raise Misconfigured("FOOTNOTE_OTLP_HEADERS is not a list of name=value, separated by commas.")
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _below(trace: str, parent: str) -> Context:
    """Where a span with this parent stands. Without a parent it begins its trace."""
    if not parent:
        return Context()
    above = SpanContext(int(trace, 16), int(parent, 16), is_remote=True, trace_flags=TraceFlags(1))
    return set_span_in_context(NonRecordingSpan(above), Context())


def _nanoseconds(moment: datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp() * 1_000_000) * 1000
