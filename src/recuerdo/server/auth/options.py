"""How a server authenticates its callers, as its operator has configured it."""

import ipaddress
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from recuerdo.core.errors import ConfigurationError
from recuerdo.core.roles import ADMIN_ROLE, DEFAULT_ROLE, EDITOR_ROLE, OPERATOR_ROLE
from recuerdo.core.scope import check_id
from recuerdo.runs.rules import AuthRules

ASYMMETRIC = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"})
"""The algorithms for keys that an issuer publishes. HS256 is never among them: a public key would be the secret."""

_SHORTEST_SECRET = 32
_SHORTEST_CLIENT_SECRET = 16
"""RFC 7518, section 3.2: a key of the same size as the hash output or larger."""


HIGHEST_ROLES = (DEFAULT_ROLE, EDITOR_ROLE, ADMIN_ROLE, OPERATOR_ROLE)

TOO_HIGH = "the role is higher than what may be given here (RECUERDO_AUTH_HIGHEST_ROLE, or highest_role of the issuer)"


class Claims(NamedTuple):
    """Where a token names its user: names of claims, or paths with dots into objects."""

    tenant: str = "tenant"
    user: str = "sub"
    role: str = "role"
    tier: str = "tier"


class Issuer(NamedTuple):
    """An issuer of tokens, its audiences, and its keys: published at `jwks_url`, or one shared `secret`.

    `previous_secrets` are accepted as well, while signers change to the new one. `tenant` is that of all its
    users; without it the claim says which, and it must be one of `tenants`: where there are none, the issuer speaks
    for every tenant. No token of it has a higher role than `highest_role`.
    """

    name: str
    audiences: tuple[str, ...]
    jwks_url: str | None = None
    secret: str | None = None
    algorithms: tuple[str, ...] = ("RS256", "ES256")
    tenant: str | None = None
    claims: Claims = Claims()
    previous_secrets: tuple[str, ...] = ()
    tenants: tuple[str, ...] = ()
    highest_role: str = ADMIN_ROLE


class Oidc(NamedTuple):
    """An identity provider at which people sign in for the page, and this server as its client.

    `issuer` says whom its ID tokens may name, its audience is `client_id`, and its keys are where the provider says.
    A session ends `longest_seconds` after its person has signed in. `client_secret` also seals cookies.
    """

    issuer: Issuer
    client_id: str
    client_secret: str
    scopes: str = "openid profile"
    longest_seconds: float = 12 * 3600

    def check(self) -> None:
        """Raises ConfigurationError if it can't work or is not safe."""
        if not is_safe_url(self.issuer.name):
            raise ConfigurationError("RECUERDO_OIDC_ISSUER must be an https:// address, as the provider has it.")
        if not self.client_id or len(self.client_secret) < _SHORTEST_CLIENT_SECRET:
            raise ConfigurationError(
                "Sign-in needs RECUERDO_OIDC_CLIENT_ID and RECUERDO_OIDC_CLIENT_SECRET, as the identity provider has "
                f"given them; the secret has {_SHORTEST_CLIENT_SECRET} characters or more."
            )
        if "openid" not in self.scopes.split():
            raise ConfigurationError("RECUERDO_OIDC_SCOPES must have `openid`, without which there is no ID token.")
        _check(self.issuer._replace(jwks_url=self.issuer.name))


class VisitorOptions(NamedTuple):
    """Visitors: callers without a credential, of one `tenant`, and those whose credential names one of `users`.

    The first of `keys` signs their tokens, the others are accepted as well. A token is valid for `lifetime` seconds
    after it was last renewed.
    """

    keys: tuple[str, ...]
    tenant: str = "default"
    users: frozenset[str] = frozenset()
    lifetime: int = 30 * 86_400


class AuthOptions(NamedTuple):
    """The accepted credentials: tokens of `issuers`, API keys, and whether callers without one are `visitors`.

    With `oidc` people sign in at an identity provider. `public_url` is how browsers reach the server, without a slash
    at its end: without it they sign in by a loopback name only.

    Or else `rules`: custom handlers, whose callers have no higher role than `highest_role`. At least one of them
    is needed. Raises ConfigurationError from `checked`.
    """

    issuers: tuple[Issuer, ...] = ()
    api_keys: bool = False
    visitors: VisitorOptions | None = None
    rules: AuthRules | None = None
    highest_role: str = ADMIN_ROLE
    oidc: Oidc | None = None
    public_url: str | None = None

    @property
    def own_origins(self) -> frozenset[str]:
        """The origins of this server's own pages, besides those that the Host tells."""
        return frozenset({self.public_url.lower()} if self.public_url else ())

    def checked(self) -> "AuthOptions":
        """The same, if it can work and is safe. Raises ConfigurationError."""
        if self.rules is not None and (self.issuers or self.api_keys or self.visitors or self.oidc):
            raise ConfigurationError(
                "The `auth` of langgraph.json authenticates callers, and so do the settings RECUERDO_AUTH_* and "
                "RECUERDO_OIDC_*. Remove one of the two."
            )
        if not (self.issuers or self.api_keys or self.rules or self.oidc):
            raise ConfigurationError(
                "Nobody could prove who they are. Name an issuer of tokens with RECUERDO_AUTH_ISSUER, or take API "
                "keys with RECUERDO_AUTH_API_KEYS=true."
            )
        _check_role("RECUERDO_AUTH_HIGHEST_ROLE", self.highest_role)
        names = [issuer.name for issuer in self.issuers]
        if len(names) != len(set(names)):
            raise ConfigurationError("An issuer is named twice. Give it one entry, with all of its audiences.")
        for issuer in self.issuers:
            _check(issuer)
        if self.oidc is not None:
            self.oidc.check()
        if self.visitors is not None:
            _check_visitors(self.visitors)
        return self


