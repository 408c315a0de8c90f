"""Somebody who has never seen the page, on a phone: what is remembered of them, since when, from which sentence."""

import re

import httpx
import pytest
from playwright.sync_api import expect

from browser.browsing import PHONE, OpenPage, answered, look
from servers.recuerdo import RecuerdoServer

pytestmark = pytest.mark.browser

TOLD = {
    "es-MX": ("Vivo en Oaxaca", "Vivo en Mérida", "desde", "Ver la frase", "Editar", "Guardar"),
    "pt-BR": ("Moro em Recife", "Moro em Olinda", "desde", "Ver a frase", "Editar", "Salvar"),
    "en-GB": ("I live in Leeds", "I live in York", "since", "See the sentence", "Edit", "Save"),
}
MOST_TAPS = 6


@pytest.mark.parametrize("locale", TOLD)
def test_a_newcomer_reads_what_is_remembered_since_when_and_from_which_sentence_and_corrects_it(
    server: RecuerdoServer, open_page: OpenPage, locale: str
) -> None:
    said, corrected, since, see, edit, save = TOLD[locale]
    user = f"newcomer-{locale}"
    page = open_page(server.url, user=user, locale=locale, **PHONE)
    page.locator("#message").fill(said)
    page.locator("#send").tap()
    answered(page)
    city = said.split()[-1]

    taps = [page.locator(".chip.learnt"), page.locator("#known .value", has_text=city)]
    for place in taps:
        place.tap()
    details = page.locator("#memory-dialog")
    expect(details.locator(".details-value")).to_have_text(city)
    expect(details.locator("blockquote")).to_have_text(said)
    expect(details.locator("dl")).to_contain_text(re.compile(since, re.IGNORECASE))
    expect(details.locator("dl time")).not_to_be_empty()
    look(page, f"newcomer-{locale}")
    taps.append(details.get_by_role("link", name=see))
    taps[-1].tap()
    expect(page.locator(".message.pointed mark")).to_have_text(said)
    expect(details).to_be_hidden()

    taps += [
        page.locator(".opens-memory"),
        page.locator("#known .memory").get_by_role("button", name=f"{edit}: {said}"),
    ]
    for place in taps[3:]:
        place.tap()
    page.locator("#known textarea").fill(corrected)
    taps.append(page.locator("#known").get_by_role("button", name=save))
    taps[-1].tap()
    expect(page.locator("#known .value")).to_have_text(corrected.split()[-1])
    assert len(taps) <= MOST_TAPS
    with httpx.Client(base_url=server.url, headers={"X-Recuerdo-User": user}) as client:
        [memory] = client.get("/v1/memories").json()["memories"]
    assert memory["text"] == corrected
