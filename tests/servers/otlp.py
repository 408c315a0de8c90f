"""A receiver of OTLP over HTTP, as an OpenTelemetry collector has one.

with OtlpReceiver() as receiver:
    ...  # something sends to receiver.url
    spans = receiver.spans
"""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class ReceivedSpan(NamedTuple):
    """A span as it arrived."""

    name: str
    trace_id: str
    span_id: str
    parent_id: str
    attributes: dict[str, Any]
    has_failed: bool


class OtlpReceiver:
    """Collects the spans that are sent to `url`; `raw` is every byte that came."""

    def __init__(self) -> None:
        self.spans: list[ReceivedSpan] = []
        self.services: set[str] = set()
        self.raw = b""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver._take(self.path, body)
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def named(self, name: str) -> list[ReceivedSpan]:
        """The spans with this name."""
        return [span for span in self.spans if span.name == name]

    def _take(self, path: str, body: bytes) -> None:
        assert path == "/v1/traces"
        self.raw += body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.services |= {
                value for key, value in _read(resource.resource.attributes).items() if key == "service.name"
            }
            for scope in resource.scope_spans:
                self.spans += map(_span, scope.spans)


def _span(span: Any) -> ReceivedSpan:
    ids = (span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex())
    return ReceivedSpan(span.name, *ids, _read(span.attributes), span.status.code == 2)


def _read(attributes: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in attributes}
