"""The first minute: the page says how far the server is, and a tour ends with stopping and starting it again."""

import json

import pytest
from playwright.sync_api import Route, expect

from browser.browsing import OpenPage, look, say
from servers.recuerdo import RecuerdoServer

pytestmark = pytest.mark.browser


def test_the_tour_ends_with_a_server_that_was_stopped_and_forgot_nothing(
    own_server: RecuerdoServer, open_page: OpenPage
) -> None:
    page = open_page(own_server.url)
    tour = page.locator("#tour")
    page.get_by_role("button", name="Haz el recorrido").click()
    expect(tour).to_contain_text("Cuéntame algo")
    say(page, "Hola, me llamo Ana Prado")
    expect(tour).to_contain_text("lo que vio el modelo")
    expect(page.locator("#memory .panel.toured")).to_have_count(1)
    look(page, "tour")
    for words in ("lo que recuerdo", "Todo tiene su página", "apágame y vuelve a encenderme"):
        tour.get_by_role("button", name="Siguiente").click()
        expect(tour).to_contain_text(words)
    own_server.stop()
    expect(tour).to_contain_text("Ya no estoy")
    own_server.start()
    expect(tour).to_contain_text("no se perdió nada")
    tour.get_by_role("button", name="Preguntar").click()
    expect(tour).to_be_hidden()
    expect(page.locator("#message")).to_have_value("¿Cómo me llamo?")
    expect(say(page, "¿Cómo me llamo?").locator(".text")).to_contain_text("Ana Prado")
    page.locator("#new-thread").click()
    expect(page.locator("#tour-offer")).to_be_hidden()


def test_the_page_shows_how_far_the_server_is_until_a_first_answer_is_quick(
    server: RecuerdoServer, open_page: OpenPage
) -> None:
    state = {"state": "degraded", "progress": 0.5}

    def answer(route: Route) -> None:
        route.fulfill(content_type="application/json", body=json.dumps({"ok": True, "parts": {"warm_up": state}}))

    page = open_page(server.url, user="early")
    page.route("**/ready", answer)
    page.reload()
    expect(page.locator("#model-name")).to_have_text("Preparando: 50 %")
    state["state"] = "ok"
    expect(page.locator("#model-name")).to_have_text("Modelo offline")
