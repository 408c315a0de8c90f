"""Sign-in with OpenID Connect against a provider that speaks it over HTTP, and sessions that are cookies."""

import asyncio
import base64
import re
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import httpcore2
import httpx
import msgspec
import pytest
from fastapi.testclient import TestClient
from serving import Backend, serving
from starlette.responses import Response
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from recuerdo.adapters.local import LocalAudit, LocalDatabase
from recuerdo.audit import AuditLog
from recuerdo.core.audit import AuditQuery
from recuerdo.core.errors import ConfigurationError
from recuerdo.history.history import utc_now
from recuerdo.server import ServerOptions, create_app
from recuerdo.server.auth import oidc as sign_ins
from recuerdo.server.auth.cookies import Login, LoginCookies, Seal
from recuerdo.server.auth.options import AuthOptions, Issuer, Oidc
from servers.oidc_provider import CLIENT_ID, CLIENT_SECRET, OidcProvider, running_oidc_provider
from servers.patience import PATIENCE
from servers.process import ServerProcess, free_port

SESSION = "recuerdo_session"
ATTEMPT = "recuerdo_sign_in"


@pytest.fixture(scope="module")
def running() -> Iterator[OidcProvider]:
    with running_oidc_provider() as provider:
        yield provider


@pytest.fixture
def provider(running: OidcProvider) -> OidcProvider:
    running.reset()
    return running


def options_of(provider: OidcProvider, *, public_url: str | None = None, **limits: Any) -> ServerOptions:
    issuer = Issuer(provider.name, (CLIENT_ID,), **limits)
    return ServerOptions(auth=AuthOptions(oidc=Oidc(issuer, CLIENT_ID, CLIENT_SECRET), public_url=public_url))


@pytest.fixture
def url(provider: OidcProvider) -> Iterator[str]:
    with serving(Backend().opened(), options_of(provider)) as url:
        yield url


@pytest.fixture
def browser(url: str) -> Iterator[httpx.Client]:
    """A client with a jar for cookies, which says where it is from, as a page's requests do."""
    with httpx.Client(base_url=url, headers={"Origin": url}) as client:
        yield client


def led_to_the_provider(browser: httpx.Client, following: str = "/") -> str:
    answer = browser.get("/auth/login", params={"next": following})
    assert answer.status_code == 302, answer.text
    return answer.headers["location"]


def led_back(browser: httpx.Client) -> str:
    """The address that the provider leads the browser to."""
    return httpx.get(led_to_the_provider(browser)).headers["location"]


def sign_in(browser: httpx.Client) -> httpx.Response:
    return browser.get(led_back(browser))


def who(browser: httpx.Client) -> httpx.Response:
    return browser.get("/v1/principal")


def test_a_person_signs_in_and_acts_as_the_provider_says(browser: httpx.Client) -> None:
    assert who(browser).status_code == 401
    back = browser.get(httpx.get(led_to_the_provider(browser, "/?x=1#/t-1")).headers["location"])
    assert (back.status_code, back.headers["location"]) == (303, "/?x=1#/t-1")
    assert back.headers["cache-control"] == "no-store"
    assert who(browser).json() == {
        "tenant": "acme",
        "user": "emi",
        "role": "editor",
        "tier": None,
        "anonymous": False,
    }
    assert browser.post("/v1/memories", json={"text": "Emi likes tea"}).status_code == 201
    assert ATTEMPT not in browser.cookies


def test_the_cookie_is_out_of_reach_for_scripts_and_other_sites_and_holds_nothing_readable(
    browser: httpx.Client,
) -> None:
    back = sign_in(browser)
    said = SimpleCookie("; ".join(back.headers.get_list("set-cookie")))
    cookie = next(line for line in back.headers.get_list("set-cookie") if line.startswith(f"{SESSION}="))
    for part in ("HttpOnly", "SameSite=strict", "Path=/"):
        assert part in cookie
    assert "Domain" not in cookie
    assert SESSION in said
    sealed = base64.urlsafe_b64decode(browser.cookies[SESSION])
    assert not [word for word in (b"emi", b"acme", b"editor") if word in sealed]


