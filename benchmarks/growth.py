"""The cost of each operation in a large database, beside the same one in a small database, and where the bytes are.

    python -m benchmarks.growth                             # SQLite, 100,000 messages beside 1,000
    python -m benchmarks.growth postgres 10000000 1000000   # PostgreSQL, 10,000,000 messages, 1,000,000 memories
    python -m benchmarks.growth postgres whole 1000000 100000

A tenth of the messages are in one thread, at most 1,000,000; one user has a thread for each hundred messages; the rest
are in threads of 100, of which each user has 100. Each user who has memories has 100. The rows are written past the
library. A cost of more than 1.3 times is marked as missed. Then three tenants of 20,000 messages each meet retention,
an erasure and a rebuild of the cache in both databases; with `whole` the large tenant is erased at last, for half an
hour at most.
"""

import asyncio
import sqlite3
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, closing, nullcontext
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import psycopg

from benchmarks.raw import TEXT
from benchmarks.rounds import compare
from benchmarks.rows import MemoryRows, ThreadRows, fill
from benchmarks.servers import postgres_url
from benchmarks.table import HEAD, as_row
from benchmarks.upkeep import LENGTH, SmallTenants, print_upkeep, print_whole_erasure
from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.core.scope import Owner, Scope
from recuerdo.history import ThreadHistory
from recuerdo.memories.user import UserMemory

_GOAL = 1.3
_SMALL = 1_000
_LONGEST = 1_000_000
_OF_A_USER = 100
_TENANT = "acme"
_WHOLE_SECONDS = 1800
_REST = 15
"""Seconds behind a failure: a database that did not answer in time is not asked for a moment, also by what follows."""
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


def _many(filled: _Filled) -> UserMemory:
    return filled.memory.user(tenant=_TENANT, user="many")


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
    "the user's last 20 messages by time": lambda f, _: _many(f).messages(limit=20),
    "a search of the messages of the user's threads": lambda f, _: _many(f).search_history("xylophon", limit=5),
    "a search of another user's 100 messages": lambda f, _: f.memory.user(tenant=_TENANT, user="one").search_history(
        "xylophon", limit=5
    ),
    "the tenant's first 20 users": lambda f, _: f.memory.erasures.users(_TENANT, 20),
    "a fork of the long thread's first 50": lambda f, n: _long(f).fork(f"fork{n}", at_seq=50),
    "clear a short thread": lambda f, n: f.memory.thread(tenant=_TENANT, user="many", thread=f"t{n % 900}").clear(),
    "add a memory": lambda f, n: f.memory.user(tenant=_TENANT, user=f"u{n % 10}").add(f"Le gusta el color {n}"),
    "list 20 memories": lambda f, n: f.memory.user(tenant=_TENANT, user=f"u{n % 10}").list(limit=20),
    "search a user's 100 memories": lambda f, n: f.memory.user(tenant=_TENANT, user=f"u{n % 10}").search(
        "¿Qué número le gusta?", limit=5
    ),
}


class _Size(NamedTuple):
    """Messages of the long thread, threads of the one user, threads of 100 messages, and memories."""

    long: int
    many: int
    others: int
    memories: int

    @classmethod
    def of(cls, messages: int, memories: int) -> "_Size":
        long, many = max(_SMALL, min(messages // 10, _LONGEST)), max(_SMALL, messages // 100)
        return cls(long, many, max(0, messages - long - many) // LENGTH, memories)

    def threads(self) -> list[ThreadRows]:
        """The user who has many uses one a minute."""
        now, minute = datetime.now(UTC), timedelta(minutes=1)
        return [
            ThreadRows(Scope(_TENANT, "long", "long"), self.long),
            ThreadRows(Scope(_TENANT, "one", "one"), LENGTH),
            *(ThreadRows(Scope(_TENANT, f"o{n // _OF_A_USER}", f"o{n}"), LENGTH) for n in range(self.others)),
            *(ThreadRows(Scope(_TENANT, "many", f"t{n}"), 1, now - n * minute) for n in range(self.many)),
            *SmallTenants.now().threads,
        ]

    def owners(self) -> list[MemoryRows]:
        owners = [MemoryRows(Owner(_TENANT, f"u{n}"), _OF_A_USER) for n in range(self.memories // _OF_A_USER)]
        return owners + SmallTenants.now().memories


async def _fill(url: str, size: _Size, stack: AsyncExitStack, spool: str) -> _Filled:
    async with Recuerdo.open(url, embeddings="none", spool=spool):
        pass  # it makes the tables
    began, threads = time.perf_counter(), size.threads()
    fill(url, threads, size.owners())
    count = sum(each.length for each in threads)
    print(f"filled {count:,} in {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    return _Filled(await stack.enter_async_context(Recuerdo.open(url, embeddings="none", spool=spool)), size.long)


async def _measure(kind: str, messages: int, memories: int, folder: str, *, whole: bool) -> None:
    async with AsyncExitStack() as stack:
        filled: list[_Filled] = []
        urls: list[str] = []
        for name, size in ("large", _Size.of(messages, memories)), ("small", _Size(_SMALL, _SMALL, 0, _SMALL)):
            opened = nullcontext(f"sqlite:///{folder}/{name}.db") if kind == "sqlite" else postgres_url()
            urls.append(stack.enter_context(opened))
            filled.append(await _fill(urls[-1], size, stack, f"{folder}/spool-{name}"))
        print(HEAD, flush=True)
        for name, operation in OPERATIONS.items():
            turns = [_turns(operation, each) for each in filled]
            try:
                found = await compare(*turns, rounds=5, turns=10)
            except Exception as error:
                print(f"{name}: {error!r}", file=sys.stderr)
                await asyncio.sleep(_REST)
                continue
            print(as_row(found.measurement(f"growth {kind}", name, "the small database", _GOAL)), flush=True)
        if kind == "postgres":
            async with await psycopg.AsyncConnection.connect(urls[0]) as connection:
                _print_bytes(await (await connection.execute(_TABLES_OF_POSTGRES)).fetchall())
        await print_upkeep("The small database", filled[1].memory, urls[1])
        await print_upkeep("The large database", filled[0].memory, urls[0])
        if whole:
            await print_whole_erasure(filled[0].memory, _TENANT, _WHOLE_SECONDS)
    if kind == "sqlite":
        with closing(sqlite3.connect(f"{folder}/large.db")) as database:
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
        whole = "whole" in sys.argv
        asyncio.run(_measure((kinds or ["sqlite"])[0], *(sizes + [100_000, 10_000][len(sizes) :]), folder, whole=whole))
