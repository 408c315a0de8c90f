"""The page of conversations: they are found and kept in order, and their windows are seen beside them."""

import json
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from browser.browsing import HOSTILE, PHONE, OpenPage, look
from servers.recuerdo import RecuerdoServer

pytestmark = pytest.mark.browser

LONG = 300


def talk(server: RecuerdoServer, user: str) -> None:
    with httpx.Client(base_url=server.url, headers={"X-Recuerdo-User": user}) as client:
        for number, text in enumerate([*HOSTILE, "Viaje a Lima"]):
            said = [{"role": "user", "content": text}, {"role": "tool", "tool_call_id": "c", "content": text}]
            called = {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": "c", "name": "look", "args": {"x": text}}],
            }
            messages = [said[0], called, said[1]]
            client.post(f"/v1/threads/t-{number}/messages", json={"messages": messages}).raise_for_status()
        long = [{"role": "user", "content": f"pregunta {number}"} for number in range(LONG)]
        client.post("/v1/threads/long/messages", json={"messages": long}).raise_for_status()


def rows(page: Page):
    return page.locator("#thread-rows .row")


@pytest.mark.parametrize(("screen", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_conversations_are_found_renamed_archived_and_taken_along(
    server: RecuerdoServer, open_page: OpenPage, screen: str, scheme: str
) -> None:
    user = f"traveller-{screen}"
    talk(server, user)
    options = PHONE if screen == "phone" else {}
    page = open_page(f"{server.url}/#/threads", user=user, color_scheme=scheme, **options)
    expect(page.locator("#thread-rows .group").first).to_have_text("Hoy")
    expect(page.get_by_text(f"{len(HOSTILE) + 2} conversaciones")).to_be_visible()
    look(page, f"threads-{screen}-{scheme}")
    page.locator("#thread-query").fill("viaje a lima")
    expect(rows(page)).to_have_count(1)
    rows(page).click()
    one = page.locator("#threads-page")
    one.get_by_role("button", name="Cambiar el título").click()
    page.locator("input.entity").fill("Viaje a Porto")
    page.locator("input.entity").press("Enter")
    expect(page.locator("#thread-title")).to_have_text("Viaje a Porto")
    with page.expect_download() as download:
        one.get_by_role("button", name="Exportar").click()
    exported = Path(download.value.path())
    assert json.loads(exported.read_text("utf-8"))["title"] == "Viaje a Porto"
    one.get_by_role("button", name="Archivar").click()
    expect(one.get_by_role("button", name="Recuperar")).to_be_visible()
    one.get_by_role("button", name="Eliminar").click()
    page.locator("#confirm").get_by_role("button", name="Eliminar").click()
    page.locator("#import-file").set_input_files({"name": "c.jsonl", "mimeType": "", "buffer": exported.read_bytes()})
    expect(page.get_by_text("Importado: 1 conversación")).to_be_visible()
    expect(rows(page).first).to_contain_text("Viaje a Porto")


def test_a_slider_shows_what_a_model_would_see(server: RecuerdoServer, open_page: OpenPage) -> None:
    talk(server, "slider")
    page = open_page(f"{server.url}/#/threads/long", user="slider", locale="pt-BR")
    note = page.locator("#window-note")
    expect(note).to_have_text(f"Um modelo veria 50 de {LONG} mensagens.")
    page.locator("#policy-size").focus()
    page.keyboard.press("Home")
    expect(note).to_have_text(f"Um modelo veria 1 de {LONG} mensagens.")
    expect(page.locator("#window-side li")).to_have_text([f"Você · {LONG}pregunta {LONG - 1}"])
    expect(page.locator("#history-side li:not(.outside)")).to_have_count(1)
    page.locator("#policy-unit").select_option("tokens")
    expect(page.locator("#window-side li")).not_to_have_count(1)
    look(page, "thread-desktop")
