"""The page in a real Chromium, against the real server on SQLite with the offline model."""

import re

import pytest
from playwright.sync_api import Page, expect

from browser.browsing import OpenPage, answered, say, shoot
from servers.recuerdo import RecuerdoServer

pytestmark = pytest.mark.browser

HELLO = "Hola, me llamo Emiliano y trabajo en Data Oilers"
HOSTILE = '<img src=x onerror="window.pwned=1"><script>window.pwned=2</script>'


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_what_was_said_is_known_after_a_restart_and_in_a_new_thread(
    own_server: RecuerdoServer, open_page: OpenPage, how: str
) -> None:
    page = open_page(own_server.url)
    expect(page.locator("#model-name")).to_have_text("Modelo offline")
    expect(say(page, HELLO)).to_contain_text("Emiliano")
    expect(page.locator("#known .value")).to_have_text(["Data Oilers", "Emiliano"])

    own_server.stop() if how == "stop" else own_server.kill()
    page.locator("#message").fill("¿Cómo me llamo?")
    page.locator("#message").press("Enter")
    expect(page.locator(".failure")).to_contain_text("el servidor no responde")
    expect(page.locator("#offline-banner")).to_be_visible()
    own_server.start()
    expect(page.locator("#offline-banner")).to_be_hidden()

    page.locator(".failure button").click()
    expect(answered(page).locator(".text")).to_contain_text("Emiliano")
    expect(page.locator(".message.user")).to_have_count(2)
    page.locator("#new-thread").click()
    expect(say(page, "¿Dónde trabajo?").locator(".text")).to_contain_text("Data Oilers")
    expect(page.locator("#thread-list li")).to_have_count(2)
    expect(page.locator(".seen-entry.recalled").first).to_be_visible()
    shoot(page, f"after-{how}")


def test_a_reload_opens_the_same_thread_and_the_page_of_the_browser_goes_back(
    server: RecuerdoServer, open_page: OpenPage
) -> None:
    page = open_page(server.url, user="reload")
    say(page, "uno")
    first = page.url
    assert "#/t/" in first
    page.locator("#new-thread").click()
    say(page, "dos")
    page.reload()
    expect(page.locator(".message.user .text")).to_have_text(["dos"])
    page.goto(first)
    expect(page.locator(".message.user .text")).to_have_text(["uno"])
    page.go_back()
    expect(page.locator(".message.user .text")).to_have_text(["dos"])


def test_hostile_texts_are_shown_and_never_run(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user=HOSTILE)
    say(page, f"Recuerda que {HOSTILE}")
    page.locator("#add-memory").click()
    page.locator("#known textarea").fill(HOSTILE)
    page.locator("#known .primary").click()
    expect(page.locator("#known li", has_text=HOSTILE).first).to_be_visible()
    page.reload()
    expect(page.locator(".message.user .text")).to_have_text([f"Recuerda que {HOSTILE}"])
    expect(page.locator("#user-name")).to_have_text(HOSTILE)
    expect(page.locator("#thread-list li")).to_contain_text("<img")
    assert page.locator("img").count() == 0
    assert page.evaluate("window.pwned") is None
    shoot(page, "hostile")


def test_two_users_see_nothing_of_each_other(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="ana")
    say(page, "Me llamo Ana")
    expect(page.locator("#known .value")).to_have_text(["Ana"])
    page.locator("#user-button").click()
    page.locator("#user-field").fill("eva")
    page.locator("#user-field").press("Enter")
    expect(page.locator("#user-name")).to_have_text("eva")
    expect(page.locator("#known li")).to_have_count(0)
    expect(page.locator("#thread-list li")).to_have_count(0)
    expect(page.locator("#welcome")).to_be_visible()
    page.reload()
    expect(page.locator("#user-name")).to_have_text("eva")


def test_an_anonymous_user_is_told_that_nothing_is_remembered(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="")
    expect(page.locator("#user-name")).to_have_text("Anónimo")
    expect(page.locator("#known-note")).to_contain_text("nada se recuerda")
    expect(page.locator("#add-memory")).to_be_hidden()
    say(page, "Me llamo Nadie")
    expect(page.locator("#known li")).to_have_count(0)


def test_memories_are_corrected_and_forgotten(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="editor")
    say(page, "Vivo en Oaxaca")
    memory = page.locator("#known .memory").first
    expect(memory.locator(".value")).to_have_text("Oaxaca")
    memory.get_by_role("button", name="Editar").click()
    page.locator("#known textarea").fill("Vivo en Mérida")
    page.locator("#known textarea").press("Enter")
    expect(memory.locator(".value")).to_have_text("Mérida")
    memory.get_by_role("button", name="Eliminar").click()
    page.locator("#confirm").get_by_role("button", name="Cancelar").click()
    expect(memory).to_be_visible()
    memory.get_by_role("button", name="Eliminar").click()
    page.locator("#confirm").get_by_role("button", name="Eliminar").click()
    expect(page.locator("#known .memory")).to_have_count(0)