def test_https_makes_the_cookie_secure_and_the_hosts_own(provider: OidcProvider) -> None:
    app = create_app(Backend().opened(), options_of(provider, public_url="https://memory.example"))
    with TestClient(app, base_url="https://memory.example", follow_redirects=False) as client:
        first = client.get("/auth/login")
        asked = parse_qs(urlsplit(first.headers["location"]).query)
        assert asked["redirect_uri"] == ["https://memory.example/auth/callback"]
        assert "Secure" in first.headers["set-cookie"]
        back = client.get(httpx.get(first.headers["location"]).headers["location"])
        cookie = next(line for line in back.headers.get_list("set-cookie") if line.startswith("__Host-recuerdo="))
        assert "Secure" in cookie
        assert client.get("/v1/principal").json()["user"] == "emi"


def test_the_certificates_are_read_once_and_not_at_each_step(
    provider: OidcProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = create_app(Backend().opened(), options_of(provider))
    monkeypatch.setattr(httpcore2, "default_ssl_context", None)  # which is no function
    with TestClient(app, base_url="http://127.0.0.1", follow_redirects=False) as client:
        sign_in(cast(Any, client))
        assert client.get("/v1/principal").json()["user"] == "emi"


def test_the_provider_is_asked_with_pkce_state_and_nonce_that_nobody_can_guess(browser: httpx.Client) -> None:
    asked = [parse_qs(urlsplit(led_to_the_provider(browser)).query) for _ in range(2)]
    for each in asked:
        assert (each["response_type"], each["code_challenge_method"]) == (["code"], ["S256"])
        assert all(len(each[name][0]) >= 43 for name in ("state", "nonce", "code_challenge"))
        assert "code_verifier" not in each
    for name in ("state", "nonce", "code_challenge"):
        assert asked[0][name] != asked[1][name]


@pytest.mark.parametrize(
    ("following", "led"),
    [
        ("/#/t-1", "/#/t-1"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("https://evil.example/", "/"),
        ("/\r\nSet-Cookie: a=b", "/"),
        ("javascript:alert(1)", "/"),
        ("/" + "x" * 2000, "/"),
        ("", "/"),
    ],
)
def test_nobody_is_led_to_another_site(browser: httpx.Client, following: str, led: str) -> None:
    back = browser.get(httpx.get(led_to_the_provider(browser, following)).headers["location"])
    assert back.headers["location"] == led


def refused(answer: httpx.Response, words: str) -> None:
    assert (answer.status_code, words in answer.text) == (401, True), answer.text
    assert not [line for line in answer.headers.get_list("set-cookie") if line.startswith(SESSION)]


def test_a_state_is_good_once(browser: httpx.Client, provider: OidcProvider) -> None:
    """Also where the provider takes a code twice, and the browser still has its cookie."""
    provider.checks = False
    back = led_back(browser)
    attempt = browser.cookies[ATTEMPT]
    assert browser.get(back).status_code == 303
    refused(browser.get(back), "not begun in this browser")
    browser.cookies.set(ATTEMPT, attempt)
    refused(browser.get(back, headers={"Cookie": f"{ATTEMPT}={attempt}"}), "ended before")


def test_a_state_is_good_in_the_browser_that_began_alone(browser: httpx.Client, url: str) -> None:
    """Else a stranger could let somebody sign in as the stranger."""
    theirs = led_back(browser)
    with httpx.Client(base_url=url) as other:
        refused(other.get(theirs), "not begun in this browser")
        led_to_the_provider(other)
        refused(other.get(theirs), "state is another one's")
    refused(browser.get(re.sub("state=[^&]+", "state=x", theirs)), "state is another one's")
    refused(browser.get(re.sub("state=[^&]+&?", "", theirs)), "state is another one's")


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"nonce": "another"}, "nonce is another one's"),
        ({"nonce": None}, "nonce is another one's"),
        ({"aud": "another-client"}, "another audience"),
        ({"aud": [CLIENT_ID, "another"]}, "for another client"),
        ({"aud": [CLIENT_ID, "another"], "azp": "another"}, "for another client"),
        ({"azp": "another"}, "for another client"),
        ({"exp": 1_000_000_000}, "has expired"),
        ({"iss": "https://evil.example/"}, "issuer that this server does not know"),
        ({"sub": None}, "lacks one of the claims"),
        ({"sub": "anonymous"}, "the anonymous one"),
        ({"tenant": None}, "must be a text"),
        ({"role": "operator"}, "higher than what may be given"),
    ],
)
def test_an_id_token_that_is_not_meant_for_this_is_refused(
    browser: httpx.Client, provider: OidcProvider, claims: dict[str, Any], words: str
) -> None:
    provider.claims_instead = claims
    refused(sign_in(browser), words)
    assert who(browser).status_code == 401


