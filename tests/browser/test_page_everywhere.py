"""Every page: in three languages, on a desktop and a phone, light and dark, by keyboard alone, and under attack."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, ViewportSize, expect

from browser.browsing import HOSTILE, OpenPage, look, look_in_the_dark, look_over
from servers.recuerdo import RecuerdoServer

pytestmark = pytest.mark.browser

UI = Path(__file__).parents[2] / "src" / "recuerdo" / "server" / "ui"
SIZES: dict[str, ViewportSize] = {"desktop": {"width": 1400, "height": 860}, "phone": {"width": 380, "height": 760}}

PAGES = {
    "": "#welcome h2",
    "t/t-1": ".message.assistant",
    "memories": "#memory-rows .row",
    "threads": "#threads-page .row",
    "threads/t-1": "#threads-page .said",
    "documents": "#documents-page .row",
    "agents": "#agents-page .row",
    "operations": ".health .card",
    "operations/deletions": "#erasures",
}
"""The pages by their addresses, and what is there when they are."""

CUT = """() => [...document.querySelectorAll('select')].filter((one) => one.checkVisibility()).filter((one) => {
    const context = document.createElement('canvas').getContext('2d');
    const style = getComputedStyle(one);
    context.font = style.font;
    const room = one.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return context.measureText(one.selectedOptions[0]?.textContent ?? '').width > room;
}).map((one) => one.selectedOptions[0].textContent)"""


@pytest.fixture
def client(server: RecuerdoServer, request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    """The user of the test, who has said something, and has a document."""
    headers = {"X-Recuerdo-User": request.node.name}
    with httpx.Client(base_url=server.url, headers=headers) as client:
        for number, text in enumerate(["Me llamo Ana y vivo en Lima", "Trabajo en Globant", "Me mudé a Oporto"]):
            client.post("/v1/chat", json={"message": text, "thread_id": f"t-{number}"}).raise_for_status()
        document = {"source": "guide.md", "content": "# Guide\n\nThe office opens at eight.", "access": "public"}
        client.post("/v1/documents", json=document).raise_for_status()
        yield client


@pytest.mark.parametrize("screen", SIZES)
def test_every_page_is_open_to_everybody_in_every_language(
    server: RecuerdoServer, open_page: OpenPage, client: httpx.Client, screen: str
) -> None:
    profile = {"viewport": SIZES[screen], "color_scheme": "light", "reduced_motion": "reduce"}
    page = open_page(server.url, user=client.headers["X-Recuerdo-User"], **profile)
    for language in ("es", "en", "pt"):
        page.evaluate(f"localStorage.setItem('recuerdo.language', {language!r})")
        page.reload()
        for hash_, there in PAGES.items():
            page.evaluate(f"location.hash = '#/{hash_}'")
            expect(page.locator(there).first).to_be_visible()
            assert page.evaluate(CUT) == []
            look_at(page, f"{hash_.replace('/', '-') or 'chat'}-{language}-{screen}", language)
        if screen == "phone":
            page.locator(".opens-threads").click()
            for name in ("#theme", "#language"):
                expect(page.locator(name)).to_be_in_viewport(ratio=1)
            look_at(page, f"drawer-{language}", language)


def look_at(page: Page, name: str, language: str) -> None:
    """Check all of a page in one language, and in the others what is soon seen.

    No style depends on the language, as the next test holds, and each language has all the strings.
    """
    if language == "es":
        look(page, f"{name}-light")
        look_in_the_dark(page, f"{name}-dark")
    else:
        look_over(page, f"{name}-light")


def test_no_style_depends_on_the_language() -> None:
    styles = "".join(each.read_text("utf-8") for each in UI.rglob("*.css"))
    assert "color-scheme: light dark" in styles
    assert re.search(r":lang\b|\[lang", styles) is None


def test_nothing_runs_that_titles_tools_documents_and_memories_hold(
    server: RecuerdoServer, open_page: OpenPage, client: httpx.Client
) -> None:
    for number, text in enumerate(HOSTILE):
        line = " ".join(text.split())
        call = {"id": "c", "name": line, "args": {"q": text}}
        said = [
            {"role": "user", "content": [{"type": "text", "text": text}, {"type": text, "image_url": {"url": text}}]},
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": svg(text)}}]},
            {"role": "assistant", "content": text, "tool_calls": [call]},
            {"role": "tool", "content": text, "tool_call_id": "c", "name": line},
        ]
        client.post(f"/v1/threads/x-{number}/messages", json={"messages": said}).raise_for_status()
        client.patch(f"/v1/threads/x-{number}", json={"title": line[:80]}).raise_for_status()
        client.post("/v1/memories", json={"text": text, "attribute": "likes", "value": text}).raise_for_status()
    text = "\n\n".join(f"# {each}\n\n{each}" for each in HOSTILE)
    client.post("/v1/documents", json={"source": "x.md", "title": HOSTILE[1], "content": text}).raise_for_status()
    page = open_page(server.url, user=client.headers["X-Recuerdo-User"])
    hashes = [*(f"t/x-{number}" for number in range(len(HOSTILE))), "memories", "threads", "threads/x-1", "documents"]
    for hash_ in hashes:
        page.evaluate(f"location.hash = '#/{hash_}'")
        expect(page.locator(".message.assistant, .row, .said").locator("visible=true").first).to_be_visible()
        open_all(page)
    page.evaluate("location.hash = '#/memories'")
    for tab in ("timeline", "relations"):
        page.locator(f"#tab-{tab}").click()
        expect(page.locator(".relation-lines, #timeline .line").locator("visible=true").first).to_be_visible()
    page.keyboard.press("Control+k")
    page.locator("#finder-query").fill("img")
    expect(page.locator("#finder-results a").first).to_be_visible()
    assert page.evaluate("typeof pwned") == "undefined"
    strange = "script:not([src]), iframe, object, embed, base, meta[http-equiv], img:not([src^='data:image/png'])"
    assert page.locator(strange).count() == 0


def svg(text: str) -> str:
    """An image that would run what it holds, if it were more than an image."""
    return "data:image/svg+xml;base64," + base64.b64encode(f"<svg onload='pwned=1'>{text}</svg>".encode()).decode()


def open_all(page: Page) -> None:
    """Unfold what is folded, as a reader would."""
    page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
    assert page.evaluate("typeof pwned") == "undefined"


def test_a_memory_is_told_found_and_corrected_by_the_keyboard_alone(
    server: RecuerdoServer, open_page: OpenPage
) -> None:
    page = open_page(server.url, user="keys-alone")
    page.keyboard.type("Vivo en Lima")
    page.keyboard.press("Enter")
    expect(page.locator("#known .value")).to_have_text("Lima")
    page.keyboard.press("Control+k")
    page.keyboard.type("Lima")
    expect(page.locator("#finder-results a").first).to_be_visible()
    page.keyboard.press("Escape")
    tab_to(page, ".pages a[href='#/memories']")
    page.keyboard.press("Enter")
    expect(page.locator("#memory-rows .row")).to_have_count(1)
    tab_to(page, "#memory-rows .row")
    page.keyboard.press("Enter")
    details = page.locator("#memory-dialog")
    tab_to(page, "#memory-dialog .tools button:has(use[href='#icon-pen'])")
    page.keyboard.press("Enter")
    expect(page.locator("#memory-dialog textarea")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("Vivo en Cusco")
    tab_to(page, "#memory-dialog .primary")
    page.keyboard.press("Enter")
    expect(details.locator(".details-value")).to_have_text("Cusco")
    page.keyboard.press("Escape")
    expect(page.locator("#memory-rows .value")).to_have_text("Cusco")


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the keyboard is there."""
    for _ in range(80):
        if page.evaluate("selector => document.activeElement?.matches(selector) ?? false", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not reach {selector}")
