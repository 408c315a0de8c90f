"""More clients than one process can serve: what is refused, how long others wait, and whether it recovers.

    python -m benchmarks.overload                  # 1,000 and 2,000 clients, 12 seconds each, behind 6 to begin
    python -m benchmarks.overload append 200 400   # one kind of request, other numbers of clients

Each client is a user, who sends the next request when the last is answered, and after a refusal waits as long as
`Retry-After` says.
"""

import asyncio
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks.raw import TEXT
from benchmarks.servers import resident_kilobytes
from benchmarks.web import Client
from servers.recuerdo import ApiServer, running_recuerdo

_SECONDS = 12.0
_WARM_UP = 6.0
_FEW = 8
_FILES = 8_192
_THREADS = 512
_HEALTH_EVERY = 0.1
_KEPT_ALIVE = 3
"""Seconds after which a connection is opened anew: the server closes those that are idle for 5."""

_REFUSED = (429, 503)

Request = Callable[[int], tuple[str, Any]]
"""The path and the body of a client's request; a body of None reads."""

REQUESTS: dict[str, Request] = {
    "append": lambda number: (
        f"/v1/threads/t{number % _THREADS}/messages",
        {"messages": [{"role": "user", "content": TEXT}]},
    ),
    "window": lambda number: (f"/v1/threads/t{number % _THREADS}/window", None),
    "chat": lambda number: ("/v1/chat", {"thread_id": f"c{number}", "message": "Hola, me llamo Emiliano"}),
}


class Crowd(NamedTuple):
    """The outcome of so many clients: answers by status, seconds of those that were served, and of health checks."""

    clients: int
    answers: Counter[int]
    served: list[float]
    refused: list[float]
    health: list[float]
    failures: int
    megabytes: float
    seconds: float

    @property
    def p99(self) -> float:
        """The 99th percentile of the seconds that a served request took."""
        return percentile(self.served, 99)


def percentile(seconds: list[float], percent: int) -> float:
    """That percentile; 0 of nothing."""
    return sorted(seconds)[min(len(seconds) - 1, len(seconds) * percent // 100)] if seconds else 0.0


async def crowd(server: ApiServer, clients: int, request: Request, seconds: float, warm_up: float) -> Crowd:
    """Let so many clients ask for so long, and look at the server's health meanwhile. The beginning is not counted."""
    answers, served, refused, health = Counter[int](), list[float](), list[float](), list[float]()
    failures = 0
    began = time.perf_counter()
    counted, end = began + warm_up, began + warm_up + seconds

    async def ask(number: int, client: Client) -> None:
        path, body = request(number)
        await asyncio.sleep(random.random())
        while (start := time.perf_counter()) < end:
            status, wait = await client.status(path, body)
            taken = time.perf_counter() - start
            if start >= counted:
                answers[status] += 1
                (refused if status in _REFUSED else served).append(taken)
            if wait:
                await asyncio.sleep(wait * (0.5 + random.random()))
            if wait > _KEPT_ALIVE:
                return

    async def keep_asking(number: int) -> None:
        nonlocal failures
        while time.perf_counter() < end:
            try:
                async with Client.open(server.url, **{"X-Recuerdo-User": f"user-{number}"}) as client:
                    await ask(number, client)
            except (OSError, EOFError, asyncio.IncompleteReadError):
                failures += 1
                await asyncio.sleep(1)

    async def look() -> None:
        async with Client.open(server.url) as client:
            while (start := time.perf_counter()) < end:
                await client.get("/healthz")
                health.append(time.perf_counter() - start)
                await asyncio.sleep(_HEALTH_EVERY)

    async with AsyncExitStack() as stack:
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        tasks.create_task(look())
        for number in range(clients):
            tasks.create_task(keep_asking(number))
    return Crowd(clients, answers, served, refused, health, failures, resident_kilobytes(server) / 1024, seconds)


def _row(kind: str, found: Crowd) -> str:
    refused = sum(found.answers[status] for status in _REFUSED)
    other = sum(found.answers.values()) - refused - found.answers[200] - found.answers[201]
    return (
        f"| {kind} | {found.clients:,} | {len(found.served) / found.seconds:.0f} | {refused / found.seconds:.0f} |"
        f" {other + found.failures} | {median(found.served or [0]):.2f} | {found.p99:.2f} |"
        f" {percentile(found.refused, 99):.2f} | {percentile(found.health, 99):.2f} | {found.megabytes:.0f} |"
    )


HEAD = (
    "| request | clients | served/s | refused/s | failed | median s | p99 s | p99 of refusals s | p99 of /healthz s"
    " | MB |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
)


async def _measure(kinds: list[str], numbers: list[int]) -> None:
    with (
        TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder,
        running_recuerdo(database_url=f"sqlite:///{folder}/overload.db", embeddings="none") as server,
    ):
        print(HEAD, flush=True)
        for kind in kinds:
            for clients in (_FEW, *numbers, _FEW):
                print(_row(kind, await crowd(server, clients, REQUESTS[kind], _SECONDS, _WARM_UP)), flush=True)


def _open_files() -> None:
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, _FILES), hard))


if __name__ == "__main__":
    _open_files()
    kinds = [each for each in sys.argv[1:] if each in REQUESTS] or [*REQUESTS]
    asyncio.run(_measure(kinds, [int(each) for each in sys.argv[1:] if each.isdigit()] or [1_000, 2_000]))
