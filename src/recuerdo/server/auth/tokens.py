"""Tokens: JWTs (RFC 7519) of configured issuers, checked as RFC 8725 says, with the keys that these publish."""

import asyncio
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from http import HTTPStatus
from typing import Any, NamedTuple, Protocol, cast

import jwt
import msgspec

from recuerdo.concurrency.fetching import FAILURES, fetch
from recuerdo.concurrency.lru import LruCache
from recuerdo.core.errors import InvalidInput, IssuerUnavailable, Unauthenticated
from recuerdo.core.roles import DEFAULT_ROLE, exceeds
from recuerdo.core.scope import Owner, check_id
from recuerdo.server.auth.options import TOO_HIGH, Issuer
from recuerdo.server.requests import Principal

FRESH_SECONDS = 600.0
"""How long keys are used without asking again: a key that was withdrawn may be accepted for so long."""

STALE_SECONDS = 86_400.0
"""How long keys are used while the issuer does not answer."""

PAUSE_SECONDS = 5.0
"""The minimum pause between two fetches, however many tokens name unknown keys."""

TIMEOUT_SECONDS = 5.0

Jwk = Mapping[str, Any]
Fetch = Callable[[str], bytes]


class PublishedKeys:
    """The keys at an address. Those that are known go on serving while the issuer is away, for a day at most."""

    def __init__(self, url: str, *, fetch: Fetch | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._url = url
        self._fetch = fetch or fetch_keys
        self._clock = clock
        self._keys: list[Jwk] = []
        self._made: dict[tuple[str | None, str], jwt.PyJWK] = {}
        self._fetched_at: float | None = None
        self._ended_at: float | None = None
        self._fetching: asyncio.Task[None] | None = None

    async def find(self, key_id: str | None, algorithm: str) -> jwt.PyJWK | None:
        """The key of that id for that algorithm, or None when the issuer has none. Raises IssuerUnavailable."""
        key = self._known(key_id, algorithm)
        # A caller whose key is known does not wait for another caller's fetch.
        if (self._age > FRESH_SECONDS and not (key and self._fetching)) or key is None:
            await self._refresh()
            key = self._known(key_id, algorithm)
        if self._age > STALE_SECONDS:
            raise IssuerUnavailable("The issuer does not say with which keys it signs. Try again.", PAUSE_SECONDS)
        return key

    @property
    def _age(self) -> float:
        return float("inf") if self._fetched_at is None else self._clock() - self._fetched_at

    async def _refresh(self) -> None:
        """Wait for the fetch that runs, or for a new one, unless one has just ended."""
        if self._fetching is None:
            if self._ended_at is not None and self._clock() - self._ended_at < PAUSE_SECONDS:
                return
            self._fetching = asyncio.create_task(self._fetch_once())
        await asyncio.shield(self._fetching)  # cancelling one caller cancels it for no other

    async def _fetch_once(self) -> None:
        try:
            self._keys = _keys_in(await asyncio.to_thread(self._fetch, self._url))
        except FAILURES:  # the keys that are known go on serving
            pass
        else:
            self._made.clear()
            self._fetched_at = self._clock()
        finally:
            self._ended_at = self._clock()
            self._fetching = None

    def _known(self, key_id: str | None, algorithm: str) -> jwt.PyJWK | None:
        if (key_id, algorithm) not in self._made:
            fitting = [made for jwk in self._keys if (made := _make(jwk, key_id, algorithm)) is not None]
            if len(fitting) != 1:  # none, or a token that names no key where there are several
                return None
            self._made[key_id, algorithm] = fitting[0]
        return self._made[key_id, algorithm]


def fetch_keys(url: str) -> bytes:
    """Fetch the keys at the address, see `fetch`; another status than 200 is a ValueError."""
    answer = fetch(url, {"Accept": "application/json"}, TIMEOUT_SECONDS)
    if answer.status != HTTPStatus.OK:
        raise ValueError(f"the answer has the status {answer.status}")
    return answer.body


def _keys_in(content: bytes) -> list[Jwk]:
    keys = msgspec.json.decode(content, type=dict[str, Any]).get("keys")
    if not isinstance(keys, list):
        raise ValueError("it contains no list of keys")
    return [cast(Jwk, key) for key in cast(list[object], keys) if isinstance(key, dict)]


def _make(jwk: Jwk, key_id: str | None, algorithm: str) -> jwt.PyJWK | None:
    """The key, if it may be what signed a token that names this id and this algorithm."""
    if key_id not in (None, jwk.get("kid")) or jwk.get("use", "sig") != "sig" or jwk.get("kty") == "oct":
        return None
    if jwk.get("alg", algorithm) != algorithm:
        return None
    try:
        return jwt.PyJWK(dict(jwk), algorithm)
    except (jwt.PyJWTError, ValueError, TypeError, KeyError):  # of another kind than the algorithm's, or broken
        return None


MOST_CHARACTERS = 8192
"""The longest token that is looked at."""

LEEWAY_SECONDS = 30
"""How far clocks may be apart."""

_MOST_TRUSTED = 10_000
_REQUIRED = ["exp", "iss", "aud", "sub"]
_PROBLEMS: tuple[tuple[type[Exception], str], ...] = (
    (jwt.ExpiredSignatureError, "has expired"),
    (jwt.ImmatureSignatureError, "is not valid yet"),
    (jwt.InvalidAudienceError, "is for another audience than this server"),
    (jwt.MissingRequiredClaimError, f"lacks one of the claims {', '.join(_REQUIRED)}"),
    (jwt.InvalidAlgorithmError, "is signed with an algorithm that its issuer does not use here"),
    (jwt.InvalidSignatureError, "is not signed by its issuer"),
)


_Key = jwt.PyJWK | bytes


class _KeySource(Protocol):
    async def fitting(self, key_id: str | None, algorithm: str) -> tuple[_Key, ...]: ...


class _PublishedKey(NamedTuple):
    keys: PublishedKeys

    async def fitting(self, key_id: str | None, algorithm: str) -> tuple[_Key, ...]:
        key = await self.keys.find(key_id, algorithm)
        return () if key is None else (key,)


class _SharedSecrets(NamedTuple):
    secrets: tuple[bytes, ...]

    async def fitting(self, key_id: str | None, algorithm: str) -> tuple[_Key, ...]:
        return self.secrets


class _TrustedIssuer(NamedTuple):
    issuer: Issuer
    keys: _KeySource


class _Signer(NamedTuple):
    """The issuer that a token names, and how it is signed."""

    trusted: _TrustedIssuer
    key_id: str | None
    algorithm: str

    async def keys(self) -> tuple[_Key, ...]:
        """Raises Unauthenticated when there are none now, or IssuerUnavailable."""
        keys = await self.trusted.keys.fitting(self.key_id, self.algorithm)
        if not keys:
            raise _refused("names a key that its issuer does not publish")
        return keys


class _TrustedToken(NamedTuple):
    """A token that was verified, with these keys, and is good until the time in seconds since 1970."""

    principal: Principal
    signer: _Signer
    keys: tuple[_Key, ...]
    ends: float


class Tokens:
    """Reads tokens of some issuers. A verified one is trusted until it expires or its issuer's keys are others."""

    def __init__(self, issuers: tuple[Issuer, ...]) -> None:
        self._trusted = {issuer.name: _TrustedIssuer(issuer, _keys_of(issuer)) for issuer in issuers}
        self._trusted_tokens: LruCache[bytes, _TrustedToken] = LruCache(_MOST_TRUSTED)

    async def read(self, token: str) -> Principal:
        """Return the token's principal. Raises Unauthenticated, saying what is wrong with it, or IssuerUnavailable."""
        digest = sha256(token.encode(errors="surrogatepass")).digest()
        known = self._trusted_tokens.get(digest)
        if known is not None and time.time() < known.ends and await known.signer.keys() == known.keys:
            return known.principal
        signer = self._signer(token)
        keys = await signer.keys()
        claims = _verified(token, keys, signer.trusted.issuer)
        principal = principal_of(signer.trusted.issuer, claims)
        self._trusted_tokens.put(digest, _TrustedToken(principal, signer, keys, int(claims["exp"]) + LEEWAY_SECONDS))
        return principal

    async def verify(self, token: str) -> tuple[Issuer, Mapping[str, Any]]:
        """The token's issuer and claims. Raises as `read` does."""
        signer = self._signer(token)
        return signer.trusted.issuer, _verified(token, await signer.keys(), signer.trusted.issuer)

    def _signer(self, token: str) -> _Signer:
        if len(token) > MOST_CHARACTERS:
            raise _refused(f"is longer than {MOST_CHARACTERS} characters")
        header, named = _unverified(token)
        trusted = self._trusted.get(str(named.iss))
        if trusted is None:
            raise _refused("is of an issuer that this server does not know")
        if header.alg not in trusted.issuer.algorithms:  # before any key is looked for
            raise _refused("is signed with an algorithm that its issuer does not use here")
        return _Signer(trusted, header.kid, str(header.alg))


def _keys_of(issuer: Issuer) -> _KeySource:
    if issuer.jwks_url:
        return _PublishedKey(PublishedKeys(issuer.jwks_url))
    return _SharedSecrets(tuple(each.encode() for each in (issuer.secret or "", *issuer.previous_secrets)))


class _Header(msgspec.Struct):
    alg: object = None
    kid: str | None = None


class _Payload(msgspec.Struct):
    iss: object = None


def _unverified(token: str) -> tuple[_Header, _Payload]:
    """Return the parts of the token that choose its key. They are not verified, so nothing else may rely on them."""
    try:
        header, payload, _ = token.split(".")
        named = msgspec.json.decode(urlsafe_b64decode(payload + "=="), type=_Payload)
        return msgspec.json.decode(urlsafe_b64decode(header + "=="), type=_Header), named
    except Exception:  # a stranger's bytes: whatever they break, it is the token that can't be read
        raise _refused("can't be read") from None


def _verified(token: str, keys: tuple[_Key, ...], issuer: Issuer) -> Mapping[str, Any]:
    """Return the token's claims if one of the keys has signed it."""
    *others, last = keys
    try:
        for key in others:
            with suppress(jwt.InvalidSignatureError):
                return _decoded(token, key, issuer)
        return _decoded(token, last, issuer)
    except Exception as error:  # as above; the key is its issuer's, and known to fit the algorithm
        problem = next((text for kind, text in _PROBLEMS if isinstance(error, kind)), "can't be verified")
        raise _refused(problem) from None


def _decoded(token: str, key: _Key, issuer: Issuer) -> Mapping[str, Any]:
    return jwt.decode(
        token,
        key,
        algorithms=list(issuer.algorithms),
        audience=issuer.audiences,
        issuer=issuer.name,
        leeway=LEEWAY_SECONDS,
        options={"require": _REQUIRED, "enforce_minimum_key_length": True},
    )


def principal_of(issuer: Issuer, claims: Mapping[str, Any]) -> Principal:
    """Return the principal of verified claims. Raises Unauthenticated for claims that their issuer may not make."""
    names = issuer.claims
    tenant = issuer.tenant or _claim(claims, names.tenant)
    try:
        owner = Owner(tenant, _claim(claims, names.user))
        role = _claim(claims, names.role, DEFAULT_ROLE)
        tier = _claim(claims, names.tier, "") or None
        check_id(names.role, role)
    except InvalidInput as error:
        raise _refused(f"can't be used: its {error.field} {error.problem}") from None
    if owner.is_anonymous:
        raise _refused("can't be used: its user has the name of the anonymous one")
    if names.user == "email" and claims.get("email_verified", True) not in (True, "true"):
        raise _refused("can't be used: nobody has verified that its e-mail address is its user's")
    if issuer.tenants and owner.tenant not in issuer.tenants:
        raise _refused("can't be used: its issuer does not speak for its tenant here")
    if exceeds(role, issuer.highest_role):
        raise _refused(f"can't be used: {TOO_HIGH}")
    return Principal(owner, role, tier)


def _claim(claims: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """The text of a claim, by its whole name or by a path. Raises Unauthenticated when it is not text."""
    value = claims[name] if name in claims else _at_path(claims, name.split("."))
    if value is None:
        value = default
    if not isinstance(value, str):
        raise _refused(f"can't be used: its claim {name!r} must be a text")
    return value


def _at_path(claims: Mapping[str, Any], path: list[str]) -> object:
    value: object = claims
    for part in path:
        value = cast(dict[str, object], value).get(part) if isinstance(value, dict) else None
    return value


def _refused(problem: str) -> Unauthenticated:
    return Unauthenticated(f"The token {problem}.")
