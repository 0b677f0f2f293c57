"""Spans of the work, for any backend that takes OTLP. Off without an endpoint: then a span costs one look.

The trace of a span is `context.trace_id`, which logs name too. Its parent is `context.span_id`. Spans hold
ids, counts and names of routes, tasks, tools and models. They hold no content.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

from footnote_shared.settings.telemetry import TelemetrySettings
from footnote_shared.telemetry import context
from footnote_shared.telemetry.spans import NO_SPAN, Kind, Span, Tracer, Value

_tracer: Tracer | None = None


def set_up_traces(settings: TelemetrySettings, service: str) -> None:
    """Send spans of this process to `FOOTNOTE_OTLP_ENDPOINT`, if there is one. Call it once per process."""
    if settings.otlp_endpoint:
        from footnote_shared.telemetry.otlp import OtlpTracer  # noqa: PLC0415

        use_tracer(OtlpTracer(settings, service))


def use_tracer(tracer: Tracer | None) -> None:
    """Make spans with this one from now on; with None make none."""
    global _tracer
    _tracer = tracer


def end_traces() -> None:
    """Send the spans that wait. For processes that end without Python's own way out."""
    if _tracer is not None:
        _tracer.close()


def traced() -> bool:
    """Whether spans are made."""
    return _tracer is not None


def begin_span(name: str, kind: Kind = "internal", **values: Value | None) -> Span:
    """A span that the caller ends, for work that is left and entered again. It is no parent of others."""
    if _tracer is None:
        return NO_SPAN
    above = context.trace_id.get(), context.span_id.get()
    return _tracer.begin(name, kind, above, _attributes(values), None)


@contextmanager
def span(name: str, kind: Kind = "internal", **values: Value | None) -> Iterator[Span]:
    """A span of the block, and parent of what begins in it. An exception that leaves the block fails it."""
    if _tracer is None:
        yield NO_SPAN
        return
    made = begin_span(name, kind, **values)
    before = context.span_id.set(made.id)
    try:
        yield made
    except Exception as error:
        made.fail(type(error).__name__)
        raise
    finally:
        context.span_id.reset(before)
        made.end()


def past_span(name: str, parent: str, begun: datetime, ended: datetime, **values: Value | None) -> None:
    """A span of work that is over, below `parent`, the value of a `traceparent` header."""
    if _tracer is not None and (above := context.parent_of(parent)):
        place = context.trace_of(parent), above
        _tracer.begin(name, "internal", place, _attributes(values), begun).end(ended)


def _attributes(values: Mapping[str, Value | None]) -> dict[str, Value]:
    return {name.replace("__", "."): value for name, value in values.items() if value is not None}
