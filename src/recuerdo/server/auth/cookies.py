"""Sessions of people who have signed in: the browser's sealed cookie, and the proof that its requests must carry."""

import base64
import time
from collections.abc import Callable
from typing import TypeVar

import msgspec
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import Response

from recuerdo.concurrency.lru import LruCache
from recuerdo.core.errors import Forbidden, Unauthenticated
from recuerdo.core.scope import Owner
from recuerdo.server.requests import Principal, cookie_of

_KEY_BYTES = 32
_MOST_OPENED = 1000
_MOST_CHARACTERS = 4096
"""The length up to which browsers keep a cookie, RFC 6265."""

_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_FOREIGN = (
    "A session is good for pages of this server alone, which name it in the header Origin. Programs use an API key or "
    "a token."
)
_EXPIRED = "The session has expired. Sign in again."

CREDENTIAL_COOKIE = "recuerdo_credential"
"""Keeps a token or an API key out of reach of scripts: the page sends it once."""

T = TypeVar("T", bound=msgspec.Struct)


class Login(msgspec.Struct, frozen=True, kw_only=True):
    """A signed-in user, as the identity provider named them. Times are seconds since 1970.

    It is valid until `expires_at`, and can be renewed with `refresh_token` until `ends_at`. The provider knows the
    session by `id_token` when it ends.
    """

    tenant: str
    user: str
    role: str
    tier: str | None
    renewed_at: float
    expires_at: float
    ends_at: float
    refresh_token: str | None = None
    id_token: str | None = None

    @property
    def principal(self) -> Principal:
        return Principal(Owner(self.tenant, self.user), self.role, self.tier)

    @property
    def kept_until(self) -> float:
        """Until when a browser keeps it."""
        return self.ends_at if self.refresh_token else self.expires_at


class Seal:
    """Encrypts what others keep for us (Fernet, by a key of its purpose): they can neither read nor change it."""

    def __init__(self, secret: str, purpose: str) -> None:
        derived = HKDF(SHA256(), _KEY_BYTES, salt=None, info=purpose.encode()).derive(secret.encode())
        self._fernet = Fernet(base64.urlsafe_b64encode(derived))

    def close(self, value: msgspec.Struct) -> str:
        """The value, sealed."""
        return self._fernet.encrypt(msgspec.json.encode(value)).decode()

    def open(self, sealed: str, kind: type[T]) -> T | None:
        """Return the value if it was sealed with the same secret for the same purpose, else None."""
        try:
            is_as_written = base64.urlsafe_b64encode(base64.urlsafe_b64decode(sealed)).decode() == sealed
            return msgspec.json.decode(self._fernet.decrypt(sealed), type=kind) if is_as_written else None
        except (InvalidToken, msgspec.DecodeError, ValueError):
            return None


def check_page(headers: Headers, connection: HTTPConnection, own_origins: frozenset[str] = frozenset()) -> None:
    """Raise Forbidden for a change that a page of another site may have asked for: browsers add cookies to all."""
    if connection.scope.get("method") in _READING:
        return
    host = headers.get("host", "").lower()
    if headers.get("origin", "").lower() not in own_origins | {f"http://{host}", f"https://{host}"}:
        raise Forbidden(_FOREIGN)


class LoginCookies:
    """Puts sessions into cookies and takes them out. `public_url` is how browsers reach the server."""

    def __init__(self, secret: str, public_url: str | None, clock: Callable[[], float] = time.time) -> None:
        self._seal = Seal(secret, "recuerdo session")
        self._is_secure = public_url is not None and public_url.startswith("https://")
        self.own_origins: frozenset[str] = frozenset() if public_url is None else frozenset({public_url.lower()})
        self._clock = clock
        self._opened: LruCache[str, Login] = LruCache(_MOST_OPENED)
        # Browsers take the prefix from this host alone, with Secure and for all paths (RFC 6265bis).
        self.name = "__Host-recuerdo" if self._is_secure else "recuerdo_session"

    def find(self, headers: Headers) -> str | None:
        """The cookie of a session, if the request has one."""
        return cookie_of(headers, self.name)

    def principal(self, sealed: str, headers: Headers, connection: HTTPConnection) -> Principal:
        """Return the signed-in user. Raises Unauthenticated, and Forbidden when another site's page may have asked."""
        session = self.open(sealed, headers, connection)
        if session.expires_at <= self._clock():
            raise Unauthenticated(_EXPIRED)
        return session.principal

    def open(self, sealed: str, headers: Headers, connection: HTTPConnection) -> Login:
        """The session, which may have expired, but has not ended. Raises Unauthenticated or Forbidden."""
        session = self.unsealed(sealed)
        if session is None:
            raise Unauthenticated("The session was not made here. Sign in again.")
        if session.kept_until <= self._clock():
            raise Unauthenticated(_EXPIRED)
        check_page(headers, connection, self.own_origins)
        return session

    def unsealed(self, sealed: str) -> Login | None:
        """Return the session, also an expired one; None if it was not made here."""
        session = self._opened.get(sealed)
        if session is None and len(sealed) <= _MOST_CHARACTERS:
            session = self._seal.open(sealed, Login)
            if session is not None:
                self._opened.put(sealed, session)
        return session

    def keep(self, response: Response, session: Login) -> None:
        """Let the browser keep the session, of whose tokens a cookie may not have room for all."""
        less = msgspec.structs.replace(session, id_token=None)
        for part in (session, less, msgspec.structs.replace(less, refresh_token=None)):
            if len(sealed := self._seal.close(part)) <= _MOST_CHARACTERS:
                break
        self._set(response, sealed, round(session.kept_until - self._clock()))

    def forget(self, response: Response) -> None:
        """Let the browser forget its session."""
        self._set(response, "", 0)

    def _set(self, response: Response, value: str, seconds: int) -> None:
        response.set_cookie(
            self.name, value, max_age=seconds, path="/", secure=self._is_secure, httponly=True, samesite="strict"
        )
