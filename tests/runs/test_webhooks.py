"""Webhooks: who is told that a run is over, and who can't be reached through us."""

import asyncio
import http.server
import json
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from replicas import Lingering, replica

from recuerdo.adapters.local import LocalRunEvents
from recuerdo.adapters.registry import open_repositories
from recuerdo.adapters.signals import LocalSignals
from recuerdo.concurrency.tasks import stop
from recuerdo.core.documents import DocumentKey
from recuerdo.core.errors import InvalidInput
from recuerdo.core.graph_ports import DocumentRepository
from recuerdo.core.runs import Run, RunRequest
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from recuerdo.runs.engine import Tell
from recuerdo.runs.lifecycle import RunOutcome, begin, change_work
from recuerdo.runs.runs import NewRun
from recuerdo.runs.services import running_services
from recuerdo.runs.webhooks import Webhooks, check_webhook, is_outside
from servers.patience import PATIENCE

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Listener:
    """A server that notes what is posted to it, and sends whoever asks for /moved elsewhere."""

    def __init__(self) -> None:
        told: list[tuple[str, Any]] = []
        is_told = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                told.append((self.path, json.loads(body)))
                self.send_response(307 if self.path == "/moved" else 200)
                self.send_header("Location", "/secret")
                self.end_headers()
                is_told.set()

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the base class
                """Say nothing."""

        self.told = told
        self._is_told = is_told
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://localhost:{self.server.server_port}"

    def wait(self) -> list[tuple[str, Any]]:
        """The calls to the webhook, as soon as there is one."""
        assert self._is_told.wait(60)
        return self.told


@pytest.fixture
def listener() -> Iterator[Listener]:
    listener = Listener()
    thread = threading.Thread(target=listener.server.serve_forever)
    thread.start()
    yield listener
    listener.server.shutdown()
    listener.server.server_close()
    thread.join()


class Answering(Lingering):
    """A Host whose runs end at once: with an answer, or by failing."""

    async def execute(self, _owner: Owner, run: Run, tell_it: Tell) -> RunOutcome:
        if run.kwargs.input == "fail":
            raise ValueError("it was told to")
        return RunOutcome("success", "idle", {}, result={"answer": 42})


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("go", {"status": "success", "values": {"answer": 42}}),
        ("fail", {"status": "error", "values": None, "error": "it was told to"}),
    ],
)
async def test_of_a_run_that_leaves_nothing_behind_is_told_how_it_ended(
    listener: Listener, given: str, told: dict[str, Any]
) -> None:
    """Though its row is gone by then."""
    request = RunRequest(input=given, webhook=f"{listener.url}/hook", on_completion="delete")
    async with replica("memory://", Answering(), 10, Webhooks(inside=True)) as services:
        await services.runs.create(Owner("acme", "emi"), NewRun("g", request, None))
        [(_, body)] = await asyncio.to_thread(listener.wait)
    assert {name: body.get(name) for name in told} == told


class Overtaken(Lingering):
    """A Host whose runs are begun again by another replica before they end here."""

    def __init__(self, documents: DocumentRepository) -> None:
        super().__init__()
        self._documents = documents

    async def execute(self, owner: Owner, run: Run, tell_it: Tell) -> RunOutcome:
        later, key = utc_now() + timedelta(hours=1), DocumentKey("thread", run.thread_id)
        decide = partial(begin, run_id=run.run_id, now=later, lease_until=later + timedelta(hours=1))
        assert await change_work(self._documents, owner, run.thread_id, decide, key)
        return RunOutcome("success", "idle", {})


class Noting(Webhooks):
    """Notes which runs are told of."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    async def tell(self, run: Run, result: object) -> None:
        self.told.append(run.run_id)


async def test_of_a_run_that_another_replica_goes_on_with_nobody_is_told_that_it_is_over() -> None:
    async with open_repositories("memory://") as repositories:
        assert repositories.documents is not None
        documents, events, noting = repositories.documents, LocalRunEvents(), Noting()
        async with running_services(
            documents, events, {"g": None}, lambda: Overtaken(documents), utc_now, LocalSignals(), webhooks=noting
        ) as services:
            run = await services.runs.create(Owner("acme", "emi"), NewRun("g", RunRequest(), None))
            assert [event.name async for event in events.follow(run.run_id)] == ["metadata"]
            for _ in range(10):
                await asyncio.sleep(0)
        assert noting.told == []


async def test_who_never_answers_takes_no_thread_from_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recuerdo.runs.webhooks.SECONDS", 600.0)
    connected: asyncio.Queue[None] = asyncio.Queue()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.put_nowait(None)
        with suppress(ConnectionError):
            await reader.read()
        writer.close()

    silent = await asyncio.start_server(listen, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{silent.sockets[0].getsockname()[1]}/"
    webhooks = Webhooks(inside=True)
    async with silent, asyncio.timeout(PATIENCE):
        telling = [asyncio.create_task(webhooks.tell(finished(address), {})) for _ in range(40)]
        for _ in telling:
            await connected.get()
        await stop(*telling)


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
    monkeypatch.setattr("recuerdo.runs.webhooks._PAUSES", ())
    await Webhooks(inside=True).tell(finished(f"{listener.url}/moved"), {})
    assert [path for path, _ in listener.told] == ["/moved"]


@pytest.mark.parametrize("answers", [[["93.184.216.34"], ["127.0.0.1"]], [["93.184.216.34", "127.0.0.1"]]])
async def test_a_name_that_is_outside_once_leads_nobody_inside(
    listener: Listener, monkeypatch: pytest.MonkeyPatch, answers: list[list[str]]
) -> None:
    """Its owner answers a second question with another address, or one question with both."""
    port, asked = listener.server.server_port, iter(answers)

    def look_up(host: str | bytes, *rest: Any, **options: Any) -> list[Any]:
        found = next(asked, answers[-1]) if host in ("rebound.example", b"rebound.example") else [str(host)]
        return [place for each in found for place in resolve(each, *rest, **options)]

    resolve = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr("recuerdo.runs.webhooks._PAUSES", ())
    monkeypatch.setattr("recuerdo.runs.webhooks.SECONDS", 1.0)
    await Webhooks().tell(finished(f"http://rebound.example:{port}/hook"), {})
    assert listener.told == []


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
        *("224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1%eth0", "fd00::1", "ff02::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::", "64:ff9b::a00:1"),
        *("192.0.0.192", "192.0.0.9", "168.63.129.16", "::ffff:168.63.129.16", "fec0::1", "64:ff9b:1::1"),
        *("64:ff9b:1::5db8:d822", "::127.0.0.1", "::93.184.216.34", "64:ff9b::a83f:8110"),
    ],
)
def test_an_address_of_no_public_network_is_inside(address: str) -> None:
    assert not is_outside(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "64:ff9b::5db8:d822"])
def test_an_address_of_the_public_network_is_outside(address: str) -> None:
    assert is_outside(address)


@pytest.mark.parametrize(
    "url",
    [
        f"http://{'a' * 64}.example",
        "ftp://a.example",
        "http://",
        "https://a.example:0",
        "http://a.example:99999",
        "//a",
    ],
)
def test_what_is_no_address_is_refused_when_the_run_is_made(url: str) -> None:
    with pytest.raises(InvalidInput, match="webhook"):
        check_webhook(url)
