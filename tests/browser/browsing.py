"""A real Chromium, and what is done in it."""

import shutil
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
CHROMIUM_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
OpenPage = Callable[..., Page]
ARTEFACTS = Path(__file__).parents[2] / "artefacts"


def say(page: Page, text: str) -> Locator:
    """Send a message and return the finished answer."""
    page.locator("#message").fill(text)
    page.locator("#message").press("Enter")
    return answered(page)


def answered(page: Page) -> Locator:
    """The last answer, as soon as it is finished."""
    expect(page.locator("#send")).to_be_visible()
    answer = page.locator(".message.assistant").last
    expect(answer).to_have_attribute("aria-busy", "false")
    return answer


def shoot(page: Page, name: str) -> None:
    """Keep a picture of the page."""
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTEFACTS / f"{name}.png")
