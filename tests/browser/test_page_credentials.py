"""The page of a server that wants to know who asks."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import OpenPage
from playwright.sync_api import expect

from servers.recuerdo import RecuerdoServer, running_recuerdo

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


@pytest.fixture
def guarded_server(tmp_path: Path) -> Iterator[RecuerdoServer]:
    with running_recuerdo(database_url=f"sqlite:///{tmp_path / 'recuerdo.db'}", auth_api_keys="true") as server:
        yield server


def command(folder: Path, *arguments: str) -> str:
    environment = os.environ | {"RECUERDO_DATABASE_URL": f"sqlite:///{folder / 'recuerdo.db'}"}
    words = [sys.executable, "-c", "from recuerdo.cli import main; main()", "token", *arguments]
    return subprocess.run(
        words, env=environment, capture_output=True, text=True, check=True, timeout=120
    ).stdout.strip()


def test_the_page_asks_for_a_key_and_keeps_it_while_its_tab_is_open(
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
    assert page.evaluate("Object.values(localStorage).join()").find(key) == -1

    [listed] = json.loads(command(tmp_path, "list", "--tenant", "acme", "--json"))
    command(tmp_path, "revoke", listed["id"], "--tenant", "acme")
    other = command(tmp_path, "create", "--tenant", "acme", "--user", "eva")
    page.wait_for_timeout(2500)  # servers believe a key for 2 seconds after they have asked
    page.locator("#message").fill("¿Sigo aquí?")
    page.locator("#message").press("Enter")
    expect(dialog).to_be_visible()
    field.fill(other)
    field.press("Enter")
    expect(page.locator("#user-name")).to_have_text("eva")
    expect(page.locator("#thread-list li")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"#/$"))
