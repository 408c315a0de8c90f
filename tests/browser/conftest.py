from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

from browser.browsing import CHROMIUM, CHROMIUM_FLAGS, OpenPage
from servers.patience import PATIENCE
from servers.recuerdo import RecuerdoServer, running_recuerdo

expect.set_options(timeout=PATIENCE / 2 * 1000)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Closed behind these tests: a synchronous Playwright keeps an event loop running, which async tests can't bear."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine; see scripts/browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecuerdoServer]:
    with running_recuerdo(database_url=f"sqlite:///{tmp_path_factory.mktemp('server') / 'recuerdo.db'}") as server:
        yield server


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[RecuerdoServer]:
    """A server of the test's own, to be stopped and killed."""
    with running_recuerdo(database_url=f"sqlite:///{tmp_path / 'recuerdo.db'}") as server:
        yield server


@pytest.fixture
def open_page(browser: Browser) -> Generator[OpenPage]:
    """Opens the page in a fresh profile. At the end no script may have failed, no policy been broken, and
    nothing been asked of another host."""
    failures: list[str] = []
    contexts: list[Any] = []

    def open_(url: str, *, user: str | None = None, **options: Any) -> Page:
        profile: dict[str, Any] = {"locale": "es-MX", "viewport": {"width": 1400, "height": 860}, **options}
        context = browser.new_context(**profile)
        context.set_default_timeout(PATIENCE / 2 * 1000)
        contexts.append(context)
        if user is not None:
            context.add_init_script(
                f"localStorage.getItem('recuerdo.user') ?? localStorage.setItem('recuerdo.user', {user!r})"
            )
        page = context.new_page()
        page.on("pageerror", lambda error: failures.append(str(error)))
        page.on("console", lambda message: failures.append(message.text) if _is_failure(message) else None)
        page.on("request", lambda request: failures.append(request.url) if _leaves(request, url) else None)
        page.goto(url)
        expect(page.locator("#user-name")).not_to_be_empty()
        return page

    yield open_
    for context in contexts:
        context.close()
    assert failures == []


def _is_failure(message: ConsoleMessage) -> bool:
    """Whether it is about the page itself: a browser also tells of each answer of 4xx."""
    return message.type == "error" and not message.text.startswith("Failed to load resource")


def _leaves(request: Request, opened: str) -> bool:
    """Whether the page asks another host. To go there, as for signing in, is no secret of the page."""
    parts = urlsplit(request.url)
    is_elsewhere = parts.scheme in ("http", "https") and parts.netloc != urlsplit(opened).netloc
    return is_elsewhere and not request.is_navigation_request()
