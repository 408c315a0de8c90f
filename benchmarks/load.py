"""Many callers at once over HTTP: appends and windows beside a bare FastAPI endpoint on the same loop and parser.

By the clock, which waits for the disk and for PostgreSQL, and by the processor's time of the process that serves.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.api import bare_server
from benchmarks.raw import TEXT
from benchmarks.rounds import Compared, Measurement
from benchmarks.servers import postgres_url, processor_seconds
from benchmarks.web import Client
from servers.recuerdo import ApiServer, running_recuerdo

TOPIC = "load"
_CALLERS = (1, 32, 256)
_THREADS = 256
_MESSAGES_OF_A_WINDOW = 50
_BODY = {"messages": [{"role": "user", "content": TEXT}]}
_SHARE = 0.7
"""How many requests a second there should be, of those of the bare endpoint."""


class _Case(NamedTuple):
    """A request to us with a number of its own, and the one that the bare server gets."""

    name: str
    ours: Callable[[Client, int], Any]
    theirs: Callable[[Client, int], Any]


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """Seconds that a request takes of all of them together, on SQLite and on PostgreSQL."""
    rounds, requests = (9, 2_000) if full else (3, 800)
    measured: list[Measurement] = []
    with postgres_url() as postgres:
        for name, url in {"SQLite": f"sqlite:///{folder}/load.db", "PostgreSQL": postgres}.items():
            # the bare endpoint refuses nothing either, however busy the machine is
            with running_recuerdo(database_url=url, embeddings="none", limits="off") as server:
                body = await _filled(server)
                await asyncio.to_thread((folder / "window.json").write_bytes, body)
                with bare_server(folder / "window.json") as bare:
                    for case in _CASES:
                        for callers in _CALLERS:
                            found = await _compare(case, server, bare, callers, rounds, requests)
                            what = f"{case.name}, {callers} callers, {name}"
                            measured += [
                                each.measurement(TOPIC, f"{what}{kind}", "a bare FastAPI endpoint", 1 / _SHARE)
                                for kind, each in zip(("", ", processor"), found, strict=True)
                            ]
    return measured


def _append(client: Client, number: int) -> Awaitable[Any]:
    return client.post(f"/v1/threads/t{number % _THREADS}/messages", _BODY)


def _bare_append(client: Client, _: int) -> Awaitable[Any]:
    return client.post("/", _BODY)


def _window(client: Client, number: int) -> Awaitable[Any]:
    return client.get(f"/v1/threads/w{number % _THREADS}/window")


def _bare_window(client: Client, _: int) -> Awaitable[Any]:
    return client.get("/")


_CASES = (
    _Case("an append", _append, _bare_append),
    _Case(f"a window of {_MESSAGES_OF_A_WINDOW}", _window, _bare_window),
)


async def _filled(server: ApiServer) -> bytes:
    """Fill the threads whose windows are read, and return one of the windows."""
    messages = [
        {"role": "assistant" if number % 2 else "user", "content": TEXT} for number in range(_MESSAGES_OF_A_WINDOW)
    ]
    async with Client.open(server.url) as client:
        for number in range(_THREADS):
            await client.post(f"/v1/threads/w{number}/messages", {"messages": messages})
        return await client.get("/v1/threads/w0/window")


async def _compare(
    case: _Case, server: ApiServer, bare: ApiServer, callers: int, rounds: int, requests: int
) -> tuple[Compared, Compared]:
    samples: tuple[list[_Taken], list[_Taken]] = ([], [])
    for number in range(rounds + 1):
        for which in (0, 1) if number % 2 else (1, 0):
            taken = await _taken((server, bare)[which], (case.ours, case.theirs)[which], callers, requests)
            if number:  # in the first round both warm up
                samples[which].append(taken)
    ours, theirs = samples
    return (
        Compared.of([[each.seconds] for each in ours], [[each.seconds] for each in theirs]),
        Compared.of([[each.processor] for each in ours], [[each.processor] for each in theirs]),
    )


class _Taken(NamedTuple):
    """Seconds that a request takes of so many together, by the clock and of the server's processor."""

    seconds: float
    processor: float


async def _taken(server: ApiServer, request: Callable[[Client, int], Any], callers: int, requests: int) -> _Taken:
    """Let so many callers ask over connections that are open."""
    numbers = iter(range(requests))

    async def call(client: Client) -> None:
        for number in numbers:
            await request(client, number)

    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Client.open(server.url)) for _ in range(callers)]
        began, worked = time.perf_counter(), processor_seconds(server)
        await asyncio.gather(*map(call, clients))
        seconds, processor = time.perf_counter() - began, processor_seconds(server) - worked
        return _Taken(seconds / requests, processor / requests)
