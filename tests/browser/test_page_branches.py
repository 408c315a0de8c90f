"""A conversation goes on from any message, and in the light that its reader likes."""

import pytest
from playwright.sync_api import expect

from browser.browsing import OpenPage, answered, say, shoot
from servers.recuerdo import RecuerdoServer

pytestmark = pytest.mark.browser


def test_a_message_is_edited_in_a_new_conversation_and_the_old_one_stays(
    server: RecuerdoServer, open_page: OpenPage
) -> None:
    page = open_page(server.url, user="brancher")
    say(page, "uno")
    say(page, "dos")
    first = page.url
    page.locator(".message.user").last.hover()
    page.locator(".message.user").last.get_by_role("button", name="Editar en una conversación nueva").click()
    expect(page.locator("#message")).to_have_value("dos")
    expect(page.locator(".message.user .text")).to_have_text(["uno"])
    say(page, "tres")
    assert page.url != first
    expect(page.locator(".message.user .text")).to_have_text(["uno", "tres"])
    expect(page.locator("#thread-list li")).to_have_count(2)
    page.goto(first)
    expect(page.locator(".message.user .text")).to_have_text(["uno", "dos"])


def test_a_reply_is_made_again_in_a_new_conversation(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="repeater")
    say(page, "Me llamo Ana")
    say(page, "¿Cómo me llamo?")
    first = page.url
    page.reload()
    page.get_by_role("button", name="Responder otra vez en una conversación nueva").last.click()
    expect(page).not_to_have_url(first)
    expect(answered(page).locator(".text")).to_contain_text("Ana")
    expect(page.locator(".message.user .text")).to_have_text(["Me llamo Ana", "¿Cómo me llamo?"])


def test_light_and_dark_are_chosen_and_kept(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="reader-at-night", color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Claro u oscuro").click()
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    assert page.evaluate(ground) == dark
    shoot(page, "chosen-dark")
    page.get_by_role("button", name="Claro u oscuro").click()
    assert page.evaluate(ground) == light