def _check(issuer: Issuer) -> None:
    if not issuer.name:
        raise ConfigurationError("An issuer needs its name, exactly as its tokens have it in `iss`.")
    who = f"The issuer {issuer.name!r}"
    if not issuer.audiences:
        raise ConfigurationError(
            f"{who} needs an audience: what its tokens for this server have in `aud` (RECUERDO_AUTH_AUDIENCE)."
        )
    if (issuer.jwks_url is None) == (issuer.secret is None):
        raise ConfigurationError(
            f"{who} needs either the address of its keys (RECUERDO_AUTH_JWKS_URL, which its "
            "/.well-known/openid-configuration calls jwks_uri) or a secret (RECUERDO_AUTH_SECRET), and not both."
        )
    if issuer.tenant is not None and issuer.tenants:
        raise ConfigurationError(
            f"{who} has one tenant for all its users, and also a list of tenants. Name one of the two: the list where "
            "a claim says which tenant a user belongs to."
        )
    for tenant in (*issuer.tenants, *([issuer.tenant] if issuer.tenant is not None else [])):
        check_id("tenant", tenant)
    _check_role(f"The highest role of the issuer {issuer.name!r}", issuer.highest_role)
    if issuer.secret is not None:
        for secret in (issuer.secret, *issuer.previous_secrets):
            _check_secret(who, secret, issuer.algorithms)
    elif issuer.previous_secrets:
        raise ConfigurationError(f"{who} has previous secrets and no secret. Name the current one.")
    else:
        _check_published(who, issuer.jwks_url or "", issuer.algorithms)


def _check_visitors(options: VisitorOptions) -> None:
    check_id("tenant", options.tenant)
    if not options.keys or any(len(key.encode()) < _SHORTEST_SECRET for key in options.keys):
        raise ConfigurationError(
            f"Anonymous visitors need a key that signs their tokens, of {_SHORTEST_SECRET} random bytes or more, the "
            "same for all replicas: set RECUERDO_AUTH_VISITOR_KEY, e.g. from `openssl rand -base64 48`."
        )


def _check_role(what: str, role: str) -> None:
    if role not in HIGHEST_ROLES:
        raise ConfigurationError(f"{what} must be one of {', '.join(HIGHEST_ROLES)}.")


def _check_secret(who: str, secret: str, algorithms: tuple[str, ...]) -> None:
    if algorithms != ("HS256",):
        raise ConfigurationError(f"{who} has a secret, and with a secret the algorithm is HS256 alone.")
    if len(secret.encode()) < _SHORTEST_SECRET:
        raise ConfigurationError(
            f"The secret of {who[0].lower()}{who[1:]} is too short: use {_SHORTEST_SECRET} random bytes or more, "
            "e.g. from `openssl rand -base64 48`."
        )


def _check_published(who: str, url: str, algorithms: tuple[str, ...]) -> None:
    if not algorithms or not ASYMMETRIC.issuperset(algorithms):
        raise ConfigurationError(
            f"{who} publishes its keys: choose its algorithms among {', '.join(sorted(ASYMMETRIC))}."
        )
    if not is_safe_url(url):
        raise ConfigurationError(
            f"{who} must publish its keys at an https:// address, so that they can't be changed in transit."
        )


@lru_cache(1000)
def is_loopback(name: str) -> bool:
    """Whether a host name or an address can only mean this machine."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def is_loopback_url(url: str) -> bool:
    """Whether requests to the address stay on this machine."""
    return url.startswith("http://") and is_loopback(host_name(url.partition("://")[2].partition("/")[0]))


def is_safe_url(url: str) -> bool:
    """Whether requests to the address can't be read or changed on their way."""
    return url.startswith("https://") or is_loopback_url(url)


@lru_cache(1000)
def host_name(host: str) -> str:
    """The name in a Host header or an address, without its port; empty where there is none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
