"""The outer layers of the server, which record each request and accept or refuse it.

Each gets an id, a span, an entry in the metrics, and a line in the log; none of them ever contains a path's ids, a
query, a body or a user. None is accepted while the server stops, from other hosts or sites, or with too long a body.
"""

import asyncio
import logging
import re
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from secrets import token_hex
from types import MappingProxyType
from typing import Any, cast
from urllib.parse import unquote_to_bytes

from fastapi import HTTPException
from starlette.authentication import AuthCredentials
from starlette.requests import HTTPConnection, Request
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from recuerdo.core.api_keys import grants
from recuerdo.core.errors import Forbidden, RecuerdoError
from recuerdo.core.health import PartHealth
from recuerdo.core.tracing import RequestTrace, TraceSpan, current_request, time_waited
from recuerdo.server.admission import BUSY, CHATS, AdmissionControl
from recuerdo.server.answers import JsonResponse
from recuerdo.server.auth.options import host_name, is_loopback
from recuerdo.server.errors import RefusedCaller, answer_to, invalid, refused_by_http, unexpected
from recuerdo.server.requests import MetricsPage, MountedApp, RequestRecording, ServerOptions, find_principal

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


class RequestObserver:
    """Records each request.

    A caller's `X-Request-Id` and `traceparent` are kept, so that one id and one trace lead through several services;
    the response returns the id.
    """

    def __init__(self, app: ASGIApp, recording: RequestRecording, metrics: MetricsPage | None) -> None:
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
                kind = dict(message.get("headers", ())).get(b"content-type", b"") if method == "GET" else b""
                is_endless = kind.startswith(_EVENTS)
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
                if self._metrics is not None:
                    self._metrics.answered(method, route, status, seconds)
                if span is not None:
                    _describe(span, method, route, status)
                is_slow = seconds >= self._recording.slow > 0 and not is_endless
                if is_slow or self._recording.access_log:
                    _log_request(method, route, status, seconds, is_slow=is_slow)
                current_request.reset(token)
                time_waited.reset(waited)


def _describe(span: TraceSpan, method: str, route: str, status: int) -> None:
    span.rename(f"{method} {route}")
    span.set({"http.request.method": method, "http.route": route, "http.response.status_code": status})
    if status >= 500:
        span.fail(str(status))


def _log_request(method: str, route: str, status: int, seconds: float, *, is_slow: bool) -> None:
    fields = {"method": method, "route": route, "status": status, "milliseconds": round(seconds * 1000, 1)}
    for what, waited in (time_waited.get() or {}).items():
        fields[f"{what}_milliseconds"] = round(waited * 1000, 1)
    event = f"{method} {route}"
    if is_slow:
        _log.warning("slow: %s", event, extra=fields)
    else:
        _log.info(event, extra=fields)


PARTING = "recuerdo.parting"
"""The name of the list in a scope where a stream leaves its last words, in case the server stops before it is over."""

STILL_ANSWERED = frozenset({"/ok", "/healthz", "/info", "/metrics"})
"""Paths that report the state of this process, which answer until it has stopped."""

_PROBED = STILL_ANSWERED | {"/ready"}
"""Paths that load balancers and Prometheus request by this process's address, without a host name."""

MOST_BODY_BYTES = 2**20
"""The largest request body: 1 MB."""

_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_CREDENTIALS = frozenset({b"authorization", b"x-api-key"})
_OURS = frozenset({"/ok", "/healthz", "/ready", "/info", "/metrics", "/docs", "/openapi.json"})
"""Paths that no other application takes over."""

