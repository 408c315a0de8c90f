"""Tokens: which are believed, whom they make of somebody, and why the others are refused."""

import asyncio
import json
import time
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from recuerdo.core.errors import Unauthenticated
from recuerdo.core.scope import Owner
from recuerdo.server.auth import tokens as tokens_module
from recuerdo.server.auth.options import Claims, Issuer
from recuerdo.server.auth.tokens import Tokens
from recuerdo.server.requests import Principal
from servers.identity_provider import AUDIENCE, IdentityProvider, forged, private_key

PAST, FUTURE = 1_000_000_000, 32_503_680_000
SECRET = "a secret that two services share, 32 bytes or more"
EMI = Principal(Owner("acme", "emi"))


def tokens_of(provider: IdentityProvider, **options: Any) -> Tokens:
    defaults = {"jwks_url": provider.jwks_url, "algorithms": ("RS256", "ES256")}
    return Tokens((Issuer(provider.name, (AUDIENCE,), **defaults | options),))


async def refusal(tokens: Tokens, token: str) -> str:
    with pytest.raises(Unauthenticated) as raised:
        await tokens.read(token)
    assert not raised.value.is_missing
    return str(raised.value)


@pytest.mark.parametrize("key", ["rsa-1", "ec-1"])
async def test_a_token_that_a_published_key_signed_is_believed(provider: IdentityProvider, key: str) -> None:
    assert await tokens_of(provider).read(provider.token(key)) == EMI


@pytest.mark.parametrize(
    ("key", "algorithm"), [("rsa-1", "PS256"), ("rsa-1", "RS512"), ("ec384-1", "ES384"), ("ed-1", "EdDSA")]
)
async def test_other_algorithms_are_believed_where_they_are_configured(
    provider: IdentityProvider, key: str, algorithm: str
) -> None:
    provider.published = [key]
    token = provider.token(key, algorithm=algorithm)
    assert await tokens_of(provider, algorithms=(algorithm,)).read(token) == EMI
    assert "algorithm" in await refusal(tokens_of(provider), token)


@pytest.mark.parametrize("verified", [False, "false", 0, ""])
async def test_an_address_that_the_issuer_has_not_verified_names_no_user(
    provider: IdentityProvider, verified: object
) -> None:
    """At some identity providers anybody may sign up with the address of another person."""
    tokens = tokens_of(provider, claims=Claims(user="email"))
    address = {"email": "emi@acme.example"}
    refused = await refusal(tokens, provider.token("rsa-1", **address, email_verified=verified))
    assert "nobody has verified" in refused
    for more in ({}, {"email_verified": True}, {"email_verified": "true"}):
        assert (await tokens.read(provider.token("rsa-1", **address | more))).owner.user == "emi@acme.example"
    assert await tokens_of(provider).read(provider.token("rsa-1", email_verified=verified)) == EMI


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"exp": PAST}, "has expired"),
        ({"exp": None}, "lacks one of the claims exp"),
        ({"sub": None}, "lacks one of the claims exp"),
        ({"aud": None}, "lacks one of the claims exp"),
        ({"aud": "another"}, "another audience"),
        ({"aud": ["another", "third"]}, "another audience"),
        ({"aud": []}, "lacks one of the claims exp"),
        ({"iss": None}, "issuer that this server does not know"),
        ({"iss": "https://evil.example/"}, "issuer that this server does not know"),
        ({"nbf": FUTURE}, "not valid yet"),
        ({"iat": FUTURE}, "not valid yet"),
        ({"exp": "soon"}, "can't be verified"),
        ({"exp": [FUTURE]}, "can't be verified"),
        ({"exp": 1e400}, "can't be read"),
        ({"nbf": {}}, "can't be verified"),
        ({"sub": 42}, "can't be verified"),
        ({"sub": ""}, "must be a text of 1 to 255 characters"),
        ({"sub": "a\nb"}, "control characters"),
        ({"sub": "x" * 256}, "must be a text of 1 to 255 characters"),
        ({"sub": "anonymous"}, "the anonymous one"),
        ({"tenant": None}, "its claim 'tenant' must be a text"),
        ({"tenant": 7}, "its claim 'tenant' must be a text"),
        ({"tenant": ["acme"]}, "its claim 'tenant' must be a text"),
        ({"tenant": ""}, "must be a text of 1 to 255 characters"),
        ({"role": ["operator"]}, "its claim 'role' must be a text"),
        ({"role": ""}, "must be a text of 1 to 255 characters"),
        ({"tier": {}}, "its claim 'tier' must be a text"),
    ],
)
async def test_a_signed_token_with_other_claims_is_refused_and_told_why(
    provider: IdentityProvider, changes: dict[str, Any], words: str
) -> None:
    told = await refusal(tokens_of(provider), provider.token(**changes))
    assert words in told


async def test_clocks_may_be_a_little_apart(provider: IdentityProvider) -> None:
    token = provider.token(exp=int(time.time()) - 10, nbf=int(time.time()) + 10, iat=int(time.time()) + 10)
    assert await tokens_of(provider).read(token) == EMI


