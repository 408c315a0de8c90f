"""The outermost layer of the server: each request gets an id, a span, an entry in the metrics, and a line in the log.

None of them ever contains a path's ids, a query, a body or a user.
"""

import logging
import re
import time
from contextlib import nullcontext
from secrets import token_hex
from typing import NamedTuple, Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recuerdo.core.tracing import RequestTrace, Tracer, TraceSpan, current_request, time_waited

RESPONSE_HEADERS = "recuerdo.response_headers"
"""The name of the list in a scope of the headers that the layers of the server add to the response."""

_log = logging.getLogger("recuerdo.access")
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._:+/=@-]{1,128}")
_TRACEPARENT = re.compile(rb"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_UNKNOWN_ROUTE = "none"
"""The route of requests that fit no route: their paths are chosen by callers, and must not become labels."""

_EVENTS = b"text/event-stream"
_SOCKET = "WEBSOCKET"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", _SOCKET})


class RequestMetrics(Protocol):
    """Counts and times requests."""

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Record a request that has ended."""
        ...


class RequestRecording(NamedTuple):
    """How requests are recorded. Those that take `slow` seconds are logged as slow.

    A stream that a GET request listens to is never slow; one that begins with its own chat or run ends with it.
    """

    slow: float = 5.0
    access_log: bool = False
    tracer: Tracer | None = None


class RequestObserver:
    """Records each request.

    A caller's `X-Request-Id` and `traceparent` are kept, so that one id and one trace lead through several services;
    the response returns the id.
    """

    def __init__(self, app: ASGIApp, recording: RequestRecording, metrics: RequestMetrics | None) -> None:
        self._app = app
        self._recording = recording
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        method, headers = scope.get("method", _SOCKET), dict(scope["headers"])
        method = method if method in _METHODS else "OTHER"
        request_id, traceparent = headers.get(b"x-request-id", b""), headers.get(b"traceparent", b"")
        name = request_id.decode() if _REQUEST_ID.fullmatch(request_id) else token_hex(16)
        parent = {"traceparent": traceparent.decode()} if _TRACEPARENT.fullmatch(traceparent) else {}
        added = scope[RESPONSE_HEADERS] = [(b"x-request-id", name.encode())]
        status, is_endless, tracer = 500, False, self._recording.tracer

        async def send_named(message: Message) -> None:
            nonlocal status, is_endless
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                status = message["status"]
                is_endless = method == "GET" and _is_stream(message)
                message = {**message, "headers": [*message.get("headers", ()), *added]}
            elif message["type"] == "websocket.accept":
                status, is_endless = 101, True
                message = {**message, "headers": [*message.get("headers", ()), *added]}
            elif message["type"] == "websocket.close" and not is_endless:
                status = 403
            await send(message)

        with tracer.serve(method, parent) if tracer else nullcontext() as span:
            traced = span.traceparent if span else parent.get("traceparent", "")
            token, waited = current_request.set(RequestTrace(name, traced)), time_waited.set({})
            began = time.perf_counter()
            try:
                await self._app(scope, receive, send_named)
            finally:
                seconds = time.perf_counter() - began
                route = getattr(scope.get("route"), "path", _UNKNOWN_ROUTE)
                self._record(method, route, status, seconds, span, is_endless=is_endless)
                current_request.reset(token)
                time_waited.reset(waited)

    def _record(
        self, method: str, route: str, status: int, seconds: float, span: TraceSpan | None, *, is_endless: bool
    ) -> None:
        if self._metrics is not None:
            self._metrics.answered(method, route, status, seconds)
        if span is not None:
            span.rename(f"{method} {route}")
            span.set({"http.request.method": method, "http.route": route, "http.response.status_code": status})
            if status >= 500:
                span.fail(str(status))
        is_slow = seconds >= self._recording.slow > 0 and not is_endless
        if is_slow or self._recording.access_log:
            fields = {"method": method, "route": route, "status": status, "milliseconds": round(seconds * 1000, 1)}
            for what, waited in (time_waited.get() or {}).items():
                fields[f"{what}_milliseconds"] = round(waited * 1000, 1)
            event = f"{method} {route}"
            if is_slow:
                _log.warning("slow: %s", event, extra=fields)
            else:
                _log.info(event, extra=fields)


def _is_stream(start: Message) -> bool:
    return dict(start.get("headers", ())).get(b"content-type", b"").startswith(_EVENTS)
