"""Five conversations in Spanish, as the page shows them: what is remembered, from where, undone and erased."""

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from browser.browsing import OpenPage, say, shoot
from servers.recuerdo import RecuerdoServer

pytestmark = pytest.mark.browser

SESSIONS = [
    ["Hola, me llamo Emilia Duarte y vivo en Rosario", "Trabajo en Globant como analista de datos"],
    ["Me encanta el mate amargo", "Prefiero respuestas cortas"],
    ["Mi perro se llama Toto", "Me mudé a Montevideo el mes pasado"],
    ["Ya no trabajo en Globant, ahora trabajo en Mercado Libre", "¿Mi hermana trabaja en Globant?"],
    ["¿Dónde vivo?"],
]
KNOWN = {
    "Emilia Duarte": 0,
    "analista de datos": 0,
    "mate amargo": 1,
    "respuestas cortas": 1,
    "Toto": 2,
    "Montevideo": 2,
    "Mercado Libre": 3,
}
"""The facts that are known in the end, with the session in which each was said."""

MEMORIES = "#known .memory"


def live(page: Page) -> list[str]:
    """Hold the conversations; returns the addresses of their threads within the page."""
    threads: list[str] = []
    for session in SESSIONS:
        page.locator("#new-thread").click()
        for text in session:
            answer = say(page, text)
        threads.append(re.sub(r"^[^#]*", "", page.url))
    expect(answer.locator(".text")).to_contain_text("Montevideo")
    return threads


def memory_of(page: Page, value: str):
    return page.locator(MEMORIES, has=page.locator(".value", has_text=re.compile(f"^{value}$")))


def test_five_conversations_leave_the_right_memories_which_can_be_undone_and_erased(
    own_server: RecuerdoServer, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(own_server.url, user="emilia")
    threads = live(page)
    assert len(set(threads)) == 5
    expect(page.locator("#known .value")).to_have_count(len(KNOWN))
    for value, session in KNOWN.items():
        source = memory_of(page, value).locator(".memory-source a")
        expect(source).to_have_attribute("href", re.compile(f"^{re.escape(threads[session])}/"))
    memory_of(page, "Toto").locator(".memory-source a").click()
    expect(page.locator(".message.user .text").first).to_have_text("Mi perro se llama Toto")

    memory_of(page, "Montevideo").get_by_role("button", name="Deshacer").click()
    expect(memory_of(page, "Rosario")).to_be_visible()
    expect(memory_of(page, "Montevideo")).to_have_count(0)
    source = memory_of(page, "Rosario").locator(".memory-source a")
    expect(source).to_have_attribute("href", re.compile(f"^{re.escape(threads[0])}/"))
    shoot(page, "five-conversations")

    page.locator("#erase-all").click()
    page.locator("#confirm").get_by_role("button", name="Cancelar").click()
    expect(memory_of(page, "Rosario")).to_be_visible()
    page.locator("#erase-all").click()
    page.locator("#confirm").get_by_role("button", name="Borrar todo").click()
    receipt = page.locator("#receipt-dialog")
    expect(receipt).to_contain_text("5 conversaciones")
    expect(receipt).to_contain_text("no queda nada")
    expect(page.locator(MEMORIES)).to_have_count(0)
    expect(page.locator("#thread-list li")).to_have_count(0)
    expect(page.locator("#welcome")).to_be_visible()
    shoot(page, "erased")
    page.reload()
    expect(page.locator("#known-note")).to_contain_text("Cuéntame")
    expect(page.locator(MEMORIES)).to_have_count(0)
    assert left_of(own_server.url) == [[], [], []]
    own_server.stop()
    kept = b"".join(file.read_bytes() for file in (*tmp_path.rglob("*"), own_server.log) if file.is_file())
    assert not [value for value in ("Duarte", "Toto", "Mercado Libre") if value.encode() in kept]


def left_of(url: str) -> list[list[object]]:
    """The user's data that the server still has: memories of any time, threads, and what a search finds."""
    with httpx.Client(base_url=url, headers={"X-Recuerdo-User": "emilia"}) as client:
        exported = client.get("/v1/memories/export").text.split()
        threads = client.get("/v1/threads").json()["threads"]
        found = client.post("/v1/search", json={"query": "Emilia Duarte"}).json()["hits"]
    return [exported, threads, found]


def test_an_anonymous_user_has_nothing_to_erase(own_server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(own_server.url, user="")
    expect(page.locator("#known-note")).to_contain_text("nada se recuerda")
    expect(page.locator("#erase-all")).to_be_hidden()