def test_an_id_token_with_a_key_that_the_provider_does_not_publish_is_refused(
    browser: httpx.Client, provider: OidcProvider
) -> None:
    provider.signing_key = "rsa-9"
    refused(sign_in(browser), "key that its issuer does not publish")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"code": ""}, "declined"),
        ({"code": "", "error": "access_denied"}, "declined"),
        ({"code": "guessed"}, "refused it"),
        ({"iss": "https://evil.example/"}, "another provider"),
    ],
)
def test_an_answer_that_is_no_grant_is_refused(
    browser: httpx.Client, provider: OidcProvider, answer: dict[str, str], words: str
) -> None:
    provider.answer_instead = answer
    refused(sign_in(browser), words)


def test_an_issuer_is_limited_to_its_tenants(provider: OidcProvider) -> None:
    with (
        serving(Backend().opened(), options_of(provider, tenants=("zeta",))) as url,
        httpx.Client(base_url=url) as browser,
    ):
        refused(sign_in(browser), "does not speak for its tenant")


@pytest.mark.parametrize(
    "wrong", [{"issuer": "https://evil.example/"}, {"token_endpoint": "http://evil.example/token"}, {"jwks_uri": 7}]
)
def test_a_provider_that_describes_another_or_answers_in_the_open_is_not_used(
    browser: httpx.Client, provider: OidcProvider, wrong: dict[str, Any]
) -> None:
    provider.metadata_instead = wrong
    assert browser.get("/auth/login").status_code == 503


def test_a_provider_that_is_away_is_no_refusal(browser: httpx.Client, provider: OidcProvider) -> None:
    provider.down = True
    away = browser.get("/auth/login")
    assert (away.status_code, "retry-after" in away.headers) == (503, True)
    provider.down = False
    back = led_back(browser)
    provider.down = True
    assert browser.get(back).status_code == 503
    provider.down = False
    assert sign_in(browser).status_code == 303


def test_a_browser_that_gets_no_session_is_led_back_to_the_page(browser: httpx.Client, provider: OidcProvider) -> None:
    """With a word for why, and of the provider's words none."""
    browser.headers["Accept"] = "text/html,application/xhtml+xml,*/*;q=0.8"
    provider.down = True
    away = browser.get("/auth/login")
    provider.down = False
    provider.answer_instead = {"code": "", "error": "access_denied", "error_description": "<b>pwned</b>"}
    declined = sign_in(browser)
    provider.answer_instead = {}
    back = led_back(browser)
    provider.down = True
    for answer, problem in ((away, "away"), (declined, "refused"), (browser.get(back), "away")):
        assert (answer.status_code, answer.headers["location"]) == (303, f"/?sign-in={problem}")
        assert answer.headers["cache-control"] == "no-store"
    assert SESSION not in browser.cookies


def test_a_page_that_was_opened_for_another_user_does_nothing(browser: httpx.Client) -> None:
    """It is still open in another tab, while the browser has signed in as somebody else."""
    sign_in(browser)
    for named, status in (("ana", 401), ("emi", 201), ("", 201)):
        answer = browser.post("/v1/memories", json={"text": "x"}, headers={"X-Recuerdo-User": named})
        assert answer.status_code == status, named
    assert browser.get("/v1/threads", headers={"X-Recuerdo-User": "ana"}).status_code == 401
    for tenant, status in (("zeta", 401), ("acme", 200), ("", 200)):
        named = {"X-Recuerdo-User": "emi", "X-Recuerdo-Tenant": tenant}
        assert browser.get("/v1/threads", headers=named).status_code == status, tenant


def test_a_cookie_that_was_tampered_with_is_refused(browser: httpx.Client, url: str) -> None:
    sign_in(browser)
    sealed = browser.cookies[SESSION]
    forged = Seal("another secret", "recuerdo session").close(session())
    other_purpose = Seal(CLIENT_SECRET, "recuerdo sign-in").close(session())
    flipped = [f"{sealed[:at]}{'A' if sealed[at] != 'A' else 'B'}{sealed[at + 1 :]}" for at in (0, 12, 40, 99, -20)]
    for cookie in (*flipped, sealed[:-4], sealed + "A", "x", forged, other_purpose, "x" * 5000):
        answer = httpx.get(f"{url}/v1/principal", headers={"Cookie": f"{SESSION}={cookie}"})
        assert answer.status_code == 401, cookie
        assert sealed not in answer.text
    assert who(browser).status_code == 200


