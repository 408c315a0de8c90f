"""`recuerdo serve`: from its first line to its last."""

import asyncio
import json
import signal
import socket
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from command import Server, serving

from recuerdo.cli.serving import listen, without_secrets
from servers.patience import PATIENCE

HELLO = "Hola, me llamo Emiliano y trabajo en Data Oilers"


def test_it_prints_the_address_of_the_page_when_it_is_ready(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        assert server.url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(server.url, timeout=60) as page:
            assert page.status == 200
            assert "Recuerdo" in page.read().decode()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path, "--embeddings", "none") as server:
        say(server, HELLO)
        status, printed = server.end(number)
    assert status == 0, printed
    assert printed.endswith("Stopped. Everything that was said is kept.\n")
    assert "Traceback" not in printed


def test_a_quiet_server_prints_no_more_than_it_has_to(tmp_path: Path) -> None:
    with serving(tmp_path, "--embeddings", "none") as server:
        say(server, HELLO)
        _, printed = server.end(signal.SIGTERM)
    assert len(printed.splitlines()) == 3, printed


def test_debug_shows_every_request(tmp_path: Path) -> None:
    with serving(tmp_path, "--embeddings", "none", "--log-level", "debug") as server:
        say(server, HELLO)
        _, printed = server.end(signal.SIGTERM)
    assert "recuerdo.access: POST /v1/chat" in printed
    assert "status=200" in printed


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_the_server_remembers_after_it_was_stopped(tmp_path: Path, number: signal.Signals) -> None:
    """The name in the same thread, the employer in a new one; kill -9 loses nothing that was answered."""
    with serving(tmp_path) as server:
        say(server, HELLO, thread="t-1")
        server.end(number)
    with serving(tmp_path) as server:
        assert "Emiliano" in say(server, "¿Cómo me llamo?", thread="t-1")
        assert "Data Oilers" in say(server, "¿Dónde trabajo?", thread="t-2")


def test_the_flag_beats_the_variable(tmp_path: Path) -> None:
    with serving(tmp_path, "--database-url", "sqlite:///flag.db", RECUERDO_DATABASE_URL="sqlite:///variable.db"):
        assert (tmp_path / "flag.db").exists()
        assert not (tmp_path / "variable.db").exists()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:///.recuerdo/recuerdo.db", "sqlite:///.recuerdo/recuerdo.db"),
        ("postgresql://emi:se@cret@db.example:5432/app", "postgresql://emi:***@db.example:5432/app"),
        ("postgresql://emi@db.example/app?password=secret", "postgresql://emi@db.example/app"),
        ("postgresql://:secret@/app", "postgresql://:***@/app"),
    ],
)
def test_the_database_is_shown_without_its_password(url: str, shown: str) -> None:
    assert without_secrets(url) == shown


def say(server: Server, message: str, thread: str = "t-1") -> str:
    """The server's reply to the user `emi`."""
    request = urllib.request.Request(
        f"{server.url}/v1/chat",
        json.dumps({"message": message, "thread_id": thread}).encode(),
        {"Content-Type": "application/json", "X-Recuerdo-User": "emi"},
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        answer: dict[str, Any] = json.load(response)
    return str(answer["reply"]["content"])


async def test_what_is_sent_does_not_wait_until_the_last_piece_was_acknowledged() -> None:
    """Or the first token of a stream waits for 40 ms, as long as a client's system keeps acknowledgements back."""
    accepted: asyncio.Future[asyncio.StreamWriter] = asyncio.get_running_loop().create_future()
    listener = listen("127.0.0.1", 0)
    server = await asyncio.start_server(lambda _, writer: accepted.set_result(writer), sock=listener)
    async with server:
        _, client = await asyncio.open_connection(*listener.getsockname())
        connection = (await accepted).get_extra_info("socket")
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        for writer in (client, await accepted):
            writer.close()
            await writer.wait_closed()


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="this kernel has no deadline for readers")
async def test_a_client_that_reads_nothing_is_cut_off_though_it_stays() -> None:
    """Or its connection, and what waits for it, are kept for as long as it likes."""
    cut: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()

    class Endless(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.WriteTransport)
            transport.write(b"x" * 2**24)

        def connection_lost(self, exc: Exception | None) -> None:
            cut.set_result(exc)

    listener = listen("127.0.0.1", 0, timeout=0.2)
    async with await asyncio.get_running_loop().create_server(Endless, sock=listener):
        with socket.create_connection(listener.getsockname()):
            async with asyncio.timeout(PATIENCE):
                assert isinstance(await cut, TimeoutError)
