"""Reads over HTTP, beside a bare FastAPI endpoint that returns the same bytes."""

import asyncio
import sys
import time
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.rounds import Compared, Measurement
from benchmarks.servers import postgres_url
from benchmarks.web import Client
from servers.process import ServerProcess, free_port, server_folder
from servers.recuerdo import ApiServer, running_recuerdo

TOPIC = "api"
_CONFIG = Path(__file__).with_name("served") / "langgraph.json"
_AT_ONCE = 8
_MESSAGES = 50
_TEXT = "x" * 200


class BareServer(ApiServer):
    """A FastAPI application whose only endpoint returns what is in a file."""

    def __init__(self, body: Path, folder: Path) -> None:
        self.port = free_port()
        serve = [sys.executable, "-m", "uvicorn", "--no-access-log", "--port", str(self.port)]
        place = ["env", "-C", str(Path(__file__).parent), f"BARE_BODY={body}"]
        self._process = ServerProcess([*place, *serve, "served.bare:app"], folder)


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """A thread of 50 messages on SQLite and on PostgreSQL: its window, and its graph's state."""
    rounds, requests = (15, 800) if full else (5, 400)
    measured: list[Measurement] = []
    with postgres_url() as postgres:
        for name, url in {"SQLite": f"sqlite:///{folder}/api.db", "PostgreSQL": postgres}.items():
            with running_recuerdo(database_url=url, config=str(_CONFIG), embeddings="none") as server:
                for what, path in (await _filled(server)).items():
                    found = await _beside_bare(server, path, folder, rounds, requests)
                    case = f"{what} of {_MESSAGES} messages, {name}"
                    measured.append(found.measurement(TOPIC, case, "the same bytes from FastAPI", 1 / 0.6))
    return measured


async def _filled(server: ApiServer) -> dict[str, str]:
    """Make a thread of 50 messages; where its window and its state are."""
    thread = str(uuid.uuid4())
    said = [{"role": "human" if number % 2 else "ai", "content": _TEXT} for number in range(_MESSAGES)]
    async with Client.open(server.url) as client:
        given = {"assistant_id": "echo", "if_not_exists": "create", "input": {"messages": said[:-1]}}
        await client.post(f"/threads/{thread}/runs/wait", given)
    return {"the window": f"/v1/threads/{thread}/window", "the state": f"/threads/{thread}/state"}


async def _beside_bare(server: ApiServer, path: str, folder: Path, rounds: int, requests: int) -> Compared:
    async with Client.open(server.url) as client:
        body = folder / "body.json"
        await asyncio.to_thread(body.write_bytes, await client.get(path))
    with bare_server(body) as bare:
        samples: dict[ApiServer, list[list[float]]] = {server: [], bare: []}
        for number in range(rounds + 1):
            for each in (server, bare)[:: 1 if number % 2 else -1]:
                taken = await _requests(each, path if each is server else "/", requests)
                if number:  # in the first round both warm up
                    samples[each].append([taken])
    return Compared.of(samples[server], samples[bare])


@contextmanager
def bare_server(body: Path) -> Generator[BareServer]:
    """A running FastAPI application that returns what is in the file."""
    with server_folder() as folder:
        server = BareServer(body, folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()


async def _requests(server: ApiServer, path: str, count: int) -> float:
    """Seconds that a request takes of so many together."""
    numbers = iter(range(count))

    async def ask() -> None:
        async with Client.open(server.url) as client:
            for _ in numbers:
                assert await client.get(path)

    began = time.perf_counter()
    await asyncio.gather(*[ask() for _ in range(_AT_ONCE)])
    return (time.perf_counter() - began) / count
