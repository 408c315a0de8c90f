"""A server that authenticates: what it asks for, what it answers, and what it leaves to nobody."""

import asyncio
import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from fastapi import WebSocket
from fastapi.testclient import TestClient
from serving import Backend, serving
from starlette.testclient import WebSocketDenialResponse

from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.core.api_keys import issue
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.scope import Owner
from recuerdo.server import ServerOptions, create_app
from recuerdo.server.auth.options import AuthOptions, Issuer, VisitorOptions
from recuerdo.server.requests import CurrentCall
from servers.identity_provider import AUDIENCE, IdentityProvider, running_provider

EMI = Owner("acme", "emi")


@pytest.fixture(scope="module")
def provider() -> Iterator[IdentityProvider]:
    with running_provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def keys() -> LocalApiKeys:
    return LocalApiKeys(LocalDatabase())


def options_of(provider: IdentityProvider, keys: LocalApiKeys, **changes: Any) -> ServerOptions:
    issuer = Issuer(provider.name, (AUDIENCE,), provider.jwks_url)
    return ServerOptions(auth=AuthOptions((issuer,), api_keys=True)._replace(**changes), api_keys=keys)


@pytest.fixture(scope="module")
def guarded_url(provider: IdentityProvider, keys: LocalApiKeys) -> Iterator[str]:
    with serving(Backend().opened(), options_of(provider, keys)) as url:
        yield url


def made(keys: LocalApiKeys, owner: Owner = EMI, **fields: Any) -> str:
    issued = issue(owner, datetime.now(UTC), **fields)
    asyncio.run(keys.add(issued.key))
    return issued.secret


def whoami(url: str, *headers: tuple[str, str]) -> httpx.Response:
    return httpx.get(f"{url}/v1/principal", headers=list(headers))


def test_tokens_and_keys_say_who_asks(guarded_url: str, provider: IdentityProvider, keys: LocalApiKeys) -> None:
    """And nothing else does: not the header that names a user without authentication."""
    emi = {"tenant": "acme", "user": "emi", "role": "user", "tier": None, "anonymous": False}
    key = made(keys)
    other = ("X-Recuerdo-User", "eva")
    assert whoami(guarded_url, ("Authorization", f"Bearer {provider.token()}"), other).json() == emi
    assert whoami(guarded_url, ("authorization", f"bearer  {provider.token('ec-1')}")).json() == emi
    assert whoami(guarded_url, ("x-api-key", key), other).json() == emi
    assert whoami(guarded_url, ("Authorization", f"Bearer {key}")).json() == emi
    assert (
        whoami(guarded_url, ("Authorization", f"Bearer {provider.token()}"), ("x-api-key", "lsv2_foreign")).json()
        == emi
    )


def test_a_refusal_says_what_to_send_and_repeats_nothing(
    guarded_url: str, provider: IdentityProvider, keys: LocalApiKeys
) -> None:
    good, key = provider.token(), made(keys)
    expired = made(keys, expires_at=datetime.now(UTC) - timedelta(seconds=1))
    bad = [
        [("Authorization", f"Bearer {provider.token(exp=1_000_000_000)}")],
        [("Authorization", f"Bearer {good}x")],
        [("Authorization", f"Bearer {'x' * 20_000}")],
        [("Authorization", f"Basic {good}")],
        [("Authorization", good)],
        [("Authorization", "Bearer")],
        [("Authorization", "")],
        [("Authorization", f"Bearer {key}x")],
        [("Authorization", f"Bearer {good}"), ("Authorization", f"Bearer {good}")],
        [("Authorization", "Bearer x"), ("x-api-key", key)],
        [("x-api-key", "")],
        [("x-api-key", key[:-1])],
        [("x-api-key", expired)],
        [("x-api-key", good)],
        [("x-api-key", key), ("x-api-key", key)],
    ]
    for headers in bad:
        answer = whoami(guarded_url, *headers)
        assert answer.status_code == 401, headers
        assert answer.headers["www-authenticate"] == 'Bearer realm="recuerdo", error="invalid_token"'
        assert "recuerdo token create" in answer.json()["detail"]
        assert provider.name not in answer.text
        assert not any(len(value) > 6 and value in answer.text for _, value in headers)
    missing = whoami(guarded_url)
    assert (missing.status_code, missing.headers["www-authenticate"]) == (401, 'Bearer realm="recuerdo"')
    assert "none was sent" in missing.json()["detail"]


def test_nothing_of_a_credential_is_logged(
    provider: IdentityProvider, keys: LocalApiKeys, caplog: pytest.LogCaptureFixture
) -> None:
    key, token = made(keys), provider.token()
    with caplog.at_level(logging.DEBUG), serving(Backend().opened(), options_of(provider, keys)) as url:
        for header in (("x-api-key", key), ("x-api-key", f"{key}x"), ("Authorization", f"Bearer {token}")):
            whoami(url, header)
            whoami(url, (header[0], f"{header[1]}x"))
    assert key not in caplog.text
    assert token.partition(".")[2] not in caplog.text