_FOREIGN_HOST = (
    "This server answers to its loopback names only (localhost, 127.0.0.1, [::1]), because no authentication is "
    "configured. Use one of them in the URL."
)
_TWO_HOSTS = "The request names more than one Host. Send the header Host once (RFC 9112, section 3.2)."
_OTHER_HOST = "This server answers to the names in RECUERDO_ALLOWED_HOSTS only. Use one of them in the URL."
_FOREIGN_PAGE = "A page of another site may not change anything here. Open this server's own page instead."
_TOO_LONG = f"The body is longer than {MOST_BODY_BYTES} bytes. Send it in several requests."
_PAUSE = 0.02
_SECONDS_TO_READ = 2.0
_CLOSE = (b"connection", b"close")
_HEADERS = {"Connection": "close", "Retry-After": "1"}
_REFUSED = "The server is stopping and has not taken up this request. Send it again: another replica answers it."
_PARTS = {"draining": PartHealth("failed", "The server is stopping.")}
DRAINING = "draining"
"""The code of `_REFUSED`: nothing was done."""

CUT = (
    "The server has stopped before this was done. Whether it took effect is unknown: send it again, with the same "
    "idempotency key if it had one."
)
CUT_CODE = "outcome_unknown"


class Drain:
    """Whether the server stops, and how much is still under way."""

    def __init__(self) -> None:
        self.is_stopping = False
        self.began = asyncio.Event()
        """Set soon after `is_stopping`, which a signal handler may set."""
        self.is_cut = False
        self.requests: set[asyncio.Task[Any]] = set()
        """The tasks that answer requests: what `cut` cancels."""
        self._others = 0

    def begin(self) -> None:
        """Start no new work from now on."""
        self.is_stopping = True
        self.began.set()

    @property
    def is_idle(self) -> bool:
        """Whether nothing is under way."""
        return not self.requests and not self._others

    async def finished(self, seconds: float) -> bool:
        """Wait until nothing is under way, for `seconds` at most. Returns whether that is so."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not self.is_idle and loop.time() < end:  # noqa: ASYNC110
            await asyncio.sleep(_PAUSE)
        return self.is_idle

    def cut(self) -> None:
        """Cancel the requests under way. Each gets an answer that says so."""
        self.is_cut = True
        for task in self.requests:
            task.cancel()

    @contextmanager
    def working(self) -> Generator[None]:
        """Count the block as work under way, which a stopping server waits for."""
        self._others += 1
        try:
            yield
        finally:
            self._others -= 1


class Draining:
    """Refuses with a 503 requests that come while the server stops, and those beyond what `control` admits.

    Connections are closed after an answer while the server stops. The state of the process is always answered,
    and streams of runs and threads, which may be idle for hours, are not counted as under way.
    """

    def __init__(self, app: ASGIApp, drain: Drain, control: AdmissionControl) -> None:
        self._app = app
        self._drain = drain
        self._control = control

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind = scope["type"]
        if kind == "lifespan" or (kind == "websocket" and not self._drain.is_stopping):
            await self._app(scope, receive, send)
        elif kind == "websocket":
            await WebSocket(scope, receive, send).send_denial_response(_stopping(_REFUSED, DRAINING))
        elif self._drain.is_stopping and scope["path"] not in STILL_ANSWERED:
            await _read_to_the_end(receive)
            parts = {"parts": _PARTS} if scope["path"] == "/ready" else {}
            await _stopping(_REFUSED, DRAINING, parts)(scope, receive, send)
        elif self._control.working >= self._control.allowed and scope["path"] not in STILL_ANSWERED:
            self._control.refused += 1
            wait = {"Retry-After": str(self._control.wait)}
            await JsonResponse({"detail": BUSY, "code": "overloaded"}, 503, wait)(scope, receive, send)
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        drain, started, ended = self._drain, False, False
        parting: list[bytes] = scope.setdefault(PARTING, [])

        async def send_noted(message: Message) -> None:
            nonlocal started, ended
            if message["type"] == "http.response.start":
                started = True
                if drain.is_stopping:
                    others = [header for header in message.get("headers", ()) if header[0].lower() != _CLOSE[0]]
                    message = {**message, "headers": [*others, _CLOSE]}
            else:
                ended = not message.get("more_body", False)
            await send(message)

        path, control = scope["path"], self._control
        counts = path in CHATS or not path.endswith("/stream")
        waits_for_model = path in control.chats_with_model or "/runs" in path or path.endswith("/summarise")
        plain = counts and not waits_for_model
        began, waits_for_body = time.monotonic(), True

        async def receive_body() -> Message:
            """Receive the next part; a request that waits for its body takes no other's place, however slow it is."""
            nonlocal began, waits_for_body
            if not waits_for_body:
                return await receive()
            control.working -= counts
            control.plain -= plain
            try:
                message = await receive()
            finally:
                control.working += counts
                control.plain += plain
                began = time.monotonic()
            waits_for_body = message.get("more_body", False)
            return message

        task = cast(asyncio.Task[Any], asyncio.current_task())  # a coroutine runs in a task
        drain.requests.add(task)
        control.working += counts
        control.plain += plain
        control.begun += counts
        try:
            await self._app(scope, receive_body, send_noted)
        except asyncio.CancelledError:
            if not drain.is_cut:
                raise
            task.uncancel()
        except Exception:
            if not started:
                await unexpected()(scope, receive, send_noted)
            raise
        finally:
            drain.requests.discard(task)
            control.working -= counts
            control.plain -= plain
            if plain and began >= control.lowered:  # an older one says nothing of how it is now
                control.seconds += time.monotonic() - began
                control.ended += 1
        if drain.is_cut and not ended:
            await (_end(send, parting) if started else _stopping(CUT, CUT_CODE)(scope, receive, send))


