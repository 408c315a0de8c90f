"""From the headers of a request to its principal: by a token, an API key, or handlers of a langgraph.json."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple

from starlette.datastructures import Headers, QueryParams
from starlette.requests import HTTPConnection, Request

from recuerdo.concurrency.lru import LruCache
from recuerdo.concurrency.tasks import stop
from recuerdo.core.api_keys import PREFIX, ApiKey, digest_of
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable, InvalidInput, Unauthenticated, Unavailable
from recuerdo.core.ports import ApiKeyRepository
from recuerdo.core.roles import DEFAULT_ROLE, PUBLIC_ROLE, exceeds
from recuerdo.core.scope import DEFAULT_TENANT, Owner
from recuerdo.runs.rules import Access, AuthRules, Caller, RuleDenied
from recuerdo.server.auth.cookies import CREDENTIAL_COOKIE, LoginCookies, check_page
from recuerdo.server.auth.options import TOO_HIGH, AuthOptions
from recuerdo.server.auth.tokens import Tokens
from recuerdo.server.auth.visitors import Visitors, as_visitor
from recuerdo.server.requests import Principal, cookie_name, cookie_of, names_another

FRESH_SECONDS = 2.0
"""How long a key is accepted without asking again: for so long it may still be used after it was revoked."""

STALE_SECONDS = 300.0
"""How long a key that was valid is accepted while the database does not answer."""

NOTED_SECONDS = 60.0
"""The least time between two notes of when a key was used: by each process."""

MOST_KEY_CHARACTERS = 255
_MOST_KNOWN = 10_000


class _CachedKey(NamedTuple):
    key: ApiKey
    at: float


class PresentedKeys:
    """Finds the key of a secret. Only keys that exist are remembered, so that guesses fill nothing."""

    def __init__(self, repository: ApiKeyRepository, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._repository = repository
        self._clock = clock
        self._known = LruCache[bytes, _CachedKey](_MOST_KNOWN)
        self._noted = LruCache[bytes, float](_MOST_KNOWN)
        self._noting: set[asyncio.Task[None]] = set()

    async def read(self, secret: str) -> Principal:
        """Return the key's principal. Raises Unauthenticated for an unknown or invalid key, and DatabaseUnavailable."""
        key = await self._find(digest_of(secret)) if len(secret) <= MOST_KEY_CHARACTERS else None
        if key is None or not key.is_good(datetime.now(UTC)):
            raise Unauthenticated("The API key is not known here: it was never made, was revoked, or has expired.")
        self._note_use(key)
        return Principal(key.owner, key.role, key.tier, scopes=key.scopes)

    async def aclose(self) -> None:
        """Stop noting uses."""
        await stop(*self._noting)

    def _note_use(self, key: ApiKey) -> None:
        """In the background, and not again within a minute."""
        now = self._clock()
        noted = self._noted.peek(key.digest)
        if noted is not None and now - noted < NOTED_SECONDS:
            return
        self._noted.put(key.digest, now)
        task = asyncio.create_task(self._note(key, datetime.now(UTC)))
        self._noting.add(task)
        task.add_done_callback(self._noting.discard)

    async def _note(self, key: ApiKey, at: datetime) -> None:
        with suppress(Unavailable):  # then a later use is noted
            await self._repository.mark_used(key.owner.tenant, key.id, at)

    async def _find(self, digest: bytes) -> ApiKey | None:
        known, now = self._known.peek(digest), self._clock()
        if known is not None and now - known.at < FRESH_SECONDS:
            return known.key
        try:
            key = await self._repository.find(digest)
        except DatabaseUnavailable:
            if known is not None and now - known.at < STALE_SECONDS:
                return known.key
            raise
        if key is None:
            self._known.pop(digest)
        else:
            self._known.put(digest, _CachedKey(key, now))
        return key


_BEARER = "Authorization"
_API_KEY = "x-api-key"
_ANOTHER_USER = "The browser is not signed in as the user whom this page was opened for. Load the page again."