def test_a_server_that_authenticates_answers_to_any_name(
    guarded_url: str, provider: IdentityProvider, keys: LocalApiKeys
) -> None:
    """And a page of another site may ask with a credential, which no browser adds of its own accord."""
    key = ("x-api-key", made(keys))
    assert whoami(guarded_url, ("Host", "memory.example"), key).status_code == 200
    evil = ("Origin", "https://evil.example")
    url = f"{guarded_url}/v1/memories"
    assert httpx.post(url, json={"text": "x"}, headers=[evil, key]).status_code == 201
    assert httpx.post(url, json={"text": "x"}, headers=[evil]).status_code == 403


def test_visitors_come_in_where_they_may(provider: IdentityProvider, keys: LocalApiKeys) -> None:
    """Without a credential; one that is no good is refused all the same."""
    visitors = VisitorOptions(("k" * 32,))
    with serving(Backend().opened(), options_of(provider, keys, visitors=visitors)) as url:
        nobody = whoami(url).json()
        assert nobody["user"].startswith("visitor:")
        assert whoami(url, ("X-Recuerdo-User", "emi")).status_code == 401  # a page of emi's, who has signed out
        assert (nobody["tenant"], nobody["role"], nobody["anonymous"]) == ("default", "anonymous", True)
        assert whoami(url, ("Authorization", "Bearer x")).status_code == 401
        assert whoami(url, ("x-api-key", "x")).status_code == 401
        assert whoami(url, ("x-api-key", made(keys))).json()["user"] == "emi"
        evil = [("Origin", "https://evil.example")]
        assert httpx.post(f"{url}/v1/chat", json={"message": "x"}, headers=evil).status_code == 403


def test_only_what_is_configured_is_taken(provider: IdentityProvider, keys: LocalApiKeys) -> None:
    key, token = made(keys), provider.token()
    with serving(Backend().opened(), options_of(provider, keys, issuers=())) as url:
        assert whoami(url, ("x-api-key", key)).status_code == 200
        assert whoami(url, ("Authorization", f"Bearer {token}")).status_code == 401
        assert httpx.get(f"{url}/info").json()["auth"] == "api_key"
    with serving(Backend().opened(), options_of(provider, keys, api_keys=False)) as url:
        assert whoami(url, ("Authorization", f"Bearer {token}")).status_code == 200
        assert whoami(url, ("x-api-key", key)).status_code == 401
        assert httpx.get(f"{url}/info").json()["auth"] == "token"


def test_an_issuer_that_is_away_is_no_refusal(keys: LocalApiKeys) -> None:
    with running_provider() as provider, serving(Backend().opened(), options_of(provider, keys)) as url:
        provider.down = True
        answer = whoami(url, ("Authorization", f"Bearer {provider.token()}"))
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert whoami(url, ("x-api-key", made(keys))).status_code == 200


def test_metrics_are_for_the_operator(guarded_url: str, keys: LocalApiKeys) -> None:
    url = f"{guarded_url}/metrics"
    assert httpx.get(url).status_code == 401
    refused = httpx.get(url, headers={"x-api-key": made(keys)})
    assert refused.status_code == 403
    assert "recuerdo token create" in refused.json()["detail"]
    operator = {"x-api-key": made(keys, role="operator")}
    assert httpx.get(url, headers=operator).status_code == 404  # this server has none


def test_a_server_without_anybody_to_believe_does_not_start(keys: LocalApiKeys) -> None:
    for options in (ServerOptions(auth=AuthOptions()), ServerOptions(auth=AuthOptions(api_keys=True))):
        with pytest.raises(ConfigurationError):
            create_app(Backend().opened(), options)


def test_a_websocket_has_a_principal_too(provider: IdentityProvider, keys: LocalApiKeys) -> None:
    """It is refused before it is accepted, with the status and the words that a request would get."""
    app = create_app(Backend().opened(), options_of(provider, keys))

    async def echo(socket: WebSocket, call: CurrentCall) -> None:
        await socket.accept()
        await socket.send_text(call.owner.user)
        await socket.close()

    app.add_api_websocket_route("/echo", echo)
    key = made(keys)
    with TestClient(app) as client:
        with client.websocket_connect("/echo", headers={"x-api-key": key}) as socket:
            assert socket.receive_text() == "emi"
        for headers in ({}, {"x-api-key": "x"}, {"Authorization": "Bearer x"}, {"X-Recuerdo-User": "emi"}):
            with (
                pytest.raises(WebSocketDenialResponse) as raised,
                client.websocket_connect("/echo", headers=headers),
            ):
                pass
            assert raised.value.status_code == 401
            assert "www-authenticate" in raised.value.headers


def test_the_openapi_document_says_how_to_prove_who_asks(guarded_url: str) -> None:
    document = httpx.get(f"{guarded_url}/openapi.json").json()
    schemes = document["components"]["securitySchemes"]
    assert {scheme["type"] for scheme in schemes.values()} == {"http", "apiKey"}
    guarded = document["paths"]["/v1/threads"]["get"]
    assert {name for way in guarded["security"] for name in way} == set(schemes)
    assert "401" in guarded["responses"]
    assert "security" not in document["paths"]["/ok"]["get"]
