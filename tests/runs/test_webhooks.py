"""Webhooks: who is told that a run is over, and who can't be reached through us."""

import http.server
import json
import logging
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from recuerdo.core.errors import InvalidInput
from recuerdo.core.runs import Run, RunRequest
from recuerdo.runs.webhooks import Webhooks, check_webhook, is_outside

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Listener:
    """A server that notes what is posted to it, and sends whoever asks for /moved elsewhere."""

    def __init__(self) -> None:
        told: list[tuple[str, Any]] = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                told.append((self.path, json.loads(body)))
                self.send_response(307 if self.path == "/moved" else 200)
                self.send_header("Location", "/secret")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.told = told
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://localhost:{self.server.server_port}"


@pytest.fixture
def listener() -> Iterator[Listener]:
    listener = Listener()
    thread = threading.Thread(target=listener.server.serve_forever)
    thread.start()
    yield listener
    listener.server.shutdown()
    listener.server.server_close()
    thread.join()


def finished(webhook: str) -> Run:
    return Run(
        run_id="r-1", thread_id="t-1", assistant_id="a-1", graph_id="g", status="success",
        kwargs=RunRequest(webhook=webhook), created_at=NOW, updated_at=NOW,
    )  # fmt: skip


async def test_an_address_inside_is_not_called(listener: Listener, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        await Webhooks().tell(finished(f"{listener.url}/hook"), {"answer": 42})
    assert listener.told == []
    assert "RECUERDO_WEBHOOKS_INSIDE" in caplog.text


async def test_an_address_inside_is_called_where_the_setting_allows_it(listener: Listener) -> None:
    await Webhooks(inside=True).tell(finished(f"{listener.url}/hook?of=run"), {"answer": 42})
    [(path, body)] = listener.told
    assert path == "/hook?of=run"
    assert (body["run_id"], body["status"], body["values"]) == ("r-1", "success", {"answer": 42})


async def test_nobody_is_sent_elsewhere(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recuerdo.runs.webhooks._ATTEMPTS", 1)
    await Webhooks(inside=True).tell(finished(f"{listener.url}/moved"), {})
    assert [path for path, _ in listener.told] == ["/moved"]


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
        *("224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1%eth0", "fd00::1", "ff02::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::", "64:ff9b::a00:1"),
    ],
)
def test_an_address_of_no_public_network_is_inside(address: str) -> None:
    assert not is_outside(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "64:ff9b::5db8:d822"])
def test_an_address_of_the_public_network_is_outside(address: str) -> None:
    assert is_outside(address)


@pytest.mark.parametrize("url", ["ftp://a.example", "http://", "https://a.example:0", "http://a.example:99999", "//a"])
def test_what_is_no_address_is_refused_when_the_run_is_made(url: str) -> None:
    with pytest.raises(InvalidInput, match="webhook"):
        check_webhook(url)
