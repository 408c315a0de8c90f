"""Convert the settings of authentication to the server's options."""

import msgspec

from recuerdo.app.settings import Settings, listed, revealed
from recuerdo.core.errors import ConfigurationError
from recuerdo.runs.rules import AuthRules
from recuerdo.runs.sources import read_sources
from recuerdo.server.auth.options import AuthOptions, Claims, Issuer

_OF_AN_ISSUER = ("auth_audience", "auth_jwks_url", "auth_secret", "auth_tenant")


class _IssuerSetting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of RECUERDO_AUTH_ISSUERS."""

    issuer: str
    audience: str | list[str]
    jwks_url: str | None = None
    secret: str | None = None
    algorithms: list[str] | None = None
    tenant: str | None = None
    claim_tenant: str | None = None
    claim_user: str | None = None
    claim_role: str | None = None
    claim_tier: str | None = None


def auth_options(settings: Settings) -> AuthOptions | None:
    """How callers authenticate; None without any such setting. Raises ConfigurationError."""
    issuers, rules = (*_only_issuer(settings), *_several_issuers(settings)), _rules(settings)
    if not (issuers or settings.auth_api_keys or settings.auth_anonymous or rules):
        return None
    return AuthOptions(issuers, settings.auth_api_keys, settings.auth_anonymous, rules).checked()


def _rules(settings: Settings) -> AuthRules | None:
    sources = read_sources(settings.config) if settings.config is not None else None
    return AuthRules(sources.load("handlers of `auth`", sources.auth)) if sources is not None and sources.auth else None


def _only_issuer(settings: Settings) -> list[Issuer]:
    if settings.auth_issuer is None:
        given = [name for name in _OF_AN_ISSUER if getattr(settings, name) is not None]
        if given:
            raise ConfigurationError(f"RECUERDO_{given[0].upper()} needs the issuer's name in RECUERDO_AUTH_ISSUER.")
        return []
    secret = revealed(settings.auth_secret)
    algorithms = listed(settings.auth_algorithms)
    if secret is not None and "auth_algorithms" not in settings.model_fields_set:
        algorithms = ("HS256",)
    issuer = Issuer(
        settings.auth_issuer,
        listed(settings.auth_audience),
        settings.auth_jwks_url,
        secret,
        algorithms,
        settings.auth_tenant,
        _claims(settings),
    )
    return [issuer]


def _several_issuers(settings: Settings) -> list[Issuer]:
    if settings.auth_issuers is None:
        return []
    try:
        entries = msgspec.json.decode(settings.auth_issuers.get_secret_value(), type=list[_IssuerSetting])
    except msgspec.DecodeError as error:
        # msgspec's message names the place and the type, but not the value, which may be a secret
        raise ConfigurationError(
            f"RECUERDO_AUTH_ISSUERS: {error}. It is a JSON list of objects with the fields issuer, audience, and "
            "jwks_url or secret."
        ) from None
    return [_issuer(entry, settings, alone=len(entries) == 1 and settings.auth_issuer is None) for entry in entries]


def _issuer(entry: _IssuerSetting, settings: Settings, *, alone: bool) -> Issuer:
    if not (entry.tenant or entry.claim_tenant or alone):
        raise ConfigurationError(
            f"RECUERDO_AUTH_ISSUERS: with several issuers each must name its tenants. Give {entry.issuer!r} a "
            "`tenant` of its own, or a `claim_tenant` if it may speak for every tenant."
        )
    usual = Issuer("", ()).algorithms if entry.secret is None else ("HS256",)
    return Issuer(
        entry.issuer,
        (entry.audience,) if isinstance(entry.audience, str) else tuple(entry.audience),
        entry.jwks_url,
        entry.secret,
        usual if entry.algorithms is None else tuple(entry.algorithms),
        entry.tenant,
        _claims(settings, entry),
    )


def _claims(settings: Settings, entry: _IssuerSetting | None = None) -> Claims:
    names = [f"claim_{field}" for field in Claims._fields]
    return Claims(*((entry and getattr(entry, name)) or getattr(settings, f"auth_{name}") for name in names))
