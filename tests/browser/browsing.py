"""The real server as a process that can be stopped, and a real Chromium."""

import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx

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
ARTEFACTS = Path(__file__).parents[2] / "artefacts"


class ServerProcess:
    """`recuerdo serve` on a port and a database that stay the same over restarts."""

    def __init__(self, directory: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
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
