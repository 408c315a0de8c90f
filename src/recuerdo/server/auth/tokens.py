"""Tokens: JWTs (RFC 7519) of the issuers that are configured, checked as RFC 8725 says."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, cast

import jwt

from recuerdo.core.api_keys import DEFAULT_ROLE
from recuerdo.core.errors import InvalidInput, Unauthenticated
from recuerdo.core.scope import Owner, check_id
from recuerdo.server.auth.jwks import PublishedKeys
from recuerdo.server.auth.options import Issuer
from recuerdo.server.auth.principal import Principal

MOST_CHARACTERS = 8192
"""The longest token that is looked at."""

LEEWAY_SECONDS = 30
"""How far clocks may be apart."""

_REQUIRED = ["exp", "iss", "aud", "sub"]
_PROBLEMS: tuple[tuple[type[Exception], str], ...] = (
    (jwt.ExpiredSignatureError, "has expired"),
    (jwt.ImmatureSignatureError, "is not valid yet"),
    (jwt.InvalidAudienceError, "is for another audience than this server"),
    (jwt.MissingRequiredClaimError, f"lacks one of the claims {', '.join(_REQUIRED)}"),
    (jwt.InvalidAlgorithmError, "is signed with an algorithm that its issuer does not use here"),
    (jwt.InvalidSignatureError, "is not signed by its issuer"),
)


class _Keys(Protocol):
    async def find(self, key_id: str | None, algorithm: str) -> jwt.PyJWK | bytes | None: ...


class _Secret(NamedTuple):
    secret: bytes

    async def find(self, key_id: str | None, algorithm: str) -> bytes:
        return self.secret


class _VerifiedToken(NamedTuple):
    issuer: Issuer
    keys: _Keys


class Tokens:
    """Reads tokens of some issuers."""

    def __init__(self, issuers: tuple[Issuer, ...]) -> None:
        self._believed = {issuer.name: _VerifiedToken(issuer, _keys_of(issuer)) for issuer in issuers}

    async def read(self, token: str) -> Principal:
        """Who the token is about. Raises Unauthenticated, saying what is wrong with it, or IssuerUnavailable."""
        if len(token) > MOST_CHARACTERS:
            raise _refused(f"is longer than {MOST_CHARACTERS} characters")
        header, named = _unverified(token)
        believed = self._believed.get(str(named.get("iss")))
        if believed is None:
            raise _refused("is of an issuer that this server does not know")
        algorithm, key_id = header.get("alg"), header.get("kid")
        if algorithm not in believed.issuer.algorithms:  # before any key is looked for
            raise _refused("is signed with an algorithm that its issuer does not use here")
        key = await believed.keys.find(key_id, algorithm)
        if key is None:
            raise _refused("names a key that its issuer does not publish")
        return _principal(believed.issuer, _verified(token, key, believed.issuer))


def _keys_of(issuer: Issuer) -> _Keys:
    return PublishedKeys(issuer.jwks_url) if issuer.jwks_url else _Secret((issuer.secret or "").encode())


def _unverified(token: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """What the token says of itself, of which nothing may be believed: it only tells whose key to try."""
    try:
        whole = jwt.decode_complete(token, options={"verify_signature": False})
    except Exception:  # a stranger's bytes: whatever they break, it is the token that can't be read
        raise _refused("can't be read") from None
    return whole["header"], whole["payload"]


def _verified(token: str, key: jwt.PyJWK | bytes, issuer: Issuer) -> Mapping[str, Any]:
    try:
        return jwt.decode(
            token,
            key,
            algorithms=list(issuer.algorithms),
            audience=issuer.audiences,
            issuer=issuer.name,
            leeway=LEEWAY_SECONDS,
            options={"require": _REQUIRED, "enforce_minimum_key_length": True},
        )
    except Exception as error:  # as above; the key is its issuer's, and known to fit the algorithm
        problem = next((text for kind, text in _PROBLEMS if isinstance(error, kind)), "can't be believed")
        raise _refused(problem) from None


def _principal(issuer: Issuer, claims: Mapping[str, Any]) -> Principal:
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
    return Principal(owner, role, tier)


def _claim(claims: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """The text of a claim, by its whole name or by a path. Raises Unauthenticated when it is none."""
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
