"""A million messages over ten thousand threads on one PostgreSQL, beside a database that is nearly empty."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psycopg

from benchmarks.raw_postgres import TENANT
from benchmarks.rounds import Contestant, Measurement, compare
from benchmarks.servers import postgres_url
from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.history import ThreadHistory

TOPIC = "million"
THREADS = 10_000
LENGTH = 100
_WARM = 40
"""Threads that are read again and again, of which the process has the messages."""

_TEXT = "x" * 200
_BODY = json.dumps({"role": "user", "content": _TEXT, "id": "%s", "created_at": "2026-11-21T12:00:00.123456Z"})

_FILL = (
    'INSERT INTO recuerdo.threads (tenant, "user", thread, epoch, last_seq, title, created_at, updated_at)'
    " SELECT %(tenant)s, 'user-' || number / 100, 't-' || number, nextval('recuerdo.epochs'), %(length)s, 'x',"
    " now(), now() FROM generate_series(1, %(threads)s) AS number",
    "INSERT INTO recuerdo.messages (tenant, epoch, seq, id, role, created_at, body)"
    " SELECT tenant, epoch, seq, md5(epoch || '.' || seq)::uuid::text, 'user', now(),"
    " format(%(body)s::text, md5(epoch || '.' || seq)::uuid)"
    " FROM recuerdo.threads, generate_series(1, %(length)s) AS seq",
    "VACUUM ANALYZE recuerdo.threads",
    "VACUUM ANALYZE recuerdo.messages",
)
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
            fill(large_url, THREADS)
            fill(small_url, 10)
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


def fill(url: str, threads: int) -> None:
    """A tenant with so many threads of 100 messages, by the thousands a second."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in _FILL:
            parameters = {"tenant": TENANT, "threads": threads, "length": LENGTH, "body": _BODY}
            connection.execute(statement.encode(), parameters if "%(" in statement else None)


def _bytes(url: str) -> Measurement:
    with psycopg.connect(url) as connection:
        [(raw, stored)] = connection.execute(_BYTES).fetchall()
    return Measurement(TOPIC, "a message on disk, with its indexes", stored, "its JSON", raw, stored / raw, unit="B")


def _appends(memory: Recuerdo, threads: int) -> Contestant:
    numbers = _scattered(threads)

    async def append() -> None:
        await _thread(memory, next(numbers)).append(Message.user(_TEXT))

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
