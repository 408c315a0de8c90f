"""How much a caller may do."""

import math
import re
from collections.abc import Awaitable, Iterator
from functools import lru_cache, partial

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from recuerdo.core.errors import RateLimited, Unauthenticated
from recuerdo.core.quotas import BucketKey, Quota, QuotaOutcome, TokenBuckets
from recuerdo.core.scope import ANONYMOUS
from recuerdo.server.admission import CHATS
from recuerdo.server.answers import JsonResponse
from recuerdo.server.caller_limits import CallerLimits, network_of
from recuerdo.server.errors import failure
from recuerdo.server.guards import RESPONSE_HEADERS, STILL_ANSWERED
from recuerdo.server.requests import find_principal

_STORING = frozenset({"POST", "PUT", "PATCH"})
_RUN = re.compile(r"/runs(?:/(?:stream|wait))?$")
_BATCH = "/runs/batch"
TAKE_RUNS = "recuerdo.take_runs"
"""The name in the scope of a batch of the function that takes its runs from the caller's limit, if there are limits."""

_BYTES_A_TOKEN = 4
_LEAST_MEGABYTES, _LEAST_TOKENS = 0.001, 1
"""The least that must be left of a quota whose cost is known only at the end, for a request to begin."""


class RateLimits:
    """Enforces the limits: a request beyond them is refused before any work is done for it."""

    def __init__(self, app: ASGIApp, limits: CallerLimits, buckets: TokenBuckets) -> None:
        self._app = app
        self._limits = limits
        self._buckets = buckets
        self._quotas = {
            kind: (quota, Quota(quota.size * limits.tenant, quota.per_second * limits.tenant))
            for kind, quota in limits._asdict().items()
            if isinstance(quota, Quota)
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            return await self._open_socket(scope, receive, send)
        if scope["type"] != "http" or scope["path"] in STILL_ANSWERED:
            return await self._app(scope, receive, send)
        try:
            owner = (await find_principal(HTTPConnection(scope), is_routed=False)).owner
        except Unauthenticated as error:
            refused = None if error.is_missing else await self._failure(scope)
            return await (refused or self._app)(scope, receive, send)
        except Exception:  # the route meets it again, and answers it
            return await self._app(scope, receive, send)
        # a visitor may become another one at any moment, and has the same address still
        caller = (owner.tenant, ANONYMOUS, _network(scope)) if owner.is_anonymous else (owner.tenant, owner.user)
        requests, quota = await self._take(caller, "requests", 1)
        if not requests.granted:
            return await _refusal("requests", requests, quota)(scope, receive, send)
        is_storing, length = scope["method"] in _STORING, None
        if is_storing or scope["path"].endswith("/stream"):
            length = _length(scope) if is_storing else None
            for kind, cost in _other_costs(scope, length):
                taken, of_kind = await self._take(caller, kind, cost)
                if not taken.granted:
                    return await _refusal(kind, taken, of_kind)(scope, receive, send)
            if scope["path"] == _BATCH:
                scope[TAKE_RUNS] = partial(self._take_runs, caller)
        scope[RESPONSE_HEADERS] += _rate_limit_headers(int(requests.left), quota)
        if not is_storing or (length is not None and scope["path"] not in CHATS):
            return await self._app(scope, receive, send)
        traffic = _Traffic()
        try:
            await self._app(scope, traffic.counting(receive), traffic.counted(send))
        finally:
            await self._charge(scope, caller, traffic, length)

    async def _open_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        taken = await self._buckets.take(("streams", "", _network(scope)), 1, self._limits.streams)
        if taken.granted:
            await self._app(scope, receive, send)
        else:
            await WebSocket(scope, receive, send).send_denial_response(_refusal("streams", taken, self._limits.streams))

    async def _failure(self, scope: Scope) -> JsonResponse | None:
        """Count a credential that the route will refuse. Returns the answer where there were too many."""
        quota = self._limits.failures
        taken = await self._buckets.take(("failures", "", _network(scope)), 1, quota)
        return None if taken.granted else _refusal("failures", taken, quota)

    def _take(self, caller: BucketKey, kind: str, cost: float) -> Awaitable[tuple[QuotaOutcome, Quota]]:
        """Take from the buckets of the user and of the tenant."""
        return self._buckets.take_both(((kind, *caller), (kind, caller[0])), cost, self._quotas[kind])

    async def _take_runs(self, caller: BucketKey, count: int) -> None:
        """Take the runs of a batch, which are known once it is read. Raises RateLimited."""
        taken, _ = await self._take(caller, "runs", count)
        if not taken.granted:
            raise _used_up("runs", taken)

    async def _charge(self, scope: Scope, caller: BucketKey, traffic: "_Traffic", length: float | None) -> None:
        """Charge the costs that are known only at the end: the next request waits for them."""
        if traffic.received and length is None:
            await self._drain(caller, "megabytes", traffic.received / 2**20)
        if scope["path"] in CHATS:
            await self._drain(caller, "tokens", (traffic.received + traffic.sent) / _BYTES_A_TOKEN)

    async def _drain(self, caller: BucketKey, kind: str, cost: float) -> None:
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
    if path.endswith("/stream") or path in CHATS:
        yield "streams", 1
    if path in CHATS:
        yield "tokens", _LEAST_TOKENS
    if method in _STORING:
        yield "megabytes", _LEAST_MEGABYTES if length is None else length / 2**20


def _refusal(kind: str, taken: QuotaOutcome, quota: Quota) -> JsonResponse:
    headers = {name.decode().title(): value.decode() for name, value in _rate_limit_headers(int(taken.left), quota)}
    return failure(_used_up(kind, taken), 429, headers)


def _used_up(kind: str, taken: QuotaOutcome) -> RateLimited:
    wait = max(1, math.ceil(taken.wait))
    detail = f"Too much at once: the limit of {kind} is used up. Send this again in {wait} seconds."
    return RateLimited(detail, retry_after=wait)


@lru_cache(1_000)
def _rate_limit_headers(left: int, quota: Quota) -> tuple[tuple[bytes, bytes], ...]:
    """The RateLimit headers: how much, how much of it is left, and the seconds until all is.

    Nearly all callers have asked for little, so that few of these are in use.
    """
    size = int(quota.size)
    seconds = math.ceil((size - left) / quota.per_second)
    return (
        (b"ratelimit-limit", b"%d" % size),
        (b"ratelimit-remaining", b"%d" % left),
        (b"ratelimit-reset", b"%d" % seconds),
    )


def _network(scope: Scope) -> str:
    return network_of(scope["client"][0]) if scope.get("client") else ""
