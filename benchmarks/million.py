"""A million messages over ten thousand threads on one PostgreSQL, beside a database that is nearly empty."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psycopg

from benchmarks.raw import TEXT
from benchmarks.raw_postgres import TENANT
from benchmarks.rounds import Contestant, Measurement, compare
from benchmarks.rows import ThreadRows, fill
from benchmarks.servers import postgres_url
from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.core.scope import Scope
from recuerdo.history import ThreadHistory

TOPIC = "million"
THREADS = 10_000
LENGTH = 100
_WARM = 40
"""Threads that are read again and again, of which the process has the messages."""

_BYTES = (
    "SELECT sum(octet_length(body))::float / count(*), pg_total_relation_size('recuerdo.messages')::float / count(*)"
    " FROM recuerdo.messages"
)
_LAST_50 = (
    b"SELECT body FROM recuerdo.messages m JOIN recuerdo.threads t USING (tenant, epoch)"
    b' WHERE t.tenant = %s AND t."user" = %s AND t.thread = %s ORDER BY m.seq DESC LIMIT 50'
)


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """Appends and windows on random-looking threads of the large database, and the bytes that a message takes."""
    rounds = 30 if full else 10
    with postgres_url() as large_url, postgres_url() as small_url:
        async with (
            Recuerdo.open(large_url, embeddings="none", spool=f"{folder}/spool") as large,
            Recuerdo.open(small_url, embeddings="none", spool=f"{folder}/spool") as small,
        ):
            fill_threads(large_url, THREADS)
            fill_threads(small_url, 10)
            peer = "ours, of 1,000"
            append = await compare(_appends(large, THREADS), _appends(small, 10), rounds=rounds, turns=40)
            warm = await compare(_windows(large, _WARM), _windows(small, 10), rounds=rounds, turns=40)
            async with await psycopg.AsyncConnection.connect(large_url, autocommit=True) as raw:
                cold = await compare(_windows(large, THREADS), _selects(raw), rounds=rounds, turns=40)
        return [
            append.measurement(TOPIC, "append, of 1,000,000 messages", peer, goal=1.3),
            warm.measurement(TOPIC, "MessageWindow(50), read before, of 1,000,000 messages", peer, goal=1.3),
            cold.measurement(TOPIC, "the first MessageWindow(50) of a thread", "psycopg select of 50, there"),
            _bytes(large_url),
        ]


def fill_threads(url: str, threads: int) -> None:
    """A tenant with so many threads of 100 messages."""
    numbers = range(1, threads + 1)
    fill(url, [ThreadRows(Scope(TENANT, f"user-{number // 100}", f"t-{number}"), LENGTH) for number in numbers])


def _bytes(url: str) -> Measurement:
    with psycopg.connect(url) as connection:
        [(raw, stored)] = connection.execute(_BYTES).fetchall()
    return Measurement(TOPIC, "a message on disk, with its indexes", stored, "its JSON", raw, stored / raw, unit="B")


def _appends(memory: Recuerdo, threads: int) -> Contestant:
    numbers = _scattered(threads)

    async def append() -> None:
        await _thread(memory, next(numbers)).append(Message.user(TEXT))

    return append


def _windows(memory: Recuerdo, threads: int) -> Contestant:
    numbers, policy = _scattered(threads), MessageWindow(50)

    async def window() -> None:
        assert len(await _thread(memory, next(numbers)).window(policy)) == 50

    return window


def _selects(connection: psycopg.AsyncConnection) -> Contestant:
    numbers = _scattered(THREADS)

    async def select() -> None:
        number = next(numbers)
        cursor = await connection.execute(_LAST_50, (TENANT, f"user-{number // 100}", f"t-{number}"))
        assert len(await cursor.fetchall()) == 50

    return select


def _scattered(threads: int) -> Iterator[int]:
    """The numbers of all threads, again and again, neighbours far apart."""
    for number in count():
        yield number * 7919 % threads + 1


def _thread(memory: Recuerdo, number: int) -> ThreadHistory:
    return memory.thread(tenant=TENANT, user=f"user-{number // 100}", thread=f"t-{number}")