def test_a_thread_is_deleted_after_a_question(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="deleter")
    say(page, "uno")
    page.locator("#thread-list li").hover()
    page.locator("#thread-list").get_by_role("button", name="Eliminar").click()
    expect(page.locator("#confirm")).to_contain_text("uno")
    page.locator("#confirm").get_by_role("button", name="Eliminar").click()
    expect(page.locator("#thread-list li")).to_have_count(0)
    expect(page.locator("#welcome")).to_be_visible()


def test_enter_sends_and_shift_enter_breaks_the_line(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="keys")
    expect(page.locator("#message")).to_be_focused()
    page.keyboard.type("una")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("dos")
    page.keyboard.press("Enter")
    answered(page)
    assert page.locator(".message.user .text").inner_text() == "una\ndos"
    expect(page.locator("#message")).to_have_value("")
    expect(page.locator("#message")).to_be_focused()


def test_what_was_not_sent_survives_a_reload(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="draft")
    page.locator("#message").fill("a medias")
    page.reload()
    expect(page.locator("#message")).to_have_value("a medias")
    say(page, "entero")
    page.reload()
    expect(page.locator("#message")).to_have_value("")


@pytest.mark.parametrize(
    ("locale", "language", "greeting"),
    [("es-MX", "es", "Hola. ¿De qué hablamos?"), ("pt-BR", "pt", "Olá. Sobre o que conversamos?")]
    + [(locale, "en", "Hello. What shall we talk about?") for locale in ("en-GB", "de-DE")],
)
def test_the_page_speaks_the_language_of_the_browser(
    server: RecuerdoServer, open_page: OpenPage, locale: str, language: str, greeting: str
) -> None:
    page = open_page(server.url, user="polyglot", locale=locale)
    expect(page.locator("#greeting")).to_have_text(greeting)
    assert page.locator("html").get_attribute("lang") == language


def test_another_language_is_chosen_and_kept(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="polyglot")
    page.locator("#language").select_option("pt")
    expect(page.locator("#greeting")).to_have_text("Olá. Sobre o que conversamos?")
    page.reload()
    expect(page.locator("#new-thread")).to_have_text("Nova conversa")


def test_the_label_explains_the_offline_model(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="curious", locale="en-US")
    page.get_by_text("Offline model").click()
    expect(page.locator("#model .explanation")).to_contain_text("RECUERDO_MODEL=")
    page.keyboard.press("Escape")
    expect(page.locator("#model .explanation")).to_be_hidden()


def test_a_narrow_screen_has_drawers_and_no_sideways_scrolling(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(server.url, user="narrow", viewport={"width": 380, "height": 760}, has_touch=True, is_mobile=True)
    say(page, "Me llamo Emiliano " + "y" * 300)
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    expect(page.locator("#threads")).to_be_hidden()
    page.locator(".opens-threads").click()
    expect(page.locator("#thread-list li")).to_be_visible()
    shoot(page, "narrow-threads")
    page.keyboard.press("Escape")
    expect(page.locator("#threads")).to_be_hidden()
    page.locator(".opens-memory").click()
    expect(page.locator("#seen-title")).to_be_in_viewport()
    page.locator("#memory .close").click()
    expect(page.locator("#memory")).to_be_hidden()
    shoot(page, "narrow")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_colour_schemes_are_readable(server: RecuerdoServer, open_page: OpenPage, scheme: str) -> None:
    page = open_page(server.url, user=f"scheme-{scheme}", color_scheme=scheme)
    shoot(page, f"welcome-{scheme}")
    say(page, HELLO)
    say(page, "¿Cómo me llamo y dónde trabajo?")
    shoot(page, scheme)
    for selector in ("body", ".message.user", ".seen-entry", ".hint", "#known .attribute", ".chip.learnt", ".round"):
        assert contrast(page, selector) >= 4.5, selector


def contrast(page: Page, selector: str) -> float:
    """The contrast of an element's text with what is behind it, as WCAG 2.2 defines it."""
    ink, ground = page.locator(selector).first.evaluate(
        """element => {
            const ground = (one) => {
                const colour = getComputedStyle(one).backgroundColor;
                return colour === 'rgba(0, 0, 0, 0)' ? ground(one.parentElement) : colour;
            };
            return [getComputedStyle(element).color, ground(element)];
        }"""
    )
    lighter, darker = sorted(map(_luminance, (ink, ground)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(part) / 255) for part in re.findall(r"\d+", colour)[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def test_a_message_whose_answer_got_lost_is_sent_again_and_stored_once(
    own_server: RecuerdoServer, open_page: OpenPage
) -> None:
    """The server had answered: only the way back was broken."""
    page = open_page(own_server.url, user="emi")
    page.route("**/v1/chat/stream", lambda route: (route.fetch(), route.abort()), times=1)
    page.locator("#message").fill(HELLO)
    page.locator("#message").press("Enter")
    page.get_by_role("button", name="Reintentar").click()
    expect(answered(page).locator(".text")).not_to_be_empty()
    expect(page.locator(".message.user")).to_have_count(1)
    expect(page.locator(".message.assistant")).to_have_count(1)
    page.reload()
    expect(page.locator(".message.user")).to_have_count(1)
    expect(page.locator(".message.assistant")).to_have_count(1)
