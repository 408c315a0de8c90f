"""The real server as a process that can be stopped, and a real Chromium."""

import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx
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


class ServerProcess:
    """`recuerdo serve` on a port and a database that stay the same over restarts."""

    def __init__(self, directory: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.directory = directory
        self._database = f"sqlite:///{directory / 'recuerdo.db'}"
        self._log = directory / "server.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-c", "from recuerdo.cli import main; main()", "serve"]
        flags = ["--port", str(self.port), "--database-url", self._database]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([*command, *flags], stdout=log, stderr=log)
        self._wait_until_ready()

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(60)
            self._process = None

    def kill(self) -> None:
        self.stop(signal.SIGKILL)

    def _wait_until_ready(self) -> None:
        assert self._process is not None
        with httpx.Client(timeout=5) as client:
            for _ in range(600):
                assert self._process.poll() is None, self._log.read_text()
                try:
                    client.get(f"{self.url}/ready").raise_for_status()
                except httpx.HTTPError:
                    time.sleep(0.05)
                else:
                    return
        raise AssertionError(f"the server is not ready: {self._log.read_text()}")