async def _end(send: Send, parting: Sequence[bytes]) -> None:
    await send({"type": "http.response.body", "body": b"".join(parting)})


def _stopping(detail: str, code: str, more: Mapping[str, Any] = MappingProxyType({})) -> JsonResponse:
    return JsonResponse({"detail": detail, "code": code, **more}, 503, _HEADERS)


async def _read_to_the_end(receive: Receive) -> None:
    """A connection that is closed with something unread in it is reset, and the client may never see the answer."""
    try:
        async with asyncio.timeout(_SECONDS_TO_READ):
            while (message := await receive())["type"] == "http.request" and message.get("more_body", False):
                pass
    except TimeoutError:
        return


class Guards:
    """Checks requests before the application sees them: the Host, the Origin, the path, and the body's length.

    Without authentication a Host that is neither a loopback name nor allowed gets a 421: a foreign name that was
    rebound to 127.0.0.1 shows itself there. With authentication this applies where `hosts` are named. Two Hosts get a
    400, since a proxy may have looked at the other one. A changing
    request or a WebSocket that another site's page makes a browser send gets a 403; with authentication a request
    that carries a credential is let through: a browser doesn't add one automatically, and a page that adds one has
    it from its user. A matching route of the mounted application answers before a route of ours. A body longer than
    `MOST_BODY_BYTES` gets a 413, and the body of a refused caller is not read.
    """

    def __init__(self, app: ASGIApp, options: ServerOptions) -> None:
        self._app = app
        self._mounted = options.mounted
        self._origins = frozenset(options.origins)
        self._hosts = frozenset(host.lower() for host in options.hosts)
        self._authenticated = options.auth is not None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind = scope["type"]
        if kind == "lifespan":
            return await self._app(scope, receive, send)
        headers = dict(reversed(scope["headers"]))  # of several the first; Starlette's Headers would take a while
        refusal = self._refusal(scope, headers)
        if refusal is not None and kind == "websocket":
            return await send({"type": "websocket.close", "code": 1008, "reason": "other host or site"})
        if refusal is not None:
            return await refused_by_http(*refusal)(scope, receive, send)
        if self._mounted is not None and _is_mounted(self._mounted, scope):
            return await _serve_mounted(self._mounted, scope, receive, send)
        raw = scope.get("raw_path")
        if raw and b"%" in raw:
            try:
                scope["path"] = _routable(raw)  # not in a copy: the layers around this one read the route from it
            except UnicodeDecodeError:
                return await invalid(["path"], "must be percent-encoded UTF-8")(scope, receive, send)
        if kind == "websocket":
            return await self._app(scope, receive, send)
        length = headers.get(b"content-length", b"")
        if length.isdigit() and int(length) > MOST_BODY_BYTES:
            return await refused_by_http(413, _TOO_LONG)(scope, receive, send)
        received, is_known = 0, not self._authenticated

        async def receive_checked() -> Message:
            """Receive as much as may be sent, by its length on the wire, and nothing of a caller who is refused."""
            nonlocal received, is_known
            if not is_known:
                try:
                    await find_principal(HTTPConnection(scope), is_routed=False)
                except RecuerdoError as error:
                    raise RefusedCaller(error) from error
                is_known = True
            message = await receive()
            received += len(message.get("body", b""))
            if received > MOST_BODY_BYTES:
                raise HTTPException(413, _TOO_LONG)
            return message

        return await self._app(scope, receive_checked, send)

    def _refusal(self, scope: Scope, headers: Mapping[bytes, bytes]) -> tuple[int, str] | None:
        if len(headers) < len(scope["headers"]) and sum(name == b"host" for name, _ in scope["headers"]) > 1:
            return 400, _TWO_HOSTS
        host = headers.get(b"host", b"").decode("latin-1").lower()
        # with authentication only named hosts count, and probes are exempt
        counts = not self._authenticated or (self._hosts and scope["path"] not in _PROBED)
        if counts and not is_loopback(name := host_name(host)) and name not in self._hosts:
            return 421, _OTHER_HOST if self._authenticated else _FOREIGN_HOST
        origin = headers.get(b"origin", b"").decode("latin-1")
        if not origin or scope.get("method") in _READING or origin in self._origins:
            return None
        if origin.lower() in (f"http://{host}", f"https://{host}"):
            return None
        if self._authenticated and not _CREDENTIALS.isdisjoint(headers):
            return None
        return 403, _FOREIGN_PAGE


