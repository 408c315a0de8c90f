"""The cost of authentication, rate limits, the audit log and row-level security, in processor time.

A busy machine changes how long an answer takes more than these do.
"""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from concurrent.futures import Future
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, nullcontext
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import jwt
import psycopg
import uvicorn
import uvloop
from fastapi import FastAPI

from benchmarks.raw import TEXT
from benchmarks.rounds import Compared, Measurement
from benchmarks.servers import postgres_url
from benchmarks.web import Client
from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.app.graphs import hosting
from recuerdo.caching.buckets import LocalBuckets
from recuerdo.core.quotas import Quota
from recuerdo.server import ServerOptions, create_app
from recuerdo.server.auth.options import AuthOptions, Issuer
from recuerdo.server.auth.tokens import Tokens
from recuerdo.server.caller_limits import CallerLimits
from servers.process import free_port

TOPIC = "security"
_SECRET = "a secret of at least thirty-two bytes"
_ISSUER = Issuer("https://issuer.example", ("recuerdo",), secret=_SECRET, algorithms=("HS256",))
_MICROSECONDS_OF_A_TOKEN = 100e-6
_ALL = CallerLimits(requests=Quota(1e9, 1e8), megabytes=Quota(1e9, 1e8))
"""Nobody is refused here: only what it takes to count is measured."""

_WITHOUT_POLICIES = """
DO $$ DECLARE each regclass; BEGIN
    FOR each IN SELECT oid FROM pg_class WHERE relnamespace = 'recuerdo'::regnamespace AND relrowsecurity LOOP
        EXECUTE format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', each);
    END LOOP;
END $$"""

_OURS, _NAMED, _PLAIN = "", "the same with tokens alone", "the same without authentication"
_GUARDED, _BARE = "with policies", "without policies"
_PAUSE = 0.05
_TURNS = 40
_GOALS = {_NAMED: 1.05, _PLAIN: None}


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """A token alone, and requests with limits and the audit log against those with tokens alone, and with nothing."""
    claims = {"iss": _ISSUER.name, "aud": "recuerdo", "sub": "emi", "tenant": "default", "exp": int(time.time()) + 3600}
    new = [jwt.encode(claims | {"jti": str(number)}, _SECRET, "HS256") for number in range(2_000)]
    return [
        Measurement(TOPIC, "a new token", await _of_tokens(new), goal_seconds=_MICROSECONDS_OF_A_TOKEN),
        Measurement(TOPIC, "a token again", await _of_tokens(new[:1] * 2_000), goal_seconds=_MICROSECONDS_OF_A_TOKEN),
        *await _of_requests(folder, new[0], rounds=60 if full else 20),
        *await _of_row_level_security(folder, rounds=60 if full else 20),
    ]


async def _of_requests(folder: Path, token: str, *, rounds: int) -> list[Measurement]:
    """Of the same database, whose guards differ: the requests of a round are in an order by chance."""
    headers = {"Authorization": f"Bearer {token}", "X-Recuerdo-User": "emi"}
    with _served(folder) as (ports, clock):
        return [
            compared.measurement(TOPIC, case, peer, _GOALS[peer])
            for case, ask in (("a window over HTTP", _window), ("an append over HTTP", _append))
            for peer, compared in (await _compared(ports, headers, ask, clock, rounds)).items()
        ]


async def _compared(
    ports: dict[str, int], headers: dict[str, str], ask: Callable[[Client], Awaitable[Any]], clock: int, rounds: int
) -> dict[str, Compared]:
    pick, samples = Random(1), {name: list[list[float]]() for name in ports}
    async with AsyncExitStack() as stack:
        clients = {
            name: await stack.enter_async_context(Client.open(f"http://127.0.0.1:{port}", **headers))
            for name, port in ports.items()
        }
        for number in range(rounds + 1):
            taken = {name: list[float]() for name in ports}
            for name in pick.sample([*ports] * 50, 50 * len(ports)):
                began = time.clock_gettime(clock)
                await ask(clients[name])
                taken[name].append(time.clock_gettime(clock) - began)
            for name, each in taken.items():
                samples[name] += [each] if number else []  # in the first round all warm up
    return {peer: Compared.of(samples[_OURS], samples[peer]) for peer in _GOALS}


