"""The page of operators: how the server is, its keys, and what was done. Nobody else gets a link to it."""

import os
import re
import subprocess
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from browser.browsing import OpenPage, look
from servers import preloaded
from servers.recuerdo import running_recuerdo

pytestmark = pytest.mark.browser


def made_key(database_url: str, *more: str) -> str:
    words = [preloaded.command(), "token", "create", "--tenant", "acme", *more]
    environment = os.environ | {"RECUERDO_DATABASE_URL": database_url}
    return subprocess.run(
        words, env=environment, capture_output=True, text=True, check=True, timeout=120
    ).stdout.strip()


def test_operators_see_how_the_server_is_and_others_get_no_link_to_it(tmp_path: Path, open_page: OpenPage) -> None:
    database_url = f"sqlite:///{tmp_path / 'recuerdo.db'}"
    with running_recuerdo(database_url=database_url, embeddings="none", auth_api_keys="true") as server:
        operator = made_key(database_url, "--user", "ops", "--role", "operator")
        leaver = made_key(database_url, "--user", "leaver")
        page = open_page(f"{server.url}/#/operations")
        page.locator("#credential-field").fill(operator)
        page.locator("#credential-field").press("Enter")
        expect(page.locator("#user-name")).to_have_text("ops")
        page.locator('a[href="#/operations"]').first.click()
        expect(page.locator(".health .card").first).to_contain_text("responde")
        expect(page.locator(".chart-legend b").first).to_have_text(re.compile(r"\d.* /s"))
        expect(page.locator(".chart", has_text="Servidores con esta base").locator("b")).to_have_text("1")
        expect(page.locator(".health .card").first).to_contain_text("tablas al día")
        parts = {"Caché compartida": "no hay", "Vectores": "no hay"}
        for name, state in parts.items():
            expect(page.locator(".health .card", has_text=name).locator("b")).to_have_text(state)
        look(page, "operations-desktop-light")
        page.get_by_role("link", name="Borrados").click()
        page.get_by_label("Política").fill("threads=365d")
        page.get_by_role("button", name="Solo contar").click()
        expect(page.locator("#retention-result")).to_have_text(re.compile("threads=365d: se borrarían 0 conv"))
        with httpx.Client(base_url=server.url, headers={"x-api-key": leaver}) as client:
            client.post("/v1/erase", json={"everything": True, "background": True}).raise_for_status()
        page.get_by_role("link", name="Ahora").click()
        page.get_by_role("link", name="Borrados").click()
        expect(page.locator("#erasures")).to_contain_text("terminado")
        look(page, "deletions-desktop-light")
        page.get_by_role("link", name="Claves de API").click()
        page.get_by_placeholder("Para qué usuario").fill("emi")
        page.get_by_placeholder("Para qué sirve").fill("<img src=x onerror=pwned=1>")
        page.get_by_role("button", name="Crear una clave").click()
        secret = page.locator("#new-secret code")
        expect(secret).not_to_be_empty()
        key = secret.inner_text()
        expect(page.locator(".entries li")).to_have_count(2)
        look(page, "keys-desktop-light")
        page.get_by_role("link", name="Auditoría").click()
        expect(page.locator("#audit-entries")).to_contain_text("key.created")
        look(page, "audit-desktop-light")

        other = open_page(f"{server.url}/#/operations", locale="en-GB")
        other.locator("#credential-field").fill(key)
        other.locator("#credential-field").press("Enter")
        expect(other.locator("#user-name")).to_have_text("emi")
        expect(other.locator('.pages a[href="#/threads"]')).to_be_visible()
        expect(other.locator('a[href="#/operations"]')).to_be_hidden()
        expect(other.locator("#chat-page")).to_be_visible()
