"""The lists of the page: conversations and memories, by mouse and by keyboard."""

import httpx
import pytest
from playwright.sync_api import expect

from browser.browsing import NODES, OpenPage, say
from servers.recuerdo import RecuerdoServer

pytestmark = pytest.mark.browser

PAGE = 30
"""So many conversations are shown at first."""


def test_an_old_conversation_has_its_title_and_a_list_that_was_made_longer_stays_so(
    server: RecuerdoServer, open_page: OpenPage
) -> None:
    with httpx.Client(base_url=server.url, headers={"X-Recuerdo-User": "talker"}) as client:
        for number in range(PAGE + 10):
            said = {"messages": [{"role": "user", "content": f"about {number}"}]}
            client.post(f"/v1/threads/t-{number}/messages", json=said).raise_for_status()
    page = open_page(f"{server.url}/#/t/t-0", user="talker")
    expect(page.locator("#thread-list li")).to_have_count(PAGE)
    expect(page.locator("#title")).to_have_text("about 0")
    page.locator("#more-threads").dispatch_event("click")
    expect(page.locator("#thread-list li")).to_have_count(PAGE + 10)
    say(page, "Hola")
    expect(page.locator("#thread-list li").first).to_contain_text("about 0")
    expect(page.locator("#thread-list li")).to_have_count(PAGE + 10)


def test_a_long_list_goes_on_as_one_scrolls_and_ends_with_the_page_of_all(
    server: RecuerdoServer, open_page: OpenPage
) -> None:
    with httpx.Client(base_url=server.url, headers={"X-Recuerdo-User": "chatty"}) as client:
        for number in range(4 * PAGE):
            said = {"messages": [{"role": "user", "content": f"about {number}"}]}
            client.post(f"/v1/threads/t-{number}/messages", json=said).raise_for_status()
    page = open_page(server.url, user="chatty")
    for shown in (PAGE, 2 * PAGE, 3 * PAGE):
        expect(page.locator("#thread-list li")).to_have_count(shown)
        page.evaluate("document.querySelector('.thread-nav').scrollTop = 1e6")
    assert page.evaluate("document.querySelectorAll('*').length") <= NODES
    page.get_by_role("link", name="Ver todas y buscar").click()
    expect(page.locator("#threads-page .hint").first).to_have_text(f"{4 * PAGE} conversaciones")


def test_a_tab_that_is_looked_at_again_shows_what_was_said_in_another(
    server: RecuerdoServer, open_page: OpenPage
) -> None:
    first = open_page(server.url, user="tabber")
    say(first, "Vivo en Lima")
    second = first.context.new_page()
    second.goto(first.url)
    expect(second.locator(".message.user")).to_have_count(1)
    say(second, "¿Dónde vivo?")
    first.evaluate("dispatchEvent(new Event('focus'))")
    expect(first.locator(".message.assistant").last).to_contain_text("Vives en Lima")
    second.locator("#thread-list").get_by_role("button", name="Eliminar").click()
    second.locator("#confirm").get_by_role("button", name="Eliminar").click()
    expect(second.locator("#welcome")).to_be_visible()
    first.evaluate("dispatchEvent(new Event('focus'))")
    expect(first.locator("#missing")).to_be_visible()


def test_what_was_forgotten_in_the_chat_comes_back_at_once(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="forgetter")
    say(page, "Me llamo Ana y vivo en Lima")
    expect(page.locator("#known .memory")).to_have_count(2)
    answer = say(page, "Olvídalo todo")
    expect(page.locator("#known .memory")).to_have_count(0)
    answer.get_by_role("button", name="Deshacer").click()
    expect(page.locator("#known .memory")).to_have_count(2)
    expect(answer.get_by_role("button", name="Deshacer")).to_have_count(0)


def test_an_undo_that_something_else_stands_in_the_way_of_says_so(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="undoer")
    say(page, "Me llamo Ana y vivo en Lima")
    page.locator("#known .memory", has_text="Ana").get_by_role("button", name="Editar").click()
    page.locator("#known textarea").fill("Me llamo Eva")
    page.locator("#known textarea").press("Enter")
    expect(page.locator("#known .value", has_text="Eva")).to_be_visible()
    page.locator("#known .memory", has_text="Lima").get_by_role("button", name="Deshacer").click()
    expect(page.get_by_role("alert")).to_contain_text("Otra cosa lo cambió después")


def test_the_keyboard_stays_where_it_was_when_a_list_changes(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="typist")
    say(page, "Vivo en Oaxaca")
    page.locator("#known").get_by_role("button", name="Eliminar").press("Enter")
    page.locator("#confirm").get_by_role("button", name="Eliminar").press("Enter")
    expect(page.locator("#known .memory")).to_have_count(0)
    expect(page.locator("#known")).to_be_focused()


def test_what_is_written_from_right_to_left_is_shown_so(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="reader")
    say(page, "مرحبا.")
    first, last = page.locator(".message.user .text").evaluate(
        """element => [0, element.textContent.length - 1].map((at) => {
            const range = document.createRange();
            range.setStart(element.firstChild, at);
            range.setEnd(element.firstChild, at + 1);
            return range.getBoundingClientRect().left;
        })"""
    )
    assert last < first
