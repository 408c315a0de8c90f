"""The credentials that a server accepts, by its settings."""

import json
from typing import Any

import pytest

from recuerdo.app.settings import Settings
from recuerdo.cli.serving import auth_options
from recuerdo.core.errors import ConfigurationError
from recuerdo.server.auth.options import AuthOptions, Claims, Issuer, Oidc, VisitorOptions

SECRET = "a secret that two services share, 32 bytes or more"
KEY = "0123456789abcdef" * 3
ISSUER = {"auth_issuer": "https://id.example/", "auth_audience": "recuerdo", "auth_jwks_url": "https://id.example/jwks"}
ENTRY = {"issuer": "https://id.example/", "audience": "recuerdo", "jwks_url": "https://id.example/jwks"}


def options(**settings: Any) -> AuthOptions | None:
    return auth_options(Settings(**settings))


def several(*entries: dict[str, Any]) -> AuthOptions | None:
    return options(auth_issuers=json.dumps(entries))


def test_without_settings_there_is_no_authentication() -> None:
    assert options() is None


def test_an_issuer_is_made_of_plain_settings() -> None:
    issuer = Issuer("https://id.example/", ("recuerdo",), "https://id.example/jwks")
    assert options(**ISSUER) == AuthOptions((issuer,))
    more = options(
        **ISSUER | {"auth_audience": "a, b", "auth_algorithms": "PS256 , EdDSA"},
        auth_tenant="acme",
        auth_claim_user="uid",
        auth_claim_tier="plan",
        auth_api_keys=True,
        auth_anonymous=True,
        auth_visitor_key=f"{KEY}, {KEY[::-1]}",
        auth_visitor_users="nobody, 00000000-0000-0000-0000-000000000000",
        auth_visitor_days=0.5,
        auth_visitor_tenant="acme",
    )
    claims = Claims(user="uid", tier="plan")
    issuer = issuer._replace(audiences=("a", "b"), algorithms=("PS256", "EdDSA"), tenant="acme", claims=claims)
    nobody = frozenset({"nobody", "00000000-0000-0000-0000-000000000000"})
    assert more == AuthOptions((issuer,), True, VisitorOptions((KEY, KEY[::-1]), "acme", nobody, 43_200))


def test_a_secret_means_hs256() -> None:
    found = options(auth_issuer="us", auth_audience="recuerdo", auth_secret=SECRET)
    assert found == AuthOptions((Issuer("us", ("recuerdo",), None, SECRET, ("HS256",)),))


def test_an_issuer_is_limited_to_tenants_and_roles() -> None:
    limited = options(**ISSUER, auth_tenants="acme, zeta", auth_highest_role="operator")
    assert limited is not None
    assert (limited.issuers[0].tenants, limited.issuers[0].highest_role) == (("acme", "zeta"), "operator")
    entry = ENTRY | {"tenants": ["acme"], "highest_role": "editor"}
    found = several(entry, ENTRY | {"issuer": "b", "tenant": "zeta"})
    assert found is not None
    assert [(issuer.tenants, issuer.highest_role) for issuer in found.issuers] == [(("acme",), "editor"), ((), "admin")]


@pytest.mark.parametrize(("general", "given"), [("user", "user"), ("admin", "admin"), ("operator", "admin")])
def test_an_issuer_of_several_has_operators_only_where_it_is_named_for_it(general: str, given: str) -> None:
    found = options(auth_issuers=json.dumps([ENTRY]), auth_highest_role=general)
    assert found is not None
    assert found.issuers[0].highest_role == given


def test_a_secret_may_have_a_previous_one() -> None:
    found = options(auth_issuer="us", auth_audience="recuerdo", auth_secret=SECRET, auth_previous_secret=SECRET[::-1])
    assert found is not None
    assert (found.issuers[0].secret, found.issuers[0].previous_secrets) == (SECRET, (SECRET[::-1],))
    entry = {"issuer": "us", "audience": "a", "secret": SECRET, "previous_secret": SECRET[::-1]}
    assert (several(entry) or found).issuers[0].previous_secrets == (SECRET[::-1],)


def test_people_sign_in_at_a_provider_with_the_claims_and_limits_of_an_issuer() -> None:
    provider = {"oidc_issuer": "https://id.example", "oidc_client_id": "page", "oidc_client_secret": SECRET}
    found = options(**provider, oidc_session=2, public_url="https://memory.example/", auth_tenant="acme")
    issuer = Issuer("https://id.example", ("page",), tenant="acme")
    oidc = Oidc(issuer, "page", SECRET, longest_seconds=7200)
    assert found == AuthOptions(oidc=oidc, public_url="https://memory.example")
    limited = options(**provider, auth_tenants="a,b", auth_highest_role="editor", auth_claim_tenant="org")
    assert limited is not None
    assert limited.oidc is not None
    assert limited.oidc.issuer == Issuer(
        "https://id.example", ("page",), claims=Claims(tenant="org"), tenants=("a", "b"), highest_role="editor"
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"oidc_client_id": None}, "RECUERDO_OIDC_CLIENT_ID"),
        ({"oidc_client_secret": None}, "RECUERDO_OIDC_CLIENT_SECRET"),
        ({"oidc_client_secret": "short-secret"}, "RECUERDO_OIDC_CLIENT_SECRET"),
        ({"oidc_issuer": "http://id.example"}, "https://"),
        ({"oidc_scopes": "profile"}, "openid"),
        ({"auth_secret": SECRET}, "RECUERDO_AUTH_SECRET needs the issuer's name"),
    ],
)
def test_a_provider_that_cannot_be_used_is_refused(changes: dict[str, Any], words: str) -> None:
    provider = {"oidc_issuer": "https://id.example", "oidc_client_id": "page", "oidc_client_secret": SECRET}
    with pytest.raises(ConfigurationError, match=words) as raised:
        options(**{name: value for name, value in (provider | changes).items() if value is not None})
    assert "short-secret" not in str(raised.value)


