"""A token or an API key that the browser keeps as a cookie, so that no script of the page can read it."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest
from serving import Backend, serving

from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.core.api_keys import issue
from recuerdo.core.scope import Owner
from recuerdo.server import ServerOptions
from recuerdo.server.auth.options import AuthOptions
from recuerdo.testing.clock import NOON

COOKIE = "recuerdo_credential"


@pytest.fixture(scope="module")
def keys() -> LocalApiKeys:
    return LocalApiKeys(LocalDatabase())


@pytest.fixture(scope="module")
def keyed_url(keys: LocalApiKeys) -> Iterator[str]:
    with serving(Backend().opened(), ServerOptions(auth=AuthOptions(api_keys=True), api_keys=keys)) as url:
        yield url


@pytest.fixture
def browser(keyed_url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=keyed_url, headers={"Origin": keyed_url}) as client:
        yield client


def secret_of(keys: LocalApiKeys) -> str:
    issued = issue(Owner("acme", "emi"), NOON)
    asyncio.run(keys.add(issued.key))
    return issued.secret


def present(browser: httpx.Client, secret: str, **headers: str) -> httpx.Response:
    return browser.post("/auth/session", headers={"Authorization": f"Bearer {secret}"} | headers)


def test_a_key_is_kept_out_of_reach_of_scripts_and_acts_as_before(browser: httpx.Client, keys: LocalApiKeys) -> None:
    answer = present(browser, secret_of(keys))
    assert (answer.status_code, answer.headers["cache-control"]) == (204, "no-store")
    cookie = answer.headers["set-cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/"))
    assert "Max-Age" not in cookie, "the browser forgets it when it is closed"
    assert browser.get("/v1/principal").json()["user"] == "emi"
    assert browser.post("/v1/memories", json={"text": "x"}).status_code == 201


@pytest.mark.parametrize("origin", ["https://evil.example", "null", None])
def test_a_page_of_another_site_changes_nothing_with_it(
    browser: httpx.Client, keys: LocalApiKeys, keyed_url: str, origin: str | None
) -> None:
    present(browser, secret_of(keys))
    headers = {"Cookie": f"{COOKIE}={browser.cookies[COOKIE]}"} | ({"Origin": origin} if origin else {})
    for method, path in (("POST", "/v1/memories"), ("DELETE", "/v1/threads/t"), ("POST", "/auth/logout")):
        answer = httpx.request(method, f"{keyed_url}{path}", headers=headers)
        assert answer.status_code == 403, path
    other = {"Authorization": f"Bearer {secret_of(keys)}"} | ({"Origin": origin} if origin else {})
    assert httpx.post(f"{keyed_url}/auth/session", headers=other).status_code == 403


def test_what_is_not_believed_is_not_kept(browser: httpx.Client, keys: LocalApiKeys) -> None:
    for secret in ("wrong", "recuerdo_" + "x" * 43):
        answer = present(browser, secret)
        assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)
    by_another_header = browser.post("/auth/session", headers={"x-api-key": secret_of(keys)})
    assert by_another_header.status_code == 422
    browser.cookies.set(COOKIE, "wrong")
    assert browser.get("/v1/principal").status_code == 401


def test_signing_out_forgets_it(browser: httpx.Client, keys: LocalApiKeys) -> None:
    present(browser, secret_of(keys))
    answer = browser.post("/auth/logout")
    assert (answer.status_code, answer.json()) == (200, {"location": None})
    assert COOKIE not in browser.cookies
    assert browser.get("/v1/principal").status_code == 401


def test_behind_a_proxy_that_sends_another_host_the_public_address_is_this_servers(keys: LocalApiKeys) -> None:
    public = "https://memory.example"
    auth = AuthOptions(api_keys=True, public_url=public)
    with (
        serving(Backend().opened(), ServerOptions(auth=auth, api_keys=keys, origins=(public,))) as url,
        httpx.Client(base_url=url, headers={"Host": "upstream", "Origin": public}) as browser,
    ):
        kept = present(browser, secret_of(keys)).headers["set-cookie"].partition(";")[0]
        said = {"Cookie": kept}
        assert browser.post("/v1/memories", json={"text": "x"}, headers=said).status_code == 201
        other = said | {"Origin": "https://evil.example"}
        assert browser.post("/v1/memories", json={"text": "x"}, headers=other).status_code == 403
        assert browser.post("/auth/logout", headers=said).status_code == 200


def test_without_authentication_there_is_nothing_to_keep() -> None:
    with serving(Backend().opened()) as url:
        answer = httpx.post(f"{url}/auth/session", headers={"Origin": url, "Authorization": "Bearer x"})
        assert answer.status_code == 422
