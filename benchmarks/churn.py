"""Retention, erasure and a day of changes in a large PostgreSQL: how long they take, what others notice, what is left.

    python -m benchmarks.churn                # 1,000,000 messages in 10,000 threads of 100 users
    python -m benchmarks.churn 2000           # fewer threads

Half of the threads are old, and retention removes them; then a quarter of the users are erased, one after the other;
then a day: appends to all threads that are left, some of which are archived, cleared or deleted, and graphs with
checkpoints, of which the latest are kept. Another tenant appends and reads windows meanwhile, one after the other.
"""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg

from benchmarks.graphs import build, human
from benchmarks.million import LENGTH, fill_threads
from benchmarks.neighbour import HEAD_OF_NEIGHBOUR, running_neighbour
from benchmarks.raw_postgres import TENANT
from benchmarks.servers import postgres_url
from recuerdo import Message, Recuerdo
from recuerdo.core.retention import RetentionPolicy
from recuerdo.integrations.langgraph import RecuerdoSaver

_TEXT = "x" * 200
_AT_ONCE = 16
_TURNS = 20
_AGE_HALF = (
    "UPDATE recuerdo.threads SET created_at = now() - interval '90 days', updated_at = now() - interval '90 days'"
    " WHERE tenant = %s AND substr(thread, 3)::int > %s"
)
_SIZES = (
    "SELECT pg_class.relname, pg_table_size(oid) / 1e6, pg_indexes_size(oid) / 1e6, n_live_tup, n_dead_tup,"
    " autovacuum_count"
    " FROM pg_class JOIN pg_stat_user_tables ON relid = oid WHERE relnamespace = 'recuerdo'::regnamespace"
    " ORDER BY pg_total_relation_size(oid) DESC LIMIT 8"
)


async def _retain(memory: Recuerdo) -> None:
    async for _ in memory.maintenance.apply(RetentionPolicy.parse("threads=30d")):
        pass


async def _erase(memory: Recuerdo, users: Sequence[int]) -> None:
    for user in users:
        receipt = await memory.user(tenant=TENANT, user=f"user-{user}").erase()
        assert receipt.complete


async def _live_a_day(memory: Recuerdo, url: str, threads: Sequence[int]) -> None:
    await _each(threads, lambda number: _use(memory, number))
    async with RecuerdoSaver.from_conn_string(url, tenant=TENANT, user="graphs") as saver:
        graph: Any = build(saver)
        for _ in range(_TURNS):
            await _each(range(200), lambda number: graph.ainvoke({"messages": [human()]}, _config(number)))
        await saver.aprune([f"g-{number}" for number in range(200)], strategy="keep_latest")


def _config(number: int) -> dict[str, Any]:
    return {"configurable": {"thread_id": f"g-{number}"}}


async def _use(memory: Recuerdo, number: int) -> None:
    thread = memory.thread(tenant=TENANT, user=f"user-{number // LENGTH}", thread=f"t-{number}")
    for _ in range(_TURNS):
        await thread.append(Message.user(_TEXT), Message.assistant(_TEXT))
    if number % 4 == 0:
        await thread.archive(first=1, last=LENGTH // 2)
    elif number % 10 == 1:
        await thread.clear()
    elif number % 10 == 3:
        await thread.delete()


async def _each(numbers: Sequence[int], work: Any) -> None:
    for start in range(0, len(numbers), _AT_ONCE):
        await asyncio.gather(*map(work, numbers[start : start + _AT_ONCE]))


async def _vacuum(url: str) -> None:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute("VACUUM ANALYZE")


async def _print_sizes(url: str, when: str) -> None:
    print(f"\n{when}\n\n| table | MB | indexes, MB | rows | dead | autovacuums |\n|---|---:|---:|---:|---:|---:|")
    async with await psycopg.AsyncConnection.connect(url) as connection:
        await connection.execute("SELECT pg_stat_force_next_flush()")
        for name, table, indexes, *counts in await (await connection.execute(_SIZES)).fetchall():
            print(f"| {name} | {table:.0f} | {indexes:.0f} | {' | '.join(map(str, counts))} |", flush=True)


async def _measure(threads: int, folder: str) -> None:
    with postgres_url() as url:
        async with Recuerdo.open(url, embeddings="none", spool=f"{folder}/spool") as memory:
            fill_threads(url, threads)
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(_AGE_HALF.encode(), [TENANT, threads // 2])
            await _vacuum(url)
            await _print_sizes(url, "Full")
            users = range(threads // 2 // LENGTH // 2)
            first_left = users[-1] * LENGTH + LENGTH
            print(f"\n{HEAD_OF_NEIGHBOUR}")
            async with running_neighbour(memory) as neighbour:
                await neighbour.meanwhile("nothing", asyncio.sleep(10))
                await neighbour.meanwhile(f"retention of {threads // 2:,} threads", _retain(memory))
                await neighbour.meanwhile(f"erasure of {len(users)} users", _erase(memory, users))
                await neighbour.meanwhile("VACUUM", _vacuum(url))
                await _print_sizes(url, "Behind retention, erasure and VACUUM")
                day = _live_a_day(memory, url, range(first_left, threads // 2))
                await neighbour.meanwhile("a day", day)
                await _print_sizes(url, "Behind the day")
                await neighbour.meanwhile("VACUUM", _vacuum(url))
                await _print_sizes(url, "Behind VACUUM")


if __name__ == "__main__":
    with TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        asyncio.run(_measure(int(sys.argv[1]) if sys.argv[1:] else 10_000, folder))