def session(**changes: Any) -> Login:
    now = 2_000_000_000.0
    good: dict[str, Any] = {
        "tenant": "acme",
        "user": "emi",
        "role": "user",
        "tier": None,
        "renewed_at": now,
        "expires_at": now + 900,
        "ends_at": now + 9000,
    }
    return Login(**good | changes)


def test_a_change_is_made_by_a_page_of_this_server_alone(browser: httpx.Client, url: str) -> None:
    """Browsers send the cookie along with whatever a page asks; the Origin says whose page it is."""
    sign_in(browser)
    headers = {"Cookie": f"{SESSION}={browser.cookies[SESSION]}"}
    for origin in ("https://evil.example", "null", url.replace("http://", "http://evil."), f"{url}.evil.example", None):
        sent = headers | ({"Origin": origin} if origin else {})
        changes: list[tuple[str, str, dict[str, Any] | None]] = [
            ("POST", "/v1/memories", {"text": "x"}),
            ("PUT", "/store/items", {"namespace": ["a"], "key": "k", "value": {}}),
            ("DELETE", "/v1/threads/t-1", None),
            ("POST", "/auth/logout", None),
            ("POST", "/auth/renew", None),
        ]
        for method, path, body in changes:
            answer = httpx.request(method, f"{url}{path}", json=body, headers=sent)
            assert answer.status_code == 403, (origin, path, answer.text)
        with pytest.raises(Exception, match=r"403|1008|policy|4403"):
            socket_of(url, sent)
    assert httpx.get(f"{url}/v1/principal", headers=headers).status_code == 200
    assert browser.post("/v1/memories", json={"text": "x"}).status_code == 201
    socket_of(url, headers | {"Origin": url})


def socket_of(url: str, headers: dict[str, str]) -> None:
    origin = headers.get("Origin")
    others = {name: value for name, value in headers.items() if name != "Origin"}
    place = f"ws{url.removeprefix('http')}/ws/s-1"
    with connect(place, additional_headers=others, origin=origin, open_timeout=PATIENCE) as socket:  # type: ignore[arg-type]
        try:
            socket.recv(PATIENCE)
        except ConnectionClosed as closed:
            raise AssertionError(f"closed with {closed.rcvd.code if closed.rcvd else None}") from None


def test_a_credential_in_a_header_goes_before_the_cookie(browser: httpx.Client) -> None:
    sign_in(browser)
    assert browser.get("/v1/principal", headers={"Authorization": "Bearer x"}).status_code == 401


def test_signing_out_forgets_the_session_here_and_at_the_provider(
    browser: httpx.Client, provider: OidcProvider, url: str
) -> None:
    sign_in(browser)
    (refresh_token,), (id_token,) = provider.refresh_tokens, provider.id_tokens
    answer = browser.post("/auth/logout")
    assert answer.status_code == 200
    place = urlsplit(str(answer.json()["location"]))
    assert f"{place.scheme}://{place.netloc}{place.path}" == f"{provider.url}/end"
    said = {"client_id": CLIENT_ID, "post_logout_redirect_uri": f"{url}/", "id_token_hint": id_token}
    assert parse_qs(place.query) == {name: [value] for name, value in said.items()}
    assert SESSION not in browser.cookies
    assert who(browser).status_code == 401
    assert provider.revoked == [refresh_token]


def test_who_signs_in_and_out_and_who_is_refused_is_recorded(provider: OidcProvider) -> None:
    recorded = LocalAudit(LocalDatabase())
    options = options_of(provider)._replace(audit=AuditLog(recorded, utc_now))
    with (
        serving(Backend().opened(), options) as url,
        httpx.Client(base_url=url, headers={"Origin": url}) as browser,
    ):
        sign_in(browser)
        browser.post("/auth/logout")
        provider.claims_instead = {"nonce": "another"}
        sign_in(browser)
    entries = asyncio.run(recorded.select("acme", AuditQuery())) + asyncio.run(recorded.select("", AuditQuery()))
    assert [(each.action, each.actor) for each in entries] == [
        ("user.signed_out", "emi"),
        ("user.signed_in", "emi"),
        ("authentication.failed", ""),
    ]
    assert "nonce" in entries[2].details["reason"]


