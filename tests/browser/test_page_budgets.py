"""The page is as light with ten thousand memories, and with a thread of five thousand messages, as with few."""

import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from browser.browsing import NODES, OpenPage
from browser.painting import BUDGET, MEMORIES, USER, fill, nodes, painted
from servers.recuerdo import running_recuerdo

pytestmark = pytest.mark.browser

GENEROUS = 20
"""Times the budget: on a busy machine. `tests/browser/page_paint.py` holds the budget itself."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path: Path = tmp_path_factory.mktemp("many") / "many.db"
    with running_recuerdo(database_url=f"sqlite:///{path}", embeddings="none") as server:
        with httpx.Client(base_url=server.url, headers={"X-Recuerdo-User": USER}) as client:
            fill(client)
        yield server.url


def test_what_is_stored_is_painted_soon_with_few_elements(
    url: str, open_page: OpenPage, capsys: pytest.CaptureFixture[str]
) -> None:
    page = open_page(url, user=USER)
    expect(page.locator("#known .memory")).to_have_count(20)
    for name, took, alive in painted(page):
        with capsys.disabled():
            print(f"\n{name}: first paint {took:.0f} ms, {alive} elements", end="")
        assert took <= GENEROUS * BUDGET
        assert alive <= NODES


def test_however_far_one_scrolls_few_elements_are_alive(url: str, open_page: OpenPage) -> None:
    page = open_page(f"{url}/#/memories", user=USER)
    end = time.monotonic() + 100
    while not (note := page.locator("#memories-note").inner_text())[:1].isdigit() or note.endswith("+"):
        assert time.monotonic() < end
        page.locator("#memory-rows").evaluate("element => { element.scrollTop = element.scrollHeight }")
        page.wait_for_timeout(30)
    expect(page.locator("#memories-note")).to_have_text("10.000 recuerdos")
    expect(page.locator(f'[aria-posinset="{MEMORIES}"]')).to_be_visible()
    assert nodes(page) <= NODES

    page.goto(f"{url}/#/t/long")
    expect(page.locator(".message").first).to_be_visible()
    for _ in range(8):
        first = page.locator(".message").first.get_attribute("data-seq")
        page.locator("#scroller").evaluate("element => { element.scrollTop = 0 }")
        expect(page.locator(".message").first).not_to_have_attribute("data-seq", first or "")
        assert nodes(page) <= NODES
    expect(page.locator("#later")).to_be_attached()
