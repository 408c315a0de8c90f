"""The cost of each operation in a large database, beside the same one in a small database, and where the bytes are.

    python -m benchmarks.growth                          # SQLite, 100,000 of each beside 1,000
    python -m benchmarks.growth postgres 1000000 20000   # PostgreSQL, a thread of 1,000,000, and 20,000 of the others

So many messages are in one thread; a user has so many threads, or the second number, and the tenant as many memories,
100 of a user. A cost of more than 1.3 times is marked as missed.
"""

import asyncio
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, closing, nullcontext
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import psycopg

from benchmarks.raw import TEXT
from benchmarks.rounds import compare
from benchmarks.servers import postgres_url
from benchmarks.table import HEAD, as_row
from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.core.scope import Owner
from recuerdo.history import ThreadHistory

_GOAL = 1.3
_SMALL = 1_000
_BATCH = 1_000
_OF_A_USER = 100
_TENANT = "acme"
_TABLES_OF_SQLITE = "SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 12"
_TABLES_OF_POSTGRES = (
    "SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r'"
    " AND relnamespace = 'recuerdo'::regnamespace ORDER BY 2 DESC LIMIT 12"
)


class _Filled(NamedTuple):
    """An open database, and how many messages the long thread has."""

    memory: Recuerdo
    messages: int


Operation = Callable[[_Filled, int], Awaitable[object]]


def _long(filled: _Filled) -> ThreadHistory:
    return filled.memory.thread(tenant=_TENANT, user="long", thread="long")


OPERATIONS: dict[str, Operation] = {
    "append to the long thread": lambda f, _: _long(f).append(Message.user(TEXT)),
    "append to a short thread": lambda f, n: f.memory.thread(tenant=_TENANT, user="many", thread=f"t{n % 900}").append(
        Message.user(TEXT)
    ),
    "append to a new thread": lambda f, n: f.memory.thread(tenant=_TENANT, user="many", thread=f"new{n}").append(
        Message.user(TEXT)
    ),
    "MessageWindow(50) of the long thread": lambda f, _: _long(f).window(MessageWindow(50)),
    "its first 50 messages": lambda f, _: _long(f).messages(limit=50, after=0),
    "50 from its middle": lambda f, n: _long(f).messages(limit=50, before=f.messages // 2 + n),
    "its messages of the assistant": lambda f, _: _long(f).messages(limit=50, roles=["assistant"]),
    "its count by role": lambda f, _: _long(f).count(),
    "its info": lambda f, _: _long(f).info(),
    "the user's last 20 threads": lambda f, _: f.memory.history.threads(Owner(_TENANT, "many"), limit=20),
    "a fork of its first 50": lambda f, n: _long(f).fork(f"fork{n}", at_seq=50),
    "clear a short thread": lambda f, n: f.memory.thread(tenant=_TENANT, user="many", thread=f"t{n % 900}").clear(),
    "add a memory": lambda f, n: f.memory.user(tenant=_TENANT, user=f"u{n % 10}").add(f"Le gusta el color {n}"),
    "list 20 memories": lambda f, n: f.memory.user(tenant=_TENANT, user=f"u{n % 10}").list(limit=20),
    "search a user's 100 memories": lambda f, n: f.memory.user(tenant=_TENANT, user=f"u{n % 10}").search(
        "¿Qué número le gusta?", limit=5
    ),
}


async def _fill(memory: Recuerdo, messages: int, others: int) -> _Filled:
    filled = _Filled(memory, messages)
    for _ in range(0, messages, _BATCH):
        await _long(filled).append(*(Message.user(TEXT) if n % 2 else Message.assistant(TEXT) for n in range(_BATCH)))
    for batch in range(0, others, _BATCH):
        await asyncio.gather(
            *(
                memory.thread(tenant=_TENANT, user="many", thread=f"t{number}").append(Message.user(TEXT))
                for number in range(batch, batch + _BATCH)
            )
        )
    for batch in range(0, others, _BATCH):
        await asyncio.gather(
            *(
                memory.user(tenant=_TENANT, user=f"u{number // _OF_A_USER}").add(f"Le gusta el número {number}")
                for number in range(batch, batch + _BATCH)
            )
        )
    return filled


async def _measure(kind: str, size: int, others: int, folder: str) -> None:
    async with AsyncExitStack() as stack:
        filled: list[_Filled] = []
        urls: list[str] = []
        for number in (size, _SMALL):
            opened = nullcontext(f"sqlite:///{folder}/{number}.db") if kind == "sqlite" else postgres_url()
            urls.append(stack.enter_context(opened))
            memory = await stack.enter_async_context(
                Recuerdo.open(urls[-1], embeddings="none", spool=f"{folder}/spool{number}")
            )
            filled.append(await _fill(memory, number, min(number, others)))
            if kind == "postgres":
                async with await psycopg.AsyncConnection.connect(urls[-1], autocommit=True) as connection:
                    await connection.execute("VACUUM ANALYZE")  # as autovacuum does soon
            print(f"filled {number:,}", file=sys.stderr, flush=True)
        print(HEAD, flush=True)
        for name, operation in OPERATIONS.items():
            turns = [_turns(operation, each) for each in filled]
            try:
                found = await compare(*turns, rounds=5, turns=10)
            except Exception as error:
                print(f"{name}: {error!r}", file=sys.stderr)
                continue
            print(as_row(found.measurement(f"growth {kind}", name, f"of {_SMALL:,}", _GOAL)), flush=True)
        if kind == "postgres":
            async with await psycopg.AsyncConnection.connect(urls[0]) as connection:
                _print_bytes(await (await connection.execute(_TABLES_OF_POSTGRES)).fetchall())
    if kind == "sqlite":
        with closing(sqlite3.connect(f"{folder}/{size}.db")) as database:
            _print_bytes(database.execute(_TABLES_OF_SQLITE).fetchall())


def _turns(operation: Operation, filled: _Filled) -> Callable[[], Awaitable[object]]:
    numbers = count()
    return lambda: operation(filled, next(numbers))


def _print_bytes(rows: list[tuple[str, int]]) -> None:
    print("\n| table or index | stored |\n|---|---:|")
    for name, stored in rows:
        print(f"| {name} | {stored / 2**20:.1f} MB |")


if __name__ == "__main__":
    with TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        kinds = [each for each in sys.argv[1:] if each in ("sqlite", "postgres")]
        sizes = [int(each) for each in sys.argv[1:] if each.isdigit()]
        asyncio.run(_measure((kinds or ["sqlite"])[0], *(sizes + [100_000] * 2)[:2], folder))
