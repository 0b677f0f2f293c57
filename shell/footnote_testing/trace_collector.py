"""A backend for traces on loopback: it takes OTLP over HTTP, as a collector does, and keeps the spans."""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from threading import Thread

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from footnote_testing.loopback_server import LoopbackServer


@dataclass(frozen=True, slots=True)
class SeenSpan:
    """A span that has arrived. Ids are in hex; `parent` is empty at the top of a trace. Times are in ns."""

    trace: str
    id: str
    parent: str
    name: str
    service: str
    failed: bool
    begun: int
    ended: int
    attributes: Mapping[str, str | bool | int | float]


@dataclass
class TraceCollector:
    """What it has been sent. With a `status` other than 200 it takes nothing."""

    spans: list[SeenSpan] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    status: int = 200

    def start(self) -> "TraceCollector":
        ours = self

        class Taker(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                ours.headers.append(dict(self.headers))
                if self.path == "/v1/traces" and ours.status == 200:
                    ours.take(body)
                self.send_response(ours.status)
                self.send_header("Content-Type", "application/x-protobuf")
                self.end_headers()
                self.wfile.write(ExportTraceServiceResponse().SerializeToString())

            def log_request(self, code: object = "-", size: object = "-") -> None:
                """Says nothing."""

        self._server = LoopbackServer(Taker)
        self.url = self._server.url
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def take(self, body: bytes) -> None:
        """Keep the spans of one request."""
        self.bodies.append(body)
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            service = next(
                (a.value.string_value for a in resource.resource.attributes if a.key == "service.name"), ""
            )
            for scope in resource.scope_spans:
                self.spans += [
                    SeenSpan(
                        trace=span.trace_id.hex(),
                        id=span.span_id.hex(),
                        parent=span.parent_span_id.hex(),
                        name=span.name,
                        service=service,
                        failed=span.status.code == 2,
                        begun=span.start_time_unix_nano,
                        ended=span.end_time_unix_nano,
                        attributes={a.key: _value(a.value) for a in span.attributes},
                    )
                    for span in scope.spans
                ]

    def of(self, trace: str) -> dict[str, SeenSpan]:
        """The spans of a trace by their names; of several with one name the last."""
        return {span.name: span for span in list(self.spans) if span.trace == trace}


def _value(value: AnyValue) -> str | bool | int | float:
    kind = value.WhichOneof("value")
    found: str | bool | int | float = getattr(value, kind) if kind else ""
    return found