async def test_the_published_key_is_no_secret(provider: IdentityProvider) -> None:
    """A token that is signed by HMAC, with the public key as the secret, in whatever form, is refused."""
    public = private_key("rsa-1").public_key()
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for secret in (pem, pem.strip(), json.dumps(provider.jwk("rsa-1")).encode()):
        for algorithm in ("HS256", "RS256", "ES256"):
            token = forged({"alg": algorithm, "kid": "rsa-1"}, provider.claims(), secret)
            assert "The token" in await refusal(tokens_of(provider), token)


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "nOnE", "", None, 1, [], ["RS256"], {}])
async def test_an_unsigned_token_is_refused_however_it_is_written(provider: IdentityProvider, algorithm: Any) -> None:
    shared = tokens_of(provider, jwks_url=None, secret=SECRET, algorithms=("HS256",))
    for header in ({"alg": algorithm}, {"alg": algorithm, "kid": "rsa-1"}):
        await refusal(tokens_of(provider), forged(header, provider.claims()))
        await refusal(shared, forged(header, provider.claims()))
    assert provider.requests == 0


async def test_a_secret_is_for_hs256_and_published_keys_are_not(provider: IdentityProvider) -> None:
    shared = tokens_of(provider, jwks_url=None, secret=SECRET, algorithms=("HS256",))
    header = {"alg": "HS256", "typ": "JWT"}
    assert await shared.read(forged(header, provider.claims(), SECRET.encode())) == EMI
    assert "not signed by its issuer" in await refusal(shared, forged(header, provider.claims(), b"x" * 32))
    assert "algorithm" in await refusal(shared, provider.token())
    assert "algorithm" in await refusal(tokens_of(provider), forged(header, provider.claims(), SECRET.encode()))


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ({"kid": "rsa-9"}, "a key that its issuer does not publish"),
        ({"kid": "ec-1"}, "a key that its issuer does not publish"),
        ({"kid": "../../etc/passwd"}, "a key that its issuer does not publish"),
        ({"crit": ["exp"]}, "can't be"),
        ({"b64": False, "crit": ["b64"]}, "can't be"),
    ],
)
async def test_a_header_that_points_elsewhere_is_refused(
    provider: IdentityProvider, headers: dict[str, Any], words: str
) -> None:
    assert words in await refusal(tokens_of(provider), forged({"alg": "RS256"} | headers, provider.claims(), b"x"))


async def test_a_key_that_the_token_brings_along_is_not_looked_at(provider: IdentityProvider) -> None:
    for headers in ({"jwk": provider.jwk("rsa-evil")}, {"jku": provider.jwks_url}, {"x5u": provider.jwks_url}):
        for kid in ("rsa-1", "rsa-evil"):
            token = provider.token("rsa-evil", headers=headers | {"kid": kid})
            assert "The token" in await refusal(tokens_of(provider), token)


async def test_a_changed_token_is_refused(provider: IdentityProvider) -> None:
    """Any part of one token with the other parts of another."""
    one, other = provider.token().split("."), provider.token("ec-1", sub="eva").split(".")
    for place in range(3):
        mixed = [*one]
        mixed[place] = other[place]
        await refusal(tokens_of(provider), ".".join(mixed))


async def test_another_keys_signature_under_a_known_name_is_refused(provider: IdentityProvider) -> None:
    told = await refusal(tokens_of(provider), provider.token("rsa-evil", headers={"kid": "rsa-1"}))
    assert "not signed by its issuer" in told


async def test_a_key_that_is_too_weak_is_not_taken(provider: IdentityProvider) -> None:
    provider.published = ["rsa1024-1"]
    with pytest.warns(Warning, match="1024 bits"):
        token = provider.token("rsa1024-1")
    assert "can't be verified" in await refusal(tokens_of(provider), token)


@pytest.mark.parametrize(
    "token",
    [
        "x",
        "x.y.z",
        "..",
        "....",
        "é.é.é",
        "\0",
        "a" * 8193,
        "a" * 1_000_000,
        forged(b"[" * 2000, b"[" * 2000),
        forged(b"{}", b"[" * 4000),
        forged({"alg": "RS256"}, b"[1, 2]"),
        forged({"alg": "RS256"}, b"\xff\xfe"),
        forged({"alg": "RS256", "kid": {}}, {"iss": "x"}),
        forged({"alg": "RS256"}, {"iss": ["x"]}),
        forged({"alg": "RS256"}, b'{"iss": 1e999, "exp": 1e999}'),
        forged(b"null", b"null"),
    ],
    ids=lambda token: token[:12].encode("unicode_escape").decode(),
)
async def test_what_is_no_token_is_refused_before_any_key_is_fetched(provider: IdentityProvider, token: str) -> None:
    await refusal(tokens_of(provider), token)
    assert provider.requests == 0


async def test_a_kid_that_is_no_text_is_refused(provider: IdentityProvider) -> None:
    for kid in ({}, [], 7, ["rsa-1"]):
        await refusal(tokens_of(provider), forged({"alg": "RS256", "kid": kid}, provider.claims(), b"x"))