def _routable(raw: bytes) -> str:
    """The path as it was sent, so that any id can be written into it, one with an encoded slash as one segment.

    Servers decode a path before it is routed: `/threads/a%2Fmessages` would be the messages of the thread `a`, and
    broken UTF-8 would become the same replacement character for every id. Here each segment is decoded on its own,
    and its own slashes and percent signs stay encoded; the types of `schemas` decode the ids. The segments `.` and
    `..` mean something else to most clients: ids of these names can't be reached by URL.
    """
    segments = raw.partition(b"?")[0].split(b"/")
    return "/".join(unquote_to_bytes(each).decode().replace("%", "%25").replace("/", "%2F") for each in segments)


def _is_mounted(mounted: MountedApp, scope: Scope) -> bool:
    return scope["path"] not in _OURS and any(route.matches(scope)[0] is Match.FULL for route in mounted.app.routes)


async def _serve_mounted(mounted: MountedApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Let the other application answer; it is shown the caller as `request.user` and `request.auth`."""
    if not mounted.guarded:
        return await mounted.app(scope, receive, send)
    try:
        principal = await find_principal(HTTPConnection(scope), is_routed=False)
        level = "read" if scope.get("method") in _READING else "write"
        if not grants(principal.scopes, "app", level):
            raise Forbidden(f"This needs a key with the scope app:{level}. Use another key.")
    except RecuerdoError as error:
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close", "code": 1008})
        return await answer_to(error, Request(scope))(scope, receive, send)
    caller = principal.access.caller if principal.access is not None else None
    shown = {
        "user": caller.user if caller else principal,
        "auth": AuthCredentials(list(caller.permissions) if caller else None),
    }
    return await mounted.app({**scope, **shown}, receive, send)
