"""Visitors: callers without a credential, each with an identity of their own in a signed token.

A browser keeps the token as a cookie, a program sends it back in the header that brought it. It names no user and opens
nothing but the visitor's own conversations.
"""

import base64
import hmac
import re
import secrets
import time
from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recuerdo.core.api_keys import FULL, grants
from recuerdo.core.errors import Unauthenticated
from recuerdo.core.identifiers import derived_id
from recuerdo.core.roles import ANONYMOUS_ROLE
from recuerdo.core.scope import VISITOR_PREFIX, Owner
from recuerdo.server.auth.options import VisitorOptions
from recuerdo.server.requests import DELIVERY, VISITOR_HEADER, Principal, cookie_name, cookie_of, is_over_tls
from recuerdo.server.scopes import VISITOR_SCOPES

VISITOR_COOKIE = "recuerdo_visitor"
_FORM = re.compile(r"v1\.([A-Za-z0-9_-]{32})\.([0-9]{1,11})\.([A-Za-z0-9_-]{43})")
_RANDOM_BYTES = 24
_RENEWED_DAILY = 86_400
_INVALID = (
    "The visitor token is not good any more: it has expired, or this server did not sign it. Leave the header "
    f"{VISITOR_HEADER} out to begin as a new visitor."
)


class VisitorIdentity(NamedTuple):
    """A visitor by their token, which ends at a time in seconds since 1970."""

    owner: Owner
    ends: int


class Visitors:
    """Makes, reads and renews tokens of visitors."""

    def __init__(self, options: VisitorOptions, clock: Callable[[], float] = time.time) -> None:
        """The first of the keys signs, all of them are accepted."""
        self._options = options
        self._clock = clock

    def recognise(self, headers: Headers, connection: HTTPConnection, tenant: str | None = None) -> Principal:
        """The visitor of a request that has no credential, or none that names a person.

        One without a token is new, and gets one with the response when the request leaves something behind: reading
        alone makes no visitor, so that several requests of a new page don't overwrite each other's token.
        Raises Unauthenticated for a bad token in the header; a bad cookie is replaced.
        """
        tenant = tenant or self._options.tenant
        visit = self.present(headers, connection, tenant)
        if visit is None:
            owner = Owner(tenant, VISITOR_PREFIX + _text(secrets.token_bytes(_RANDOM_BYTES)))
            is_kept = connection.scope.get("method") not in ("GET", "HEAD", "OPTIONS")
            is_asked_for = connection.scope["path"] == "/v1/principal"
            return _principal(owner, self.issue(owner) if is_kept or is_asked_for else None)
        is_old = visit.ends - self._clock() < self._options.lifetime - _RENEWED_DAILY
        return _principal(visit.owner, self.issue(visit.owner) if is_old else None)

    def present(
        self, headers: Headers, connection: HTTPConnection, tenant: str | None = None
    ) -> VisitorIdentity | None:
        """The visitor whose token the request has; None without one. Raises Unauthenticated for a bad header."""
        tenant = tenant or self._options.tenant
        named = headers.get(VISITOR_HEADER)
        if named is not None:
            visit = self.read(named, tenant)
            if visit is None:
                raise Unauthenticated(_INVALID)
            return visit
        cookie = cookie_of(headers, cookie_name(connection, VISITOR_COOKIE))
        return self.read(cookie, tenant) if cookie else None

    def issue(self, owner: Owner) -> str:
        """A token for the visitor, good for a lifetime from now on."""
        name, ends = owner.user.removeprefix(VISITOR_PREFIX), int(self._clock() + self._options.lifetime)
        return f"v1.{name}.{ends}.{_signature(self._options.keys[0], owner, ends)}"

    def read(self, token: str, tenant: str) -> VisitorIdentity | None:
        """The visitor of this tenant whose token it is; None for an expired or a foreign one."""
        found = _FORM.fullmatch(token)
        if found is None or int(found[2]) <= self._clock():
            return None
        visit = VisitorIdentity(Owner(tenant, VISITOR_PREFIX + found[1]), int(found[2]))
        signed = [_signature(key, visit.owner, visit.ends) for key in self._options.keys]
        return visit if any(hmac.compare_digest(each, found[3]) for each in signed) else None


def _principal(owner: Owner, token: str | None) -> Principal:
    return Principal(owner, ANONYMOUS_ROLE, scopes=VISITOR_SCOPES, visitor_token=token)


def _signature(key: str, owner: Owner, ends: int) -> str:
    return _text(
        hmac.digest(key.encode(), f"v1 {len(owner.tenant)} {owner.tenant} {owner.user} {ends}".encode(), sha256)
    )


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def as_visitor(principal: Principal) -> Principal:
    """A caller of the role `public` as the visitor that they are: one person, whose name is not kept."""
    owner, scopes = principal.owner, VISITOR_SCOPES
    if principal.scopes != FULL:  # of a key for less than that
        scopes = tuple(each for each in scopes if grants(principal.scopes, *each.split(":")))
    visitor = Owner(owner.tenant, VISITOR_PREFIX + derived_id(owner.tenant, owner.user))
    return Principal(visitor, ANONYMOUS_ROLE, principal.tier, principal.access, scopes)


class VisitorTokens:
    """Adds the token of a new or renewed visitor to the response, as a header and as a cookie."""

    def __init__(self, app: ASGIApp, lifetime: int) -> None:
        self._app = app
        self._lifetime = lifetime

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_token(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.accept") and DELIVERY in scope:
                headers = _headers(HTTPConnection(scope), scope[DELIVERY], self._lifetime)
                message = {**message, "headers": [*message.get("headers", ()), *headers]}
            await send(message)

        await self._app(scope, receive, send_with_token)


def _headers(connection: HTTPConnection, token: str, lifetime: int) -> list[tuple[bytes, bytes]]:
    name, age = cookie_name(connection, VISITOR_COOKIE), lifetime if token else 0
    parts = [f"{name}={token}", "Path=/", f"Max-Age={age}", "HttpOnly", "SameSite=Lax"]
    cookie = (b"set-cookie", "; ".join(parts + ["Secure"] * is_over_tls(connection)).encode())
    return [cookie, (VISITOR_HEADER.lower().encode(), token.encode())] if token else [cookie]
