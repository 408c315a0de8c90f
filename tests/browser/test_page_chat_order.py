"""Order in the chat: titles, drafts and what was thought of replies stay where they belong."""

import pytest
from playwright.sync_api import expect

from browser.browsing import OpenPage, answered, look, say
from servers.recuerdo import RecuerdoServer

pytestmark = pytest.mark.browser


def test_titles_drafts_and_feedback_survive_a_reload(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="tidy")
    answer = say(page, "Vivo en Lima")
    answer.get_by_role("button", name="Buena respuesta").click()
    expect(answer.get_by_role("button", name="Buena respuesta")).to_have_attribute("aria-pressed", "true")
    page.locator("#message").fill("y además")
    page.locator("#new-thread").click()
    expect(page.locator("#message")).to_have_value("")
    page.locator("#message").fill("otra cosa")
    page.locator("#thread-list").get_by_role("button", name="Cambiar el título").click()
    page.locator("#thread-list input").fill("Mi casa")
    page.locator("#thread-list input").press("Enter")
    expect(page.locator("#thread-list .thread-title")).to_have_text("Mi casa")
    page.reload()
    expect(page.locator("#message")).to_have_value("otra cosa")
    page.locator("#thread-list a").click()
    expect(page.locator("#title")).to_have_text("Mi casa")
    expect(page.locator("#message")).to_have_value("y además")
    expect(page.get_by_role("button", name="Buena respuesta")).to_have_attribute("aria-pressed", "true")
    look(page, "chat-desktop-light")


def test_a_message_sent_right_behind_a_click_on_new_conversation_goes_there(
    server: RecuerdoServer, open_page: OpenPage
) -> None:
    page = open_page(server.url, user="quick")
    expect(say(page, "Hola, me llamo Emiliano")).to_contain_text("Emiliano")
    page.evaluate("""() => {
        document.getElementById('new-thread').click();
        const field = document.getElementById('message');
        field.value = 'Tengo un gato';
        field.dispatchEvent(new Event('input', { bubbles: true }));
        document.getElementById('send').click();
    }""")
    expect(answered(page)).to_be_visible()
    expect(page.locator(".message.user")).to_have_count(1)
    expect(page.locator("#thread-list li")).to_have_count(2)