def test_signing_out_works_while_the_provider_is_away(browser: httpx.Client, provider: OidcProvider) -> None:
    sign_in(browser)
    provider.down = True
    answer = browser.post("/auth/logout")
    assert answer.status_code == 200
    assert SESSION not in browser.cookies


def test_a_person_signs_in_at_a_provider_of_another_maker(tmp_path: Path) -> None:
    """One that nobody here has written; it is an application of Authlib's server part, in a process of its own."""
    port = free_port()
    name = f"http://127.0.0.1:{port}"
    process = ServerProcess([sys.executable, "-m", "oidc_provider_mock", "-p", str(port)], tmp_path)

    def is_ready() -> bool:
        with suppress(httpx.HTTPError):
            return httpx.get(f"{name}/.well-known/openid-configuration", timeout=5).status_code == 200
        return False

    process.start(is_ready)
    issuer = Issuer(name, ("any-client",), tenant="acme")
    options = ServerOptions(auth=AuthOptions(oidc=Oidc(issuer, "any-client", CLIENT_SECRET)))
    try:
        with (
            serving(Backend().opened(), options) as url,
            httpx.Client(base_url=url, headers={"Origin": url}) as browser,
        ):
            form = led_to_the_provider(browser, "/#/t-1")
            back = httpx.post(form, data={"sub": "emi@acme.example"})
            assert back.status_code == 302, back.text
            assert browser.get(back.headers["location"]).headers["location"] == "/#/t-1"
            assert who(browser).json()["user"] == "emi@acme.example"
            assert browser.post("/auth/renew").status_code == 204
            assert browser.post("/auth/logout").json()["location"].startswith(f"{name}/oauth2/end_session?")
            assert who(browser).status_code == 401
    finally:
        process.stop()


