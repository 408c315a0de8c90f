"""How much a caller may do."""

import math
import re

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from recuerdo.core.errors import Unauthenticated
from recuerdo.core.quotas import Quota, Taken, TokenBuckets
from recuerdo.core.scope import ANONYMOUS
from recuerdo.server.answers import JsonResponse
from recuerdo.server.caller_limits import CallerLimits
from recuerdo.server.guards import STILL_ANSWERED
from recuerdo.server.requests import identify

Caller = tuple[str, str] | None
"""The names of a user's buckets and of their tenant's; None for nobody."""

_BUSY = "The server has more to do than it can. It has not taken up this request: send it again in a second."
_STORING = frozenset({"POST", "PUT", "PATCH"})
_CHATS = frozenset({"/v1/chat", "/v1/chat/stream", "/api/v1/chatbot/stream"})
_RUN = re.compile(r"/runs(?:/(?:stream|wait|batch))?$")
_BYTES_A_TOKEN = 4
_LEAST = {"megabytes": 0.001, "tokens": 1}
"""The least that must be left of a quota whose cost is known only at the end, for a request to begin."""


class RateLimits:
    """Lets a caller do as much as the limits say, and sends away what is too much before anything is done for it."""

    def __init__(self, app: ASGIApp, limits: CallerLimits, buckets: TokenBuckets) -> None:
        self._app = app
        self._limits = limits
        self._buckets = buckets
        self._working = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or scope["path"] in STILL_ANSWERED:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._open_socket(scope, receive, send)
        elif self._working >= self._limits.at_once:
            await JsonResponse({"detail": _BUSY, "code": "overloaded"}, 503, {"Retry-After": "1"})(scope, receive, send)
        else:
            await self._answer(scope, receive, send)

    async def _open_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        taken = await self._buckets.take(f"streams {_address(scope)}", 1, self._limits.streams)
        if taken.granted:
            await self._app(scope, receive, send)
        else:
            await WebSocket(scope, receive, send).send_denial_response(_refusal("streams", taken, self._limits.streams))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = await self._caller(scope)
        if isinstance(caller, JsonResponse):
            await caller(scope, receive, send)
            return
        kinds = _kinds(scope)
        shown = Taken(True, 0, 0)
        for kind in kinds:
            if caller is None:
                break
            taken, quota = await self._take(caller, kind, _LEAST.get(kind, 1))
            if not taken.granted:
                await _refusal(kind, taken, quota)(scope, receive, send)
                return
            shown = taken if kind == "requests" else shown
        traffic = _Traffic()
        is_stream = "streams" in kinds
        self._working += not is_stream
        try:
            await self._app(scope, traffic.counting(receive), self._with_limits(traffic, send, shown, bool(caller)))
        finally:
            self._working -= not is_stream
            await self._charge(scope, caller, traffic)

    async def _caller(self, scope: Scope) -> Caller | JsonResponse:
        """Return the caller whose buckets the request takes from; none where the route itself refuses the request."""
        connection = HTTPConnection(scope)
        try:
            principal = await identify(connection)
        except Unauthenticated as error:
            if error.is_missing:
                return None
            quota = self._limits.failures
            taken = await self._buckets.take(f"failures {_address(scope)}", 1, quota)
            return None if taken.granted else _refusal("failures", taken, quota)
        except Exception:  # the route meets it again, and answers it
            return None
        owner = principal.owner
        # a visitor may become another one at any moment, and has the same address still
        user = f"{ANONYMOUS} {_address(scope)}" if owner.is_anonymous else owner.user
        return f"{len(owner.tenant)} {owner.tenant} {user}", owner.tenant

    async def _take(self, caller: tuple[str, str], kind: str, cost: float) -> tuple[Taken, Quota]:
        """Take from the tenant's bucket if the user's has enough. If the tenant's hasn't, the user's is given back."""
        quota: Quota = getattr(self._limits, kind)
        user, tenant = caller
        taken = await self._buckets.take(f"{kind} user {user}", cost, quota)
        if not taken.granted:
            return taken, quota
        many = Quota(quota.size * self._limits.tenant, quota.per_second * self._limits.tenant)
        of_tenant = await self._buckets.take(f"{kind} tenant {tenant}", cost, many)
        return (taken, quota) if of_tenant.granted else (of_tenant, many)

    async def _charge(self, scope: Scope, caller: Caller, traffic: "_Traffic") -> None:
        """Charge the costs that are known only at the end: the next request waits for them."""
        if caller and traffic.received and scope["method"] in _STORING:
            await self._drain(caller, "megabytes", traffic.received / 2**20)
        if caller and scope["path"] in _CHATS:
            await self._drain(caller, "tokens", (traffic.received + traffic.sent) / _BYTES_A_TOKEN)

    async def _drain(self, caller: tuple[str, str], kind: str, cost: float) -> None:
        """Take the cost, or all that is left where that is less."""
        taken, _ = await self._take(caller, kind, cost)
        if not taken.granted and taken.left > 0:
            await self._take(caller, kind, min(cost, taken.left))

    def _with_limits(self, traffic: "_Traffic", send: Send, shown: Taken, is_known: bool) -> Send:
        quota = self._limits.requests

        async def send_with_limits(message: Message) -> None:
            if message["type"] == "http.response.start" and is_known:
                headers = [*message.get("headers", ()), *_rate_limit_headers(shown, quota)]
                message = {**message, "headers": headers}
            traffic.sent += len(message.get("body", b""))
            await send(message)

        return send_with_limits


class _Traffic:
    """The bytes of one request and its answer."""

    def __init__(self) -> None:
        self.received = self.sent = 0

    def counting(self, receive: Receive) -> Receive:
        async def receive_counted() -> Message:
            message = await receive()
            self.received += len(message.get("body", b""))
            return message

        return receive_counted


def _kinds(scope: Scope) -> tuple[str, ...]:
    """Return the quotas that a request takes from, with those of stored bytes and tokens, which are charged later."""
    path, is_post = scope["path"], scope["method"] == "POST"
    kinds = ["requests"]
    if is_post and path.endswith("/runs/crons"):
        kinds.append("schedules")
    elif is_post and _RUN.search(path):
        kinds.append("runs")
    if path.endswith("/stream") or path in _CHATS:
        kinds.append("streams")
    if path in _CHATS:
        kinds.append("tokens")
    if scope["method"] in _STORING:
        kinds.append("megabytes")
    return tuple(kinds)


def _refusal(kind: str, taken: Taken, quota: Quota) -> JsonResponse:
    wait = max(1, math.ceil(taken.wait))
    detail = f"Too much at once: the limit of {kind} is used up. Send this again in {wait} seconds."
    headers = {name.decode().title(): value.decode() for name, value in _rate_limit_headers(taken, quota)}
    return JsonResponse({"detail": detail, "code": "rate_limited"}, 429, {"Retry-After": str(wait), **headers})


def _rate_limit_headers(taken: Taken, quota: Quota) -> list[tuple[bytes, bytes]]:
    """The RateLimit headers: how much, how much of it is left, and the seconds until all is."""
    left = max(0, math.floor(taken.left))
    reset = math.ceil((quota.size - left) / quota.per_second)
    numbers = (("limit", int(quota.size)), ("remaining", min(left, int(quota.size))), ("reset", reset))
    return [(f"ratelimit-{name}".encode(), str(number).encode()) for name, number in numbers]


def _address(scope: Scope) -> str:
    return scope["client"][0] if scope.get("client") else ""