class Authenticator:
    """Authenticates as the options say. An invalid credential is refused, never ignored."""

    def __init__(
        self, options: AuthOptions, api_keys: ApiKeyRepository | None, cookies: LoginCookies | None = None
    ) -> None:
        self._cookies = cookies
        self._options = options.checked()
        self._tokens = Tokens(options.issuers)
        if options.api_keys and api_keys is None:
            raise ConfigurationError("This database stores no API keys. Use tokens, or another database.")
        self._keys = PresentedKeys(api_keys) if options.api_keys and api_keys is not None else None
        self._visitors = Visitors(options.visitors) if options.visitors is not None else None

    async def aclose(self) -> None:
        """Stop the background work."""
        if self._keys is not None:
            await self._keys.aclose()

    async def authenticate(self, headers: Headers, connection: HTTPConnection) -> Principal:
        """Return the caller. `Authorization` has precedence over `x-api-key`, which some clients add automatically,
        and both over a cookie, which browsers add.

        Without either it is a visitor, and so is a caller whose credential names a user of visitors. A page that
        names its user is refused when another user has signed in in its browser. Raises Unauthenticated,
        IssuerUnavailable or DatabaseUnavailable.
        """
        try:
            if _BEARER in headers:
                return self._named(await self._bearer(_single(headers, _BEARER)), headers, connection)
            if _API_KEY in headers:
                return self._named(await self._api_key(_single(headers, _API_KEY)), headers, connection)
            principal = await self._of_browser(headers, connection)
        except Unauthenticated as error:
            raise Unauthenticated(f"{error} {self._advice}") from None
        if principal is None:
            raise Unauthenticated(f"This needs a credential, and none was sent. {self._advice}", is_missing=True)
        if names_another(headers, principal.owner):
            raise Unauthenticated(_ANOTHER_USER)
        return principal

    async def _of_browser(self, headers: Headers, connection: HTTPConnection) -> Principal | None:
        """The caller by a cookie, or else a visitor where they are admitted."""
        if self._cookies is not None and (session := self._cookies.find(headers)):
            return self._named(self._cookies.principal(session, headers, connection), headers, connection)
        if credential := cookie_of(headers, cookie_name(connection, CREDENTIAL_COOKIE)):
            check_page(headers, connection, self._options.own_origins)
            return self._named(await self._bearer(f"Bearer {credential}"), headers, connection)
        return self._visitors.recognise(headers, connection) if self._visitors is not None else None

    def _named(self, principal: Principal, headers: Headers, connection: HTTPConnection) -> Principal:
        if principal.role == PUBLIC_ROLE:
            return as_visitor(principal)
        visitors, options = self._visitors, self._options.visitors
        if visitors is None or options is None or principal.owner.user not in options.users:
            return principal
        return visitors.recognise(headers, connection, principal.owner.tenant)

    async def _bearer(self, value: str) -> Principal:
        scheme, _, token = value.partition(" ")
        token = token.strip(" ")
        if scheme.lower() != "bearer" or not token:
            raise Unauthenticated("The header Authorization holds no bearer token.")
        if token.startswith(PREFIX):
            return await self._api_key(token)
        if not self._options.issuers:
            raise Unauthenticated("Tokens are not taken here, and this is not an API key.")
        return await self._tokens.read(token)

    async def _api_key(self, secret: str) -> Principal:
        if self._keys is None:
            raise Unauthenticated("API keys are not taken here.")
        return await self._keys.read(secret.strip(" "))

    @property
    def _advice(self) -> str:
        ways: list[str] = []
        if self._options.issuers:
            ways.append("a token of this server's issuer as `Authorization: Bearer ...`")  # strangers learn no names
        if self._options.api_keys:
            ways.append("a key that `recuerdo token create` made as `x-api-key: ...`")
        if self._cookies is not None and not ways:
            return "Open the page and sign in."
        return f"Send {', or '.join(ways)}."


def _single(headers: Headers, name: str) -> str:
    values = headers.getlist(name)
    if len(values) > 1:
        raise Unauthenticated(f"The header {name} was sent more than once.")
    return values[0]


class RuledAuthenticator:
    """Authenticates with custom rules: `identity` is the user; `tenant`, `role` and `tier` are taken where given."""

    def __init__(self, rules: AuthRules, highest_role: str) -> None:
        self._rules = rules
        self._highest_role = highest_role

    async def aclose(self) -> None:
        """There is no work in the background."""

    async def authenticate(self, headers: Headers, connection: HTTPConnection) -> Principal:
        """Return the caller. Raises Unauthenticated, or Refused with another status."""
        try:
            caller = await self._rules.authenticate(_shown(headers, connection))
        except RuleDenied as refusal:
            if refusal.status == 401:
                raise Unauthenticated(str(refusal), is_missing="authorization" not in headers) from None
            raise
        role = caller.claim("role") or DEFAULT_ROLE
        if exceeds(role, self._highest_role):
            raise Unauthenticated(f"The caller can't be served: {TOO_HIGH}.")
        principal = Principal(_owner(caller), role, caller.claim("tier"), Access(self._rules, caller))
        return as_visitor(principal) if role == PUBLIC_ROLE else principal


def _owner(caller: Caller) -> Owner:
    try:
        owner = Owner(caller.claim("tenant") or DEFAULT_TENANT, caller.identity)
    except InvalidInput as error:
        raise Unauthenticated(f"The caller can't be served: the {error.field} {error.problem}.") from None
    if owner.is_anonymous:
        raise Unauthenticated("The caller can't be served: the identity is the name of the anonymous user.")
    return owner


def _shown(headers: Headers, connection: HTTPConnection) -> dict[str, Any]:
    """Return the arguments that handlers may declare, by name."""
    scope = {**connection.scope, "headers": headers.raw}
    return {
        "request": Request(scope) if scope["type"] == "http" else HTTPConnection(scope),
        "scope": scope,
        "scopes": [],
        "user": None,
        "path": scope["path"],
        "method": scope.get("method", "GET"),
        "path_params": scope.get("path_params") or {},
        "query_params": QueryParams(scope.get("query_string", b"")),
        "headers": dict(headers.raw),
        "authorization": headers.get("authorization"),
    }
