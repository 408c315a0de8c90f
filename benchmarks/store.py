"""Searching a LangGraph store by meaning: ours and LangGraph's own on PostgreSQL, and how much of it they find."""

import json
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from langgraph.store.base import BaseStore
from langgraph.store.postgres.aio import AsyncPostgresStore

from benchmarks.rounds import Contestant, Measurement, compare
from benchmarks.servers import postgres_url
from recuerdo import Recuerdo
from recuerdo.integrations.langgraph import RecuerdoStore

TOPIC = "store"
DIMS = 256
ITEMS = 100_000
_NAMESPACES = 100
_QUERIES = 100
_WANTED = 5
_OURS = """
DROP INDEX recuerdo.store_entries_near_256;
COPY recuerdo.store_items (tenant, "user", namespace, key, value, created_at, updated_at) FROM STDIN;
COPY recuerdo.store_entries (tenant, "user", namespace, key, path, words, dims, vector) FROM STDIN"""
_THEIRS = """
DROP INDEX store_vectors_embedding_idx;
COPY store (prefix, key, value) FROM STDIN;
COPY store_vectors (prefix, key, field_name, embedding) FROM STDIN"""

Vectors = Any


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """100 namespaces of 1,000 items, and one of 100,000: the same vectors, in clusters, in both stores."""
    vectors = _vectors(ITEMS)
    queries = _near(vectors)
    lines: list[Measurement] = []
    for count in (_NAMESPACES, 1):
        async with _stores(vectors, queries, count) as (ours, theirs):
            case = (
                f"{count:,} namespaces of {ITEMS // count:,} items" if count > 1 else f"a namespace of {ITEMS:,} items"
            )
            turns = {"rounds": 30 if full else 10, "turns": 20}
            # First, so that what was filled first does not have to wait for the disk when it is timed.
            recalls = [await _recall(store, vectors, queries, count) for store in (ours, theirs)]
            compared = await compare(_searching(ours, count), _searching(theirs, count), **turns)
            lines.append(compared.measurement(TOPIC, f"the nearest 5: {case}", "AsyncPostgresStore", goal=0.6))
            lines.append(
                Measurement(TOPIC, f"found of the true 5: {case}", *_percent(recalls[0], recalls[1]), unit="%")
            )
    return lines


def _percent(ours: float, theirs: float) -> tuple[float, str, float]:
    return 100 * ours, "AsyncPostgresStore", 100 * theirs


def _vectors(count: int) -> Vectors:
    chance = np.random.default_rng(1)
    centres = chance.normal(size=(200, DIMS))
    return _unit(centres[chance.integers(0, 200, count)] + 0.8 * chance.normal(size=(count, DIMS)))


def _near(vectors: Vectors) -> Vectors:
    """Queries that are each near one of the vectors."""
    chance = np.random.default_rng(2)
    chosen = vectors[chance.integers(0, len(vectors), _QUERIES)]
    return _unit(chosen + chance.normal(size=chosen.shape) * 0.05)


def _unit(vectors: Vectors) -> Vectors:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype("<f4")


@asynccontextmanager
async def _stores(vectors: Vectors, queries: Vectors, count: int) -> AsyncGenerator[tuple[BaseStore, BaseStore]]:
    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [queries[int(text)].tolist() for text in texts]

    index: Any = {"dims": DIMS, "embed": embed}
    async with AsyncExitStack() as stack:
        our_url, their_url = (stack.enter_context(postgres_url()) for _ in range(2))
        memory = await stack.enter_async_context(Recuerdo.open(our_url, embeddings="none"))
        theirs = await stack.enter_async_context(AsyncPostgresStore.from_conn_string(their_url, index=index))
        await theirs.setup()
        _load(our_url, _OURS, _our_items(count), _our_entries(vectors, count), "recuerdo.store_entries_near_256")
        _load(their_url, _THEIRS, _their_items(count), _their_entries(vectors, count), "store_vectors_embedding_idx")
        yield RecuerdoStore(memory, tenant="acme", index=index), theirs


def _load(url: str, script: str, items: Iterator[Any], entries: Iterator[Any], index: str) -> None:
    """Rows first and the index behind them, which is quicker than row by row."""
    drop, copy_items, copy_entries = script.split(";")
    with psycopg.connect(url, autocommit=True) as connection:
        [(definition,)] = connection.execute("SELECT pg_get_indexdef(%s::regclass)", (index,)).fetchall()
        connection.execute(drop.encode())
        for statement, rows in ((copy_items, items), (copy_entries, entries)):
            with connection.cursor().copy(statement.encode()) as copy:
                for row in rows:
                    copy.write_row(row)
        connection.execute("SET maintenance_work_mem = '400MB'")
        connection.execute(definition)
        connection.execute("VACUUM ANALYZE")


def _our_items(count: int) -> Iterator[tuple[str, ...]]:
    for number in range(ITEMS):
        yield "acme", "", f"docs.n{number % count}.", f"k{number}", _value(number), "2026-01-01", "2026-01-01"


def _our_entries(vectors: Vectors, count: int) -> Iterator[tuple[object, ...]]:
    for number, vector in enumerate(vectors):
        yield "acme", "", f"docs.n{number % count}.", f"k{number}", "$", "", DIMS, json.dumps(vector.tolist())


def _their_items(count: int) -> Iterator[tuple[str, ...]]:
    for number in range(ITEMS):
        yield f"docs.n{number % count}", f"k{number}", _value(number)


def _their_entries(vectors: Vectors, count: int) -> Iterator[tuple[str, ...]]:
    for number, vector in enumerate(vectors):
        yield f"docs.n{number % count}", f"k{number}", "$", json.dumps(vector.tolist())


def _value(number: int) -> str:
    return json.dumps({"text": f"item {number}", "n": number})


def _searching(store: BaseStore, count: int) -> Contestant:
    turn = iter(range(10**9))

    async def search() -> None:
        number = next(turn) % _QUERIES
        await store.asearch(("docs", f"n{number % count}"), query=str(number), limit=_WANTED)

    return search


async def _recall(store: BaseStore, vectors: Vectors, queries: Vectors, count: int) -> float:
    """The share of the true nearest that the store finds."""
    found = 0
    for number, query in enumerate(queries):
        own = np.arange(number % count, ITEMS, count)
        nearest = own[np.argsort(-(vectors[own] @ query))[:_WANTED]]
        items = await store.asearch(("docs", f"n{number % count}"), query=str(number), limit=_WANTED)
        found += len({item.key for item in items} & {f"k{each}" for each in nearest})
    return found / (_WANTED * len(queries))