async def test_claims_are_found_by_name_and_by_path(provider: IdentityProvider) -> None:
    claims = Claims("https://acme.example/org.id", "ext.user.id", "roles.main", "plan")
    changes = {
        "https://acme.example/org.id": "acme",
        "tenant": "evil",
        "ext": {"user": {"id": "José"}},
        "roles": {"main": "operator"},
        "plan": "gold",
    }
    found = await tokens_of(provider, claims=claims, highest_role="operator").read(provider.token(**changes))
    assert found == Principal(Owner("acme", "José"), "operator", "gold")


async def test_an_issuer_with_a_tenant_of_its_own_speaks_for_no_other(provider: IdentityProvider) -> None:
    found = await tokens_of(provider, tenant="theirs").read(provider.token(tenant="acme"))
    assert found.owner == Owner("theirs", "emi")


@pytest.mark.parametrize("highest", ["user", "editor", "admin", "operator"])
async def test_an_issuer_gives_no_higher_role_than_it_is_named_for(provider: IdentityProvider, highest: str) -> None:
    """The role of the server's operator least of all; roles that nobody knows here are members'."""
    tokens, ranked = tokens_of(provider, highest_role=highest), ["user", "editor", "admin", "operator"]
    for role in (*ranked[: ranked.index(highest) + 1], "member", "analyst", "Operator"):
        assert (await tokens.read(provider.token(role=role))).role == role
    for role in ranked[ranked.index(highest) + 1 :]:
        assert "RECUERDO_AUTH_HIGHEST_ROLE" in await refusal(tokens, provider.token(role=role))
    assert "higher" in await refusal(tokens_of(provider), provider.token(role="operator")), "nobody named it for that"


async def test_an_issuer_with_a_list_of_tenants_speaks_for_no_other(provider: IdentityProvider) -> None:
    tokens = tokens_of(provider, tenants=("acme", "zeta"))
    for tenant in ("acme", "zeta"):
        assert (await tokens.read(provider.token(tenant=tenant))).owner == Owner(tenant, "emi")
    for tenant in ("other", "Acme", "acme "):
        assert "does not speak for its tenant" in await refusal(tokens, provider.token(tenant=tenant))
    assert "must be a text" in await refusal(tokens, provider.token(tenant=None))


async def test_a_secret_is_changed_while_the_one_before_is_still_believed(provider: IdentityProvider) -> None:
    new, old, third = (f"{name} secret of at least 32 bytes, or more" for name in ("a new", "an old", "a third"))
    shared: dict[str, Any] = {"jwks_url": None, "algorithms": ("HS256",), "secret": new}

    def signed(secret: str, **changes: Any) -> str:
        return forged({"alg": "HS256"}, provider.claims(**changes), secret.encode())

    both = tokens_of(provider, **shared, previous_secrets=(old,))
    assert [await both.read(signed(secret)) for secret in (new, old)] == [EMI, EMI]
    assert "not signed by its issuer" in await refusal(both, signed(third))
    assert "has expired" in await refusal(both, signed(old, exp=PAST))
    assert "has expired" in await refusal(both, signed(new, exp=PAST))
    assert "not signed by its issuer" in await refusal(tokens_of(provider, **shared), signed(old))


async def test_one_issuers_keys_are_not_anothers(provider: IdentityProvider) -> None:
    other = Issuer("https://other.example/", (AUDIENCE,), secret=SECRET, algorithms=("HS256",), tenant="other")
    tokens = Tokens((Issuer(provider.name, (AUDIENCE,), provider.jwks_url), other))
    header = {"alg": "HS256"}
    claims = provider.claims(iss=other.name)
    assert (await tokens.read(forged(header, claims, SECRET.encode()))).owner == Owner("other", "emi")
    await refusal(tokens, provider.token(iss=other.name))
    await refusal(tokens, forged(header, provider.claims(), SECRET.encode()))
    await refusal(tokens, forged({"alg": "RS256", "kid": "rsa-1"}, provider.claims(), SECRET.encode()))


async def test_a_token_that_was_believed_is_not_once_its_key_is_withdrawn(
    provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens, token = tokens_of(provider), provider.token()
    assert [await tokens.read(token) for _ in range(2)] == [EMI, EMI]
    monkeypatch.setattr(tokens_module, "FRESH_SECONDS", 0.0)
    monkeypatch.setattr(tokens_module, "PAUSE_SECONDS", 0.0)
    provider.published = ["ec-1"]
    assert "does not publish" in await refusal(tokens, token)


async def test_a_token_that_was_believed_is_not_once_it_has_expired(provider: IdentityProvider) -> None:
    tokens, token = tokens_of(provider), provider.token(exp=int(time.time()) - tokens_module.LEEWAY_SECONDS + 4)
    assert await tokens.read(token) == EMI
    with pytest.raises(Unauthenticated, match="has expired"):
        await _read_until_refused(tokens, token)


async def _read_until_refused(tokens: Tokens, token: str) -> None:
    for _ in range(600):
        await tokens.read(token)
        await asyncio.sleep(0.1)
