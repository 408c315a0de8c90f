"""Cookies of a server that browsers reach over TLS, which a proxy speaks."""

import asyncio
from urllib.parse import urlsplit

import httpx
from fastapi import FastAPI
from fastapi.testclient import TestClient
from serving import Backend

from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.core.api_keys import issue
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from recuerdo.server import ServerOptions, create_app
from recuerdo.server.auth.options import AuthOptions, Issuer, Oidc, VisitorOptions
from servers.oidc_provider import CLIENT_ID, CLIENT_SECRET, OidcProvider, running_oidc_provider


def app_of(provider: OidcProvider, keys: LocalApiKeys) -> FastAPI:
    auth = AuthOptions(
        oidc=Oidc(Issuer(provider.name, (CLIENT_ID,)), CLIENT_ID, CLIENT_SECRET),
        public_url="https://memory.example",
        visitors=VisitorOptions(("x" * 32,)),
        api_keys=True,
    )
    return create_app(Backend().opened(), ServerOptions(auth=auth, api_keys=keys))


def test_over_tls_no_cookie_counts_that_another_host_of_the_domain_can_set() -> None:
    """Else `evil.example` could let a browser be a visitor, a user or a sign-in of its own at `memory.example`."""
    issued, keys = issue(Owner("acme", "eve"), utc_now()), LocalApiKeys(LocalDatabase())
    asyncio.run(keys.add(issued.key))
    own = {"Origin": "https://memory.example"}
    with (
        running_oidc_provider() as provider,
        TestClient(
            app_of(provider, keys), base_url="http://memory.example", follow_redirects=False, headers=own
        ) as client,
    ):
        said = client.post("/v1/chat", json={"message": "Hola"})
        kept = client.post("/auth/session", headers={"Authorization": f"Bearer {issued.secret}"})
        begun = client.get("/auth/login")
        back = httpx.get(begun.headers["location"]).headers["location"]
        path = f"{urlsplit(back).path}?{urlsplit(back).query}"
        client.cookies.clear()
        for answer, name, asked, marks in (
            (said, "recuerdo_visitor", "/v1/threads", said.json()["thread_id"]),
            (kept, "recuerdo_credential", "/v1/principal", "eve"),
            (begun, "recuerdo_sign_in", path, None),
        ):
            cookie = answer.headers["set-cookie"].partition(";")[0]
            assert cookie.startswith(f"__Host-{name}=")
            assert {"Secure", "Path=/"} <= set(answer.headers["set-cookie"].split("; "))
            tossed = client.get(asked, headers={"Cookie": cookie.removeprefix("__Host-")})
            true = client.get(asked, headers={"Cookie": cookie})
            if marks is None:
                assert (tossed.status_code, true.status_code) == (401, 303)
            else:
                assert (marks in tossed.text, marks in true.text) == (False, True)
            client.cookies.clear()
