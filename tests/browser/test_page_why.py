"""Why this answer: each reply says what the model got, what it did not get, and what became of memories."""

import re

import httpx
import pytest
from playwright.sync_api import expect

from browser.browsing import OpenPage, say, shoot
from servers.recuerdo import RecuerdoServer

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 380, "height": 760}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize(("screen", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_a_reply_says_why_also_after_a_reload(
    server: RecuerdoServer, open_page: OpenPage, screen: str, scheme: str
) -> None:
    options = PHONE if screen == "phone" else {}
    page = open_page(server.url, user=f"why-{screen}", color_scheme=scheme, **options)
    say(page, "Me llamo Marta y vivo en Lima")
    say(page, "Me mudé a Oporto")
    page.reload()
    page.locator(".why-button").last.click()
    dialog = page.locator("#why-dialog")
    expect(dialog).to_contain_text("palabra por palabra")
    expect(dialog.locator(".legend li")).to_contain_text(
        ["Instrucciones", "Recuerdos", "Esta conversación", "Tu mensaje"]
    )
    expect(dialog.locator(".lines").nth(1)).to_have_text(re.compile("ciudad: Me mudé a Oporto"))
    expect(dialog.locator(".lines").nth(2)).to_have_text(re.compile("ciudad: vivo en Lima"))
    used = dialog.locator(".lines").first
    expect(used).to_contain_text(re.compile(r"nombre: Me llamo Marta.*desde .* · (relevancia \d|siempre presente)"))
    expect(dialog.locator(".seen-entry.system")).to_contain_text("You are a helpful assistant")
    shoot(page, f"why-{screen}-{scheme}")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator(".why-button").last).to_be_focused()


def test_what_a_reply_is_made_of_leads_to_where_it_was_said(server: RecuerdoServer, open_page: OpenPage) -> None:
    with httpx.Client(base_url=server.url, headers={"X-Recuerdo-User": "reader"}) as client:
        said = {"message": "El faro de Punta Hermosa se ve desde mi ventana", "thread_id": "lighthouse"}
        client.post("/v1/chat", json=said).raise_for_status()
        guide = {"source": "guia.md", "content": "# Guía\n\nUn reembolso tarda cinco días.", "access": "public"}
        client.post("/v1/documents", json=guide).raise_for_status()
    page = open_page(server.url, user="reader")
    say(page, "¿Cuánto tarda un reembolso?")
    page.locator("a.chip.source", has_text="Guía").click()
    expect(page.locator("#documents-page .pointed")).to_contain_text("cinco días")
    page.go_back()
    say(page, "¿Qué faro se ve desde mi ventana?")
    page.reload()
    last = page.locator(".message.assistant").last
    last.locator(".sources summary").click()
    last.locator(".sources a", has_text="El faro").first.click()
    expect(page.locator(".message.pointed")).to_contain_text("Punta Hermosa")
    page.go_back()
    page.locator(".why-button").last.click()
    page.locator("#why-dialog li", has_text="Punta Hermosa").get_by_role("link", name="Abrir el pasaje").first.click()
    expect(page.locator("#why-dialog")).to_be_hidden()
    expect(page.locator(".message.pointed")).to_contain_text("Punta Hermosa")


def test_what_was_forgotten_since_is_not_shown_again(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="why-gone")
    say(page, "Me llamo Marta")
    answer = say(page, "¿Cómo me llamo?")
    page.locator("#known").get_by_role("button", name="Eliminar").click()
    page.locator("#confirm").get_by_role("button", name="Eliminar").click()
    expect(page.locator("#known .memory")).to_have_count(0)
    answer.locator(".why-button").click()
    expect(page.locator("#why-dialog")).to_contain_text("se cambió o se borró después")
    expect(page.locator("#why-dialog")).to_contain_text("1 de sus recuerdos o pasajes ya no existe.")


def test_a_reply_is_copied(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="copier", permissions=["clipboard-read", "clipboard-write"])
    answer = say(page, "Me llamo Marta")
    text = answer.locator(".text").inner_text()
    answer.get_by_role("button", name="Copiar").click()
    expect(answer.locator('use[href="#icon-check"]')).to_have_count(1)
    assert page.evaluate("navigator.clipboard.readText()") == text