async def _of_row_level_security(folder: Path, *, rounds: int) -> list[Measurement]:
    """Of two databases, in one of which no table has policies: the processor time of client and server together."""
    async with AsyncExitStack() as stack:
        memories, clocks = dict[str, Recuerdo](), dict[str, Callable[[], float]]()
        for name in (_GUARDED, _BARE):
            url, spool = stack.enter_context(postgres_url()), f"{folder}/{name}"
            memories[name] = await stack.enter_async_context(Recuerdo.open(url, embeddings="none", spool=spool))
            connection = await stack.enter_async_context(await psycopg.AsyncConnection.connect(url, autocommit=True))
            if name == _BARE:
                await connection.execute(_WITHOUT_POLICIES)
            await _appended(memories[name])
            found = await connection.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
            clocks[name] = _clock_of([pid for (pid,) in await found.fetchall()])
        measured: list[Measurement] = []
        for case, ask in (("an append on PostgreSQL", _appended), ("a window on PostgreSQL", _read)):
            samples = {name: list[list[float]]() for name in memories}
            for number in range(rounds + 1):
                for name in (_GUARDED, _BARE)[:: 1 if number % 2 else -1]:
                    began = clocks[name]()
                    for _ in range(_TURNS):
                        await ask(memories[name])
                    samples[name] += [[(clocks[name]() - began) / _TURNS]] if number else []
            compared = Compared.of(samples[_GUARDED], samples[_BARE])
            measured.append(compared.measurement(TOPIC, case, f"the same {_BARE}", 1.1))
    return measured


def _clock_of(pids: list[int]) -> Callable[[], float]:
    """The seconds that this process and those of the server have had of the processor; Linux counts them exactly."""
    files = [Path(f"/proc/{pid}/schedstat") for pid in pids]
    return lambda: time.process_time() + sum(int(file.read_text().split()[0]) for file in files if file.exists()) / 1e9


def _appended(memory: Recuerdo) -> Awaitable[Any]:
    return memory.thread(tenant="acme", user="emi", thread="t").append(Message.user(TEXT))


def _read(memory: Recuerdo) -> Awaitable[Any]:
    return memory.thread(tenant="acme", user="emi", thread="t").window(MessageWindow(50))


@asynccontextmanager
async def _apps(database: Path) -> AsyncGenerator[dict[str, FastAPI]]:
    async with Recuerdo.open(f"sqlite:///{database}", embeddings="none") as memory, hosting(memory) as hosted:
        await memory.thread(tenant="default", user="emi", thread="t").append(*[Message.user(TEXT)] * 100)
        auth = AuthOptions((_ISSUER,))
        options = {
            _OURS: ServerOptions(auth=auth, limits=_ALL, buckets=LocalBuckets(), audit=memory.audit),
            _NAMED: ServerOptions(auth=auth),
            _PLAIN: ServerOptions(),
        }
        yield {name: create_app(nullcontext(hosted), each) for name, each in options.items()}


@contextmanager
def _served(folder: Path) -> Generator[tuple[dict[str, int], int]]:
    """The ports of the applications, which one thread serves, and the clock of its processor time."""
    started: Future[dict[str, int]] = Future()
    stopping = threading.Event()
    thread = threading.Thread(target=lambda: uvloop.run(_serve(folder, started, stopping)))
    thread.start()
    try:
        ports = started.result()
        yield ports, time.pthread_getcpuclockid(thread.ident or 0)
    finally:
        stopping.set()
        thread.join()


async def _serve(folder: Path, started: "Future[dict[str, int]]", stopping: threading.Event) -> None:
    async with _apps(folder / "security.db") as apps, asyncio.TaskGroup() as group:
        servers = {
            name: uvicorn.Server(uvicorn.Config(app, port=free_port(), log_config=None)) for name, app in apps.items()
        }
        for server in servers.values():
            group.create_task(server.serve())
        while not all(server.started for server in servers.values()):  # noqa: ASYNC110
            await asyncio.sleep(_PAUSE)
        started.set_result({name: server.config.port for name, server in servers.items()})
        await asyncio.to_thread(stopping.wait)
        for server in servers.values():
            server.should_exit = True


async def _of_tokens(several: list[str]) -> float:
    tokens = Tokens((_ISSUER,))
    taken: list[float] = []
    for token in several:
        began = time.perf_counter()
        await tokens.read(token)
        taken.append(time.perf_counter() - began)
    return median(taken)


def _window(client: Client) -> Awaitable[Any]:
    return client.get("/v1/threads/t/window")


def _append(client: Client) -> Awaitable[Any]:
    return client.post("/v1/threads/appended/messages", {"messages": [{"role": "user", "content": TEXT}]})
