"""One, two and four server processes over one PostgreSQL and one Valkey: the gain of each operation, and what is busy.

    python -m benchmarks.replicas          # 1, 2 and 4 processes, each behind a port of its own
    python -m benchmarks.replicas 1 8

Everything shares the machine: more processes than it has cores gain nothing. The columns of CPU, milliseconds of the
processor that a request takes of the servers, of PostgreSQL and of Valkey, say what will be busy first elsewhere.
"""

import asyncio
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from benchmarks.raw import TEXT
from benchmarks.servers import fresh_database, running_postgres, running_valkey
from benchmarks.web import Client
from recuerdo.concurrency.tasks import in_background
from servers.recuerdo import ApiServer, running_recuerdo

_CALLERS = 32
_THREADS = 256
_SECONDS = 4.0
_TICK = os.sysconf("SC_CLK_TCK")
_MESSAGES = [{"role": "assistant" if number % 2 else "user", "content": TEXT} for number in range(50)]
_ONE = {"messages": _MESSAGES[:1]}
_WAITS = (
    "SELECT coalesce(wait_event_type || ':' || wait_event, 'CPU') FROM pg_stat_activity"
    " WHERE state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
)

Operation = Callable[[Client, int], Any]

OPERATIONS: dict[str, Operation] = {
    "append": lambda client, number: client.post(
        f"/v1/threads/t{number % _THREADS}/messages", {"messages": _MESSAGES[:1]}
    ),
    "window, strong": lambda client, number: client.get(f"/v1/threads/w{number % _THREADS}/window"),
    "window, cached": lambda client, number: client.get(f"/v1/threads/w{number % _THREADS}/window?consistency=cached"),
    "list of threads": lambda client, _: client.get("/v1/threads?limit=20"),
    "search of memories": lambda client, _: client.post("/v1/memories/search", {"query": "¿Cómo me llamo?"}),
    "chat": lambda client, number: client.post(
        "/v1/chat", {"thread_id": f"c{number}", "message": "Hola, me llamo Emiliano"}
    ),
}


class _Busy(NamedTuple):
    """Seconds of the processor that each kind of process has had."""

    servers: float
    postgres: float
    valkey: float


class _Waits:
    """The events that PostgreSQL's busy sessions were waiting for, looked at every 50 ms."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.seen: dict[str, int] = {}
        self.looks = 0

    async def run(self) -> None:
        async with await psycopg.AsyncConnection.connect(self._url, autocommit=True) as connection:
            while True:
                for (event,) in await (await connection.execute(_WAITS)).fetchall():
                    self.seen[event] = self.seen.get(event, 0) + 1
                self.looks += 1
                await asyncio.sleep(0.05)

    def __str__(self) -> str:
        first = sorted(self.seen.items(), key=lambda each: -each[1])[:2]
        return ", ".join(f"{event} {count / max(1, self.looks):.1f}" for event, count in first) or "nothing"


class _Machines(NamedTuple):
    """The processes that work, and their database."""

    servers: list[int]
    postgres: int
    valkey: int
    database: str

    def busy(self) -> _Busy:
        """The seconds that each kind has had until now."""
        families = _families()
        return _Busy(sum(families(pid) for pid in self.servers), families(self.postgres), families(self.valkey))


def _families() -> Callable[[int], float]:
    """A function that tells the seconds of the processor of a process and its living descendants."""
    own, children = dict[int, float](), defaultdict[int, list[int]](list)
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            pid = int(stat.parent.name)
            own[pid] = (int(fields[11]) + int(fields[12])) / _TICK
            children[int(fields[1])].append(pid)

    def seconds(pid: int) -> float:
        return own.get(pid, 0.0) + sum(map(seconds, children[pid]))

    return seconds


@contextmanager
def _processes(count: int) -> Generator[tuple[list[ApiServer], _Machines]]:
    """So many servers over a PostgreSQL and a Valkey that are theirs alone."""
    with ExitStack() as stack:
        postgres = stack.enter_context(running_postgres())
        database = stack.enter_context(fresh_database(postgres.url))
        valkey = stack.enter_context(running_valkey())
        servers: list[ApiServer] = [
            stack.enter_context(running_recuerdo(database_url=database, cache_url=valkey.url, embeddings="none"))
            for _ in range(count)
        ]
        yield servers, _Machines([each.pid for each in servers], postgres.pid, valkey.pid, database)


async def _throughput(servers: list[ApiServer], operation: Operation, seconds: float) -> tuple[int, float]:
    """How many requests were answered within how many seconds, the callers spread over the servers."""
    done = 0

    async def call(number: int, client: Client) -> None:
        nonlocal done
        while time.perf_counter() < end:
            await operation(client, number)
            number += _CALLERS
            done += 1

    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(
                Client.open(servers[number % len(servers)].url, **{"X-Recuerdo-User": "emi"})
            )
            for number in range(_CALLERS)
        ]
        began = time.perf_counter()
        end = began + seconds
        await asyncio.gather(*(call(number, client) for number, client in enumerate(clients)))
        return done, time.perf_counter() - began


async def _measure(counts: list[int]) -> None:
    print(HEAD, flush=True)
    alone: dict[str, float] = {}
    for count in counts:
        with _processes(count) as (servers, machines):
            async with Client.open(servers[0].url, **{"X-Recuerdo-User": "emi"}) as client:
                for number in range(_THREADS):
                    await client.post(f"/v1/threads/w{number}/messages", {"messages": _MESSAGES})
                await client.post("/v1/memories", {"text": "Se llama Emiliano"})
            for name, operation in OPERATIONS.items():
                await _throughput(servers, operation, 1)  # all warm up
                waits, before = _Waits(machines.database), machines.busy()
                async with in_background(waits.run()):
                    done, seconds = await _throughput(servers, operation, _SECONDS)
                busy = [1000 * (after - early) / done for after, early in zip(machines.busy(), before, strict=True)]
                each = done / seconds
                alone.setdefault(name, each)
                print(
                    f"| {name} | {count} | {each:.0f} | {each / alone[name]:.2f} |"
                    f" {busy[0]:.2f} | {busy[1]:.2f} | {busy[2]:.2f} | {waits} |",
                    flush=True,
                )


HEAD = (
    "| operation | processes | requests/s | of one process | CPU ms a request: servers | PostgreSQL | Valkey"
    " | sessions of PostgreSQL, on average |\n|---|---:|---:|---:|---:|---:|---:|---|"
)

if __name__ == "__main__":
    asyncio.run(_measure([int(each) for each in sys.argv[1:]] or [1, 2, 4]))
