"""Ctrl-K finds conversations, messages and memories, without a mouse."""

import re

import pytest
from playwright.sync_api import expect

from browser.browsing import OpenPage, say, shoot
from servers.recuerdo import RecuerdoServer

pytestmark = pytest.mark.browser


def test_what_was_said_is_found_and_opened_by_the_keyboard(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="finder")
    say(page, "Mi perro se llama Toto")
    page.locator("#new-thread").click()
    say(page, "Hola")
    page.keyboard.press("Control+k")
    expect(page.locator("#finder-query")).to_be_focused()
    page.keyboard.type("perro")
    expect(page.locator("#finder-results h3")).to_have_text(["Conversaciones", "Recuerdos", "Mensajes"])
    shoot(page, "finder")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#finder-results a").nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#finder")).to_be_hidden()
    expect(page).to_have_url(re.compile("#/t/"))
    expect(page.locator(".message.pointed mark")).to_contain_text("Toto")


def test_keys_are_listed_and_lead_to_a_new_conversation_and_to_the_message(
    server: RecuerdoServer, open_page: OpenPage
) -> None:
    page = open_page(server.url, user="keys-of-the-page")
    say(page, "uno")
    page.keyboard.press("Tab")
    page.keyboard.press("?")
    expect(page.locator("#finder .shortcuts dd")).to_have_text(["CtrlK", "CtrlShiftO", "/", "Esc", "?"])
    page.keyboard.press("Escape")
    page.locator("#new-thread").focus()
    page.keyboard.press("/")
    expect(page.locator("#message")).to_be_focused()
    expect(page.locator("#message")).to_have_value("")
    page.keyboard.press("Control+Shift+o")
    expect(page.locator("#welcome")).to_be_visible()


def test_nothing_found_is_said_and_escape_closes(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="finder-of-nothing")
    page.locator("#open-finder").click()
    page.keyboard.type("unicornio")
    expect(page.locator("#finder-results")).to_contain_text("No recuerdo nada así")
    page.keyboard.press("Escape")
    expect(page.locator("#finder")).to_be_hidden()
