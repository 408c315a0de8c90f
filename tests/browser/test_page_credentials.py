"""The page of a server that wants to know who asks."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from browser.browsing import OpenPage, look, say
from servers import preloaded
from servers.oidc_provider import CLIENT_ID, CLIENT_SECRET, OidcProvider, running_oidc_provider
from servers.recuerdo import RecuerdoServer, running_recuerdo

pytestmark = pytest.mark.browser


@pytest.fixture
def guarded_server(tmp_path: Path) -> Iterator[RecuerdoServer]:
    with running_recuerdo(database_url=f"sqlite:///{tmp_path / 'recuerdo.db'}", auth_api_keys="true") as server:
        yield server


def command(folder: Path, *arguments: str) -> str:
    environment = os.environ | {"RECUERDO_DATABASE_URL": f"sqlite:///{folder / 'recuerdo.db'}"}
    words = [preloaded.command(), "token", *arguments]
    return subprocess.run(
        words, env=environment, capture_output=True, text=True, check=True, timeout=120
    ).stdout.strip()


def test_the_page_asks_for_a_key_and_keeps_it_out_of_reach_of_its_scripts(
    guarded_server: RecuerdoServer, open_page: OpenPage, tmp_path: Path
) -> None:
    key = command(tmp_path, "create", "--tenant", "acme", "--user", "emi")
    page = open_page(guarded_server.url)
    field, dialog = page.locator("#credential-field"), page.locator("#credential-dialog")
    expect(dialog).to_be_visible()
    field.fill("wrong")
    field.press("Enter")
    expect(page.locator("#credential-why")).to_contain_text("no acepta este token o esta clave")
    expect(dialog).to_be_visible()
    field.fill(key)
    field.press("Enter")
    expect(page.locator("#user-name")).to_have_text("emi")
    page.locator("#message").fill("Hola, me llamo Emiliano")
    page.locator("#message").press("Enter")
    expect(page.locator("#known .value")).to_have_text(["Emiliano"])
    page.reload()
    expect(page.locator("#user-name")).to_have_text("emi")
    expect(page.locator(".message.user")).to_have_count(1)
    for place in ("localStorage", "sessionStorage", "{ cookie: document.cookie }"):
        assert key not in page.evaluate(f"JSON.stringify({place})"), "no script can read it"

    [listed] = json.loads(command(tmp_path, "list", "--tenant", "acme", "--json"))
    command(tmp_path, "revoke", listed["id"], "--tenant", "acme")
    other = command(tmp_path, "create", "--tenant", "acme", "--user", "eva")
    page.wait_for_timeout(2500)  # servers believe a key for 2 seconds after they have asked
    asked: list[Route] = []
    page.route(
        "**/v1/principal", lambda route: asked.append(route)
    )  # which answers only when all that fails has failed
    page.locator("#message").fill("¿Sigo aquí?")
    page.locator("#message").press("Enter")
    page.wait_for_timeout(1000)
    assert len(asked) == 1, "however many requests fail, who asks is found out once"
    asked[0].continue_()
    page.unroute("**/v1/principal")
    expect(dialog).to_be_visible()
    field.fill(other)
    field.press("Enter")
    expect(page.locator("#user-name")).to_have_text("eva")
    expect(page.locator("#thread-list li")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"#/$"))
    expect(page.locator("#user-action")).to_have_text("Salir")
    page.locator("#user-button").click()
    expect(dialog).to_be_visible()
    page.reload()
    expect(dialog).to_be_visible()


def test_a_visitor_who_signs_in_takes_the_conversation_along(open_page: OpenPage, tmp_path: Path) -> None:
    visitors = {"auth_anonymous": "true", "auth_visitor_key": "x" * 32}
    database = f"sqlite:///{tmp_path / 'recuerdo.db'}"
    with running_recuerdo(database_url=database, auth_api_keys="true", **visitors) as server:
        key = command(tmp_path, "create", "--user", "emi")
        page = open_page(server.url)
        expect(page.locator("#user-action")).to_have_text("Entrar")
        page.locator("#message").fill("Hola")
        page.locator("#message").press("Enter")
        expect(page.locator("#thread-list li")).to_have_count(1)
        page.locator("#user-button").click()
        page.locator("#credential-field").fill(key)
        page.locator("#credential-field").press("Enter")
        expect(page.locator("#user-name")).to_have_text("emi")
        expect(page.locator("#thread-list li")).to_have_count(1)


@pytest.fixture
def provider() -> Iterator[OidcProvider]:
    with running_oidc_provider() as provider:
        yield provider


@pytest.fixture
def company_server(provider: OidcProvider, tmp_path: Path) -> Iterator[RecuerdoServer]:
    """A server whose users sign in at the provider, and nowhere else."""
    settings = {
        "database_url": f"sqlite:///{tmp_path / 'recuerdo.db'}",
        "oidc_issuer": provider.name,
        "oidc_client_id": CLIENT_ID,
        "oidc_client_secret": CLIENT_SECRET,
    }
    with running_recuerdo(**settings) as server:
        yield server


def sign_in(page: Page, user: str) -> None:
    page.locator("#provider").click()
    expect(page.locator("#user-name")).to_have_text(user)


def test_people_sign_in_at_an_identity_provider_and_sign_out(
    provider: OidcProvider, company_server: RecuerdoServer, open_page: OpenPage
) -> None:
    """Without a key, a token, or anything else that a script of the page could read."""
    page = open_page(f"{company_server.url}/#/t-1")
    enter = page.locator("#provider")
    expect(enter).to_have_text("Entrar con tu organización")
    expect(page.locator("#credential-field")).to_be_hidden()
    look(page, "sign-in")
    sign_in(page, "emi")
    expect(page).to_have_url(re.compile(r"/#/t-1$"))
    page.locator("#message").fill("Hola, me llamo Emiliano")
    page.locator("#message").press("Enter")
    expect(page.locator("#known .value")).to_have_text(["Emiliano"])
    kept = page.evaluate("JSON.stringify([Object.entries(sessionStorage), document.cookie])")
    assert kept == r'[[["recuerdo.drafts_of","[\"acme\",\"emi\"]"]],""]'
    page.reload()
    expect(page.locator(".message.user")).to_have_count(1)
    expect(page.locator("#user-action")).to_have_text("Salir")
    page.locator("#user-button").click()
    expect(enter).to_be_visible()
    assert provider.revoked


def test_who_is_refused_comes_back_to_the_page_and_is_told(
    provider: OidcProvider, company_server: RecuerdoServer, open_page: OpenPage
) -> None:
    page = open_page(company_server.url)
    why = page.locator("#credential-why")
    provider.down = True
    page.locator("#provider").click()
    expect(why).to_contain_text("no responde")
    provider.down = False
    provider.claims_instead = {"nonce": "another"}
    page.locator("#provider").click()
    expect(why).to_contain_text("No se pudo entrar")
    expect(page).to_have_url(f"{company_server.url}/")
    look(page, "sign-in-refused")
    page.locator("#credential-dialog [data-cancel]").click()
    expect(page.locator("#credential-dialog")).to_be_hidden()
    expect(page.locator("#user-action")).to_have_text("Entrar")
    page.locator("#user-button").click()
    provider.claims_instead = {}
    sign_in(page, "emi")


def test_the_next_user_of_a_browser_sees_and_does_nothing_as_the_last(
    provider: OidcProvider, company_server: RecuerdoServer, open_page: OpenPage
) -> None:
    """Also in other tabs, whether they are told of the change or not."""
    page = open_page(company_server.url)
    sign_in(page, "emi")
    say(page, "Hola, me llamo Emiliano")
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator(".message.user")).to_have_count(1)
    page.locator("#message").fill("Todavía no enviado")
    page.locator("#user-button").click()
    for tab in (page, other):
        expect(tab.locator("#credential-dialog")).to_be_visible()
        expect(tab.locator(".message")).to_have_count(0)

    provider.person["sub"] = "ana"
    sign_in(page, "ana")
    expect(page.locator("#message")).to_have_value("")
    other.goto(company_server.url)
    expect(other.locator("#user-name")).to_have_text("ana")
    other.locator("#message").fill("Solo para Ana")
    page.context.clear_cookies()
    provider.person["sub"] = "eva"
    page.reload()
    sign_in(page, "eva")
    other.locator("#message").press("Enter")
    expect(other.locator("#user-name")).to_have_text("eva")
    for tab in (page, other):
        tab.reload()
        expect(tab.locator("#user-name")).to_have_text("eva")
        expect(tab.locator("#message")).to_have_value("")
        expect(tab.locator("#thread-list li")).to_have_count(0)

    say(page, "Solo para Acme")
    other.locator("#message").fill("Solo para Eva de Acme")
    page.context.clear_cookies()
    provider.person["tenant"] = "zeta"  # where somebody has the same name
    page.reload()
    sign_in(page, "eva")
    other.locator("#message").press("Enter")
    for tab in (page, other):
        expect(tab.locator("#message")).to_have_value("")
        expect(tab.locator("#thread-list li")).to_have_count(0)