def test_several_issuers_come_as_json() -> None:
    second = {"issuer": "us", "audience": ["a", "b"], "secret": SECRET, "claim_tenant": "org"}
    found = several(ENTRY | {"tenant": "acme"}, second)
    assert found is not None
    assert [issuer.name for issuer in found.issuers] == ["https://id.example/", "us"]
    assert found.issuers[0].tenant == "acme"
    assert found.issuers[1] == Issuer("us", ("a", "b"), None, SECRET, ("HS256",), None, Claims(tenant="org"))
    assert several(ENTRY) == options(**ISSUER)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"auth_api_keys": True, "auth_anonymous": True}, "set RECUERDO_AUTH_VISITOR_KEY"),
        ({**ISSUER, "auth_anonymous": True, "auth_visitor_key": "short"}, "of 32 random bytes or more"),
        ({"auth_anonymous": True, "auth_visitor_key": KEY}, "Nobody could prove who they are"),
        ({"auth_issuer": "x"}, "needs an audience"),
        ({**ISSUER, "auth_audience": " , "}, "needs an audience"),
        ({**ISSUER, "auth_jwks_url": None}, "needs either the address of its keys"),
        ({**ISSUER, "auth_secret": SECRET}, "needs either the address of its keys"),
        ({**ISSUER, "auth_jwks_url": "http://id.example/jwks"}, "at an https:// address"),
        ({**ISSUER, "auth_jwks_url": "http://localhost.evil.example/jwks"}, "at an https:// address"),
        ({**ISSUER, "auth_jwks_url": "http://127.0.0.1@evil.example/jwks"}, "at an https:// address"),
        ({**ISSUER, "auth_jwks_url": "file:///etc/passwd"}, "at an https:// address"),
        ({**ISSUER, "auth_algorithms": "HS256"}, "choose its algorithms among"),
        ({**ISSUER, "auth_algorithms": "RS256,none"}, "choose its algorithms among"),
        ({**ISSUER, "auth_algorithms": ","}, "choose its algorithms among"),
        ({**ISSUER, "auth_jwks_url": None, "auth_secret": "short-secret"}, "too short"),
        (
            {**ISSUER, "auth_jwks_url": None, "auth_secret": SECRET, "auth_algorithms": "HS256,RS256"},
            "the algorithm is HS256 alone",
        ),
        ({**ISSUER, "auth_tenant": "a", "auth_tenants": "a,b"}, "Name one of the two"),
        ({**ISSUER, "auth_previous_secret": SECRET}, "previous secrets and no secret"),
        (
            {**ISSUER, "auth_jwks_url": None, "auth_secret": SECRET, "auth_previous_secret": "short-secret"},
            "too short",
        ),
        ({"auth_tenants": "acme"}, "RECUERDO_AUTH_ISSUER, or in RECUERDO_OIDC_ISSUER"),
        ({"auth_issuers": json.dumps([ENTRY | {"highest_role": "ruler"}])}, "must be one of user, editor, admin"),
        ({"auth_jwks_url": "https://id.example/jwks"}, "RECUERDO_AUTH_JWKS_URL needs the issuer's name"),
        ({"auth_secret": SECRET, "auth_api_keys": True}, "RECUERDO_AUTH_SECRET needs the issuer's name"),
        ({"auth_issuers": "no json"}, "RECUERDO_AUTH_ISSUERS: "),
        ({"auth_issuers": '[{"issuer": 7}]'}, "RECUERDO_AUTH_ISSUERS: "),
        ({"auth_issuers": json.dumps([ENTRY | {"algorithm": "RS256"}])}, "unknown field `algorithm`"),
        ({"auth_issuers": json.dumps([ENTRY, ENTRY | {"issuer": "b"}])}, "each must name its tenants"),
        ({**ISSUER, "auth_issuers": json.dumps([ENTRY])}, "each must name its tenants"),
        ({**ISSUER, "auth_issuers": json.dumps([ENTRY | {"tenant": "a"}])}, "named twice"),
    ],
)
def test_settings_that_cannot_work_or_are_not_safe_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        options(**{name: value for name, value in settings.items() if value is not None})
    assert words in str(raised.value)
    assert "short-secret" not in str(raised.value)
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/jwks", "http://localhost/jwks", "http://[::1]:80/jwks"])
def test_keys_of_this_machine_need_no_tls(url: str) -> None:
    assert options(**ISSUER | {"auth_jwks_url": url}) is not None


def test_secrets_are_not_shown() -> None:
    shown = repr(Settings.model_validate({"auth_secret": SECRET, "auth_issuers": json.dumps([{"secret": SECRET}])}))
    assert SECRET not in shown
