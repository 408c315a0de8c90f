"""128 writers at once, over 128 threads and on a hot one, beside inserts that are committed one by one."""

from pathlib import Path

from psycopg_pool import AsyncConnectionPool

from benchmarks.crowds import WRITERS, Writer, compare_crowds
from benchmarks.raw import TEXT, RawHistory
from benchmarks.raw_postgres import RawPostgres
from benchmarks.rounds import Measurement
from benchmarks.servers import postgres_url
from recuerdo import Message, Recuerdo

TOPIC = "writers"
_POOL = 32


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """Both databases; messages of 200 characters."""
    rounds = 20 if full else 6
    return [*await _on_postgres(folder, rounds), *await _on_sqlite(folder, rounds)]


async def _on_postgres(folder: Path, rounds: int) -> list[Measurement]:
    peer = f"psycopg inserts through a pool of {_POOL}"
    with postgres_url() as url:
        async with (
            Recuerdo.open(url, embeddings="none", spool=f"{folder}/spool") as memory,
            RawPostgres.open(url, len(TEXT)) as raw,
            AsyncConnectionPool(url, kwargs={"autocommit": True}, min_size=_POOL, open=False) as pool,
        ):
            await raw.settle()
            spread, hot = _writers(memory)

            async def insert(number: int) -> None:
                await raw.insert_pooled(pool, number + 1)

            async def insert_hot(_: int) -> None:
                await raw.insert_pooled(pool, 1)

            return [
                *await compare_crowds(TOPIC, "PostgreSQL, 128 threads", spread, peer, insert, rounds),
                *await compare_crowds(TOPIC, "PostgreSQL, one thread", hot, peer, insert_hot, rounds),
            ]


async def _on_sqlite(folder: Path, rounds: int) -> list[Measurement]:
    peer = "sqlite3 inserts, a commit each"
    async with Recuerdo.open(f"sqlite:///{folder}/writers.db", embeddings="none", spool=f"{folder}/spool") as memory:
        with (
            RawHistory.open(folder / "writers-raw.db", threads=WRITERS) as raw,
            RawHistory.open(folder / "writers-raw-hot.db") as raw_hot,
        ):
            spread, hot = _writers(memory)

            async def insert(_: int) -> None:
                raw.insert_blocking()

            async def insert_hot(_: int) -> None:
                raw_hot.insert_blocking()

            return [
                *await compare_crowds(TOPIC, "SQLite, 128 threads", spread, peer, insert, rounds),
                *await compare_crowds(TOPIC, "SQLite, one thread", hot, peer, insert_hot, rounds),
            ]


def _writers(memory: Recuerdo) -> tuple[Writer, Writer]:
    threads = [memory.thread(tenant="acme", user="emi", thread=f"t-{number}") for number in range(WRITERS)]

    async def append(number: int) -> None:
        await threads[number].append(Message.user(TEXT))

    async def append_hot(_: int) -> None:
        await threads[0].append(Message.user(TEXT))

    return append, append_hot
