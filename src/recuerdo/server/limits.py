"""How much a caller may do."""

import math
import re
from collections.abc import Iterator

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from recuerdo.core.errors import Unauthenticated
from recuerdo.core.quotas import Quota, QuotaOutcome, TokenBuckets
from recuerdo.core.scope import ANONYMOUS
from recuerdo.server.admission import CHATS
from recuerdo.server.answers import JsonResponse
from recuerdo.server.caller_limits import CallerLimits, network_of
from recuerdo.server.guards import STILL_ANSWERED
from recuerdo.server.observer import RESPONSE_HEADERS
from recuerdo.server.requests import identify

Caller = tuple[str, str]
"""The names of a user's buckets and of their tenant's."""

_STORING = frozenset({"POST", "PUT", "PATCH"})
_RUN = re.compile(r"/runs(?:/(?:stream|wait|batch))?$")
_BYTES_A_TOKEN = 4
_LEAST_MEGABYTES, _LEAST_TOKENS = 0.001, 1
"""The least that must be left of a quota whose cost is known only at the end, for a request to begin."""


class RateLimits:
    """Enforces the limits: a request beyond them is refused before any work is done for it."""

    def __init__(self, app: ASGIApp, limits: CallerLimits, buckets: TokenBuckets) -> None:
        self._app = app
        self._limits = limits
        self._buckets = buckets
        self._quotas = {kind: quota for kind, quota in limits._asdict().items() if isinstance(quota, Quota)}
        self._of_tenants = {
            kind: Quota(quota.size * limits.tenant, quota.per_second * limits.tenant)
            for kind, quota in self._quotas.items()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            return await self._open_socket(scope, receive, send)
        if scope["type"] != "http" or scope["path"] in STILL_ANSWERED:
            return await self._app(scope, receive, send)
        caller = await self._caller(scope)
        if isinstance(caller, JsonResponse):
            return await caller(scope, receive, send)
        if caller is None:
            return await self._app(scope, receive, send)
        requests, quota = await self._take(caller, "requests", 1)
        if not requests.granted:
            return await _refusal("requests", requests, quota)(scope, receive, send)
        is_storing = scope["method"] in _STORING
        length = _length(scope) if is_storing else None
        for kind, cost in _other_costs(scope, length) if is_storing or _is_stream(scope["path"]) else ():
            taken, of_kind = await self._take(caller, kind, cost)
            if not taken.granted:
                return await _refusal(kind, taken, of_kind)(scope, receive, send)
        scope[RESPONSE_HEADERS] += _rate_limit_headers(requests, quota)
        if not is_storing or (length is not None and scope["path"] not in CHATS):
            return await self._app(scope, receive, send)
        traffic = _Traffic()
        try:
            await self._app(scope, traffic.counting(receive), traffic.counted(send))
        finally:
            await self._charge(scope, caller, traffic, length)

    async def _open_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        taken = await self._buckets.take(f"streams {_network(scope)}", 1, self._limits.streams)
        if taken.granted:
            await self._app(scope, receive, send)
        else:
            await WebSocket(scope, receive, send).send_denial_response(_refusal("streams", taken, self._limits.streams))

    async def _caller(self, scope: Scope) -> Caller | JsonResponse | None:
        """Return the caller whose buckets the request takes from; none where the route itself refuses the request."""
        try:
            principal = await identify(HTTPConnection(scope))
        except Unauthenticated as error:
            if error.is_missing:
                return None
            quota = self._limits.failures
            taken = await self._buckets.take(f"failures {_network(scope)}", 1, quota)
            return None if taken.granted else _refusal("failures", taken, quota)
        except Exception:  # the route meets it again, and answers it
            return None
        owner = principal.owner
        # a visitor may become another one at any moment, and has the same address still
        user = f"{ANONYMOUS} {_network(scope)}" if owner.is_anonymous else owner.user
        return f"{len(owner.tenant)} {owner.tenant} {user}", owner.tenant

    async def _take(self, caller: tuple[str, str], kind: str, cost: float) -> tuple[QuotaOutcome, Quota]:
        """Take from the tenant's bucket if the user's has enough. If the tenant's hasn't, the user's is given back."""
        quota, many = self._quotas[kind], self._of_tenants[kind]
        user, tenant = caller
        key = f"{kind} user {user}"
        taken = await self._buckets.take(key, cost, quota)
        if not taken.granted:
            return taken, quota
        of_tenant = await self._buckets.take(f"{kind} tenant {tenant}", cost, many)
        if of_tenant.granted:
            return taken, quota
        await self._buckets.take(key, -cost, quota)
        return of_tenant, many

    async def _charge(self, scope: Scope, caller: Caller, traffic: "_Traffic", length: float | None) -> None:
        """Charge the costs that are known only at the end: the next request waits for them."""
        if traffic.received and length is None:
            await self._drain(caller, "megabytes", traffic.received / 2**20)
        if scope["path"] in CHATS:
            await self._drain(caller, "tokens", (traffic.received + traffic.sent) / _BYTES_A_TOKEN)

    async def _drain(self, caller: tuple[str, str], kind: str, cost: float) -> None:
        """Take the cost, or all that is left where that is less."""
        taken, _ = await self._take(caller, kind, cost)
        if not taken.granted and taken.left > 0:
            await self._take(caller, kind, min(cost, taken.left))


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

    def counted(self, send: Send) -> Send:
        async def send_counted(message: Message) -> None:
            self.sent += len(message.get("body", b""))
            await send(message)

        return send_counted


def _length(scope: Scope) -> int | None:
    """The bytes of the body, where the request says how many they are before they are read."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return None


def _other_costs(scope: Scope, length: int | None) -> Iterator[tuple[str, float]]:
    """The costs that are taken before the request begins, besides one of `requests`."""
    path, method = scope["path"], scope["method"]
    if method == "POST" and path.endswith("/runs/crons"):
        yield "schedules", 1
    elif method == "POST" and _RUN.search(path):
        yield "runs", 1
    if _is_stream(path):
        yield "streams", 1
    if path in CHATS:
        yield "tokens", _LEAST_TOKENS
    if method in _STORING:
        yield "megabytes", _LEAST_MEGABYTES if length is None else length / 2**20


def _is_stream(path: str) -> bool:
    return path.endswith("/stream") or path in CHATS


def _refusal(kind: str, taken: QuotaOutcome, quota: Quota) -> JsonResponse:
    wait = max(1, math.ceil(taken.wait))
    detail = f"Too much at once: the limit of {kind} is used up. Send this again in {wait} seconds."
    headers = {name.decode().title(): value.decode() for name, value in _rate_limit_headers(taken, quota)}
    return JsonResponse({"detail": detail, "code": "rate_limited"}, 429, {"Retry-After": str(wait), **headers})


def _rate_limit_headers(taken: QuotaOutcome, quota: Quota) -> list[tuple[bytes, bytes]]:
    """The RateLimit headers: how much, how much of it is left, and the seconds until all is."""
    size, left = int(quota.size), int(taken.left)
    return [
        (b"ratelimit-limit", b"%d" % size),
        (b"ratelimit-remaining", b"%d" % left),
        (b"ratelimit-reset", b"%d" % math.ceil((size - left) / quota.per_second)),
    ]


def _network(scope: Scope) -> str:
    return network_of(scope["client"][0]) if scope.get("client") else ""