class Clock:
    """The time of a sign-in, which a test moves."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


class Timed:
    """A server whose sessions live by a clock that a test moves."""

    def __init__(self, provider: OidcProvider) -> None:
        options = options_of(provider)
        assert options.auth is not None
        assert options.auth.oidc is not None
        self.clock = Clock()
        self.app = create_app(Backend().opened(), options)
        self.app.state.sign_in = sign_ins.SignIn(options.auth.oidc, clock=self.clock)
        self.app.state.authenticator._cookies = self.app.state.sign_in.cookies


@pytest.fixture
def timed(provider: OidcProvider) -> Timed:
    return Timed(provider)


def client_of(timed: Timed) -> TestClient:
    return TestClient(
        timed.app, base_url="http://127.0.0.1", follow_redirects=False, headers={"Origin": "http://127.0.0.1"}
    )


def enter(client: TestClient) -> None:
    place = client.get("/auth/login").headers["location"]
    back = httpx.get(place).headers["location"]
    assert client.get(back).status_code == 303


def test_a_session_expires_and_is_renewed_as_the_provider_says_now(timed: Timed, provider: OidcProvider) -> None:
    with client_of(timed) as client:
        enter(client)
        timed.clock.ahead += sign_ins.SESSION_SECONDS + 1
        assert client.get("/v1/principal").status_code == 401
        provider.person["role"] = "user"
        assert client.post("/auth/renew").status_code == 204
        assert client.get("/v1/principal").json()["role"] == "user"
        assert client.post("/auth/renew").status_code == 204, "by another tab, at the same time"
        assert provider.grants.count("refresh_token") == 1
        provider.person["sub"] = "ana"
        timed.clock.ahead += sign_ins.SESSION_SECONDS + 1
        assert client.post("/auth/renew").status_code == 401, "another person"


def test_a_session_that_the_provider_has_withdrawn_is_not_renewed(timed: Timed, provider: OidcProvider) -> None:
    with client_of(timed) as client:
        enter(client)
        provider.refresh_tokens.clear()
        timed.clock.ahead += sign_ins.SESSION_SECONDS + 1
        refusal = client.post("/auth/renew")
        assert (refusal.status_code, "sign in again" in refusal.text) == (401, True)


def test_a_session_ends_however_often_it_is_renewed(timed: Timed, provider: OidcProvider) -> None:
    with client_of(timed) as client:
        enter(client)
        sealed = client.cookies[SESSION]
        for _ in range(3):
            timed.clock.ahead += 3.9 * 3600
            assert client.post("/auth/renew").status_code == 204
        timed.clock.ahead += 0.4 * 3600
        headers = {"Cookie": f"{SESSION}={client.cookies.get(SESSION) or sealed}"}
        client.cookies.clear()
        assert client.get("/v1/principal", headers=headers).status_code == 401
        assert client.post("/auth/renew", headers=headers).status_code == 401


def test_without_a_refresh_token_a_session_lasts_as_long_as_the_id_token(timed: Timed, provider: OidcProvider) -> None:
    provider.refreshes = False
    with client_of(timed) as client:
        enter(client)
        timed.clock.ahead += 200
        assert client.post("/auth/renew").status_code == 401
        assert client.get("/v1/principal").status_code == 200
        timed.clock.ahead += 200
        assert client.get("/v1/principal").status_code == 401


def test_an_attempt_is_good_for_some_minutes(timed: Timed, provider: OidcProvider) -> None:
    with client_of(timed) as client:
        back = httpx.get(client.get("/auth/login").headers["location"]).headers["location"]
        timed.clock.ahead += sign_ins.ATTEMPT_SECONDS + 1
        assert client.get(back).status_code == 401


@pytest.mark.parametrize(
    ("lengths", "kept"),
    [((1000, 1000), ("refresh_token", "id_token")), ((2000, 2000), ("refresh_token",)), ((5000, 1000), ())],
)
def test_a_session_that_is_too_large_for_a_cookie_is_kept_without_its_tokens(
    lengths: tuple[int, int], kept: tuple[str, ...]
) -> None:
    """Without that of the sign-out first, and then without its renewal."""
    cookies = LoginCookies(CLIENT_SECRET, None, clock=lambda: 2_000_000_000.0)
    response = Response()
    tokens = {"refresh_token": "x" * lengths[0], "id_token": "x" * lengths[1]}
    cookies.keep(response, session(**tokens))
    value = SimpleCookie(response.headers["set-cookie"])[SESSION].value
    assert cookies.unsealed(value) == session(**{name: tokens[name] for name in kept})


def test_a_server_without_a_provider_says_so(provider: OidcProvider) -> None:
    app = create_app(Backend().opened())
    with TestClient(app, base_url="http://127.0.0.1", follow_redirects=False) as client:
        for method, path in (("GET", "/auth/login"), ("GET", "/auth/callback"), ("POST", "/auth/renew")):
            answer = client.request(method, path)
            assert (answer.status_code, "RECUERDO_OIDC_ISSUER" in answer.text) == (404, True)


def test_by_another_name_than_a_loopback_one_the_public_address_must_be_set(provider: OidcProvider) -> None:
    """The Host is what a caller has written."""
    app = create_app(Backend().opened(), options_of(provider))
    with TestClient(app, base_url="http://evil.example", follow_redirects=False) as client:
        answer = client.get("/auth/login")
        assert (answer.status_code, "RECUERDO_PUBLIC_URL" in answer.text) == (404, True)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"client_id": ""}, "RECUERDO_OIDC_CLIENT_ID"),
        ({"client_secret": "short"}, "RECUERDO_OIDC_CLIENT_SECRET"),
        ({"scopes": "profile"}, "openid"),
        ({"issuer": Issuer("http://id.example/", (CLIENT_ID,))}, "https://"),
        ({"issuer": Issuer("https://id.example/", (CLIENT_ID,), algorithms=("HS256",))}, "algorithms"),
        ({"issuer": Issuer("https://id.example/", (CLIENT_ID,), highest_role="ruler")}, "must be one of"),
    ],
)
def test_options_that_are_not_safe_are_refused(changes: dict[str, Any], words: str) -> None:
    good = Oidc(Issuer("https://id.example/", (CLIENT_ID,)), CLIENT_ID, CLIENT_SECRET)
    AuthOptions(oidc=good).checked()
    with pytest.raises(ConfigurationError, match=words):
        AuthOptions(oidc=good._replace(**changes)).checked()


def test_nothing_of_a_session_is_readable_in_it() -> None:
    sealed = Seal(CLIENT_SECRET, "recuerdo session").close(session(refresh_token="r3fresh"))
    assert msgspec.json.encode(session())[:20] not in base64.urlsafe_b64decode(sealed)
    assert Seal(CLIENT_SECRET, "recuerdo session").open(sealed, Login) == session(refresh_token="r3fresh")
