"""Long-term memories: extracting, saving and searching them, at 10,000 memories of one user and 1,000,000 of many."""

import itertools
import json
import sqlite3
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any
from uuid import UUID

import msgspec
import numpy as np
import psycopg
from langgraph.store.postgres.aio import AsyncPostgresStore

from benchmarks import mem0_memory
from benchmarks.rounds import Contestant, Measurement, compare_each
from benchmarks.servers import postgres_url
from recuerdo import Recuerdo
from recuerdo.adapters.postgres import PostgresDatabase, PostgresMemories
from recuerdo.core.memories import Embedding, Memory
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from recuerdo.memories import Memories
from recuerdo.memories.extract import by_detectors, listen
from recuerdo.testing.clock import NOON

TOPIC = "memories"
SERVED_TOPIC = "memories-postgres"
MANY, USERS = 10_000, 10_000
DIMS = 512
_SAID = (
    "Hola, me llamo Emiliano y trabajo en Data Oilers",
    "¿Qué tiempo hace mañana en Buenos Aires?",
    "Prefiero respuestas cortas, y no me gusta el café",
    "não moro mais em Lisboa, agora moro no Porto",
    "My sister Ana has two dogs and lives in Lima",
)
_THINGS = ["el mate", "the sea", "o fado", "jazz", "los trenes", "cycling", "a praia", "chess", "el vino", "gardens"]
_COLUMNS = 'tenant, "user", id, kind, attribute, value, text, source, trust, created_at, updated_at, embedder, vector'


class Directions:
    """An embedding model that takes no time: what is measured is the search."""

    name = "directions"

    def __init__(self, dims: int) -> None:
        self._vectors = [Embedding(self.name, each.tobytes()) for each in _vectors(64, dims)]

    async def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return [self._vectors[len(text) % 64] for text in texts]

    def floats(self, text: str) -> list[float]:
        """The vector of a text, as the peers want it."""
        return np.frombuffer(self._vectors[len(text) % 64].vector, "<f4").tolist()


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """On SQLite, with the offline embedding model where a query needs one."""
    samples = 2000 if full else 500
    lines = [
        Measurement(TOPIC, "extract from a message, with the tagger", _extracting(listen, samples)),
        Measurement(TOPIC, "the same by the detectors alone", _extracting(by_detectors, samples), goal_seconds=1e-3),
    ]
    async with _sqlite(folder) as memory:
        saving = await _taken(_saving(memory), samples // 5)
        lines.append(Measurement(TOPIC, "save a memory, vector later", saving, goal_seconds=5e-3))
        for case, limits in (("search 10,000 memories of a user", {}), ("the same, of one kind", {"kind": "episodic"})):
            taken = await _taken(_searching(memory.memories, ["emi"], **limits), samples // 5)
            lines.append(Measurement(TOPIC, case, taken, goal_seconds=10e-3))
    return lines


async def measure_on_postgres(folder: Path, *, full: bool) -> list[Measurement]:
    """Beside LangGraph's store and mem0 with the same vectors; `full` adds a million memories of 10,000 users."""
    lines: list[Measurement] = []
    cases = [(1, MANY, DIMS)] + ([(USERS, 100 * USERS, 128)] if full else [])
    for users, count, dims in cases:
        async with _postgres(folder, users, count, dims) as contestants:
            ours, theirs = contestants.pop("recuerdo"), contestants
            case = f"search {count:,} memories of {f'{users:,} users' if users > 1 else 'a user'}"
            for peer, compared in (await compare_each(ours, theirs, rounds=10, turns=20)).items():
                line = compared.measurement(SERVED_TOPIC, case, peer)
                lines.append(line._replace(goal_seconds=10e-3 if users == 1 else 15e-3))
    return lines


def _extracting(hear: Callable[[str], object], samples: int) -> float:
    """Seconds for a message that was not heard before."""
    taken: list[float] = []
    for number in range(samples):
        start = time.perf_counter()
        hear(f"{_SAID[number % len(_SAID)]} ({number})")
        taken.append(time.perf_counter() - start)
    return median(taken)


async def _taken(contestant: Contestant, samples: int) -> float:
    taken: list[float] = []
    for _ in range(samples + 10):
        start = time.perf_counter()
        await contestant()
        taken.append(time.perf_counter() - start)
    return median(taken[10:])


def _saving(memory: Recuerdo) -> Contestant:
    turn = itertools.count()

    async def save() -> None:
        user = memory.user(tenant="acme", user=f"new-{next(turn) % 50}")
        await user.add(f"Le gusta {_THINGS[next(turn) % 10]} número {next(turn)}")

    return save


def _searching(memories: Memories, users: Iterable[str], **limits: Any) -> Contestant:
    turn, names = itertools.count(), itertools.cycle(users)

    async def search() -> None:
        owner = Owner("acme", next(names))
        await memories.search(owner, f"¿le gusta {_THINGS[next(turn) % 10]}?", limit=5, **limits)

    return search


def _searching_store(store: AsyncPostgresStore, users: Iterable[str]) -> Contestant:
    turn, names = itertools.count(), itertools.cycle(users)

    async def search() -> None:
        await store.asearch(("acme", next(names)), query=f"¿le gusta {_THINGS[next(turn) % 10]}?", limit=5)

    return search


def _searching_mem0(memory: Any, users: Iterable[str]) -> Contestant:
    turn, names = itertools.count(), itertools.cycle(users)

    async def search() -> None:
        query = f"¿le gusta {_THINGS[next(turn) % 10]}?"
        await memory.search(query, filters={"user_id": next(names)}, top_k=5)

    return search


@asynccontextmanager
async def _sqlite(folder: Path) -> AsyncGenerator[Recuerdo]:
    file = folder / "memories.db"
    async with Recuerdo.open(f"sqlite:///{file}", embeddings="offline") as memory:
        await memory.memories.import_lines(Owner("acme", "emi"), _lines(MANY))
        model = memory.embeddings
        with sqlite3.connect(file) as connection:
            ids = [row[0] for row in connection.execute("SELECT id FROM memories")]
            rows = zip(map(np.ndarray.tobytes, _vectors(MANY, DIMS)), ids, strict=True)
            connection.executemany(f"UPDATE memories SET embedder = '{model}', vector = ? WHERE id = ?", rows)
        yield memory


async def _lines(count: int) -> AsyncGenerator[bytes]:
    owner = Owner("acme", "emi")
    for number in range(count):
        kind: Any = "episodic" if number % 10 == 0 else "semantic"
        times = {"created_at": NOON, "updated_at": NOON}
        yield msgspec.json.encode(Memory(id=f"{number:06}", owner=owner, text=_text(number), kind=kind, **times))


@asynccontextmanager
async def _postgres(folder: Path, users: int, count: int, dims: int) -> AsyncGenerator[dict[str, Contestant]]:
    """The systems that search the same memories, each in a database of its own; the users ask in turn, far apart."""
    vectors, embedder = _vectors(1000, dims), Directions(dims)
    names = [f"u{number * 7919 % users}" for number in range(1000)]
    with postgres_url() as ours, postgres_url() as theirs, postgres_url() as mem0s:
        async with (
            PostgresDatabase.open(ours) as database,
            AsyncPostgresStore.from_conn_string(theirs, index=_their_index(embedder, dims)) as store,
            mem0_memory.opened(mem0s, folder, dims, embedder.floats) as memory,
        ):
            await store.setup()
            if users > 1:  # they would take an hour to fill, and 100 vectors of a user are compared without them
                _execute(theirs, "DROP INDEX store_vectors_embedding_idx")
                _execute(mem0s, f"DROP INDEX {mem0_memory.TABLE}_hnsw_idx")
                _execute(
                    mem0s, f"CREATE INDEX ON {mem0_memory.TABLE} ((payload->>'user_id'))"
                )  # else it reads everything
            _copy(ours, f"COPY recuerdo.memories ({_COLUMNS}) FROM STDIN", _our_rows(users, count, vectors))
            _copy(theirs, "COPY store (prefix, key, value) FROM STDIN", _their_rows(users, count))
            _copy(
                theirs,
                "COPY store_vectors (prefix, key, field_name, embedding) FROM STDIN",
                _their_vectors(users, count, vectors),
            )
            _copy(
                mem0s, f"COPY {mem0_memory.TABLE} (id, vector, payload) FROM STDIN", _mem0_rows(users, count, vectors)
            )
            for url, table in (
                *((ours, "recuerdo.memories"), (theirs, "store"), (theirs, "store_vectors")),
                (mem0s, mem0_memory.TABLE),
            ):  # else those that were filled first wait for the disk, and the last one does not
                _execute(url, f"SELECT sum(pg_column_size(t)) FROM {table} AS t")
            yield {
                "recuerdo": _searching(Memories(PostgresMemories(database), embedder, utc_now), names),
                "AsyncPostgresStore": _searching_store(store, names),
                "mem0": _searching_mem0(memory, names),
            }


def _their_index(embedder: Directions, dims: int) -> Any:
    async def embed(texts: Sequence[str]) -> list[list[float]]:
        return [embedder.floats(text) for text in texts]

    return {"dims": dims, "embed": embed}


def _execute(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement.encode())


def _copy(url: str, statement: str, rows: Iterator[Any]) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        with connection.cursor().copy(statement.encode()) as copy:
            for row in rows:
                copy.write_row(row)
        connection.execute("VACUUM ANALYZE")


def _our_rows(users: int, count: int, vectors: Any) -> Iterator[Any]:
    for number in range(count):
        vector = "{" + ",".join(map(repr, vectors[number % 1000].tolist())) + "}"
        head = ("acme", f"u{number % users}", f"{number:07}", "semantic", None, None, _text(number))
        yield (*head, '{"author":"user"}', 1.0, NOON, NOON, Directions.name, vector)


def _their_rows(users: int, count: int) -> Iterator[Any]:
    return ((f"acme.u{number % users}", str(number), json.dumps({"text": _text(number)})) for number in range(count))


def _their_vectors(users: int, count: int, vectors: Any) -> Iterator[Any]:
    for number in range(count):
        yield f"acme.u{number % users}", str(number), "$", json.dumps(vectors[number % 1000].tolist())


def _mem0_rows(users: int, count: int, vectors: Any) -> Iterator[Any]:
    for number in range(count):
        text = _text(number)
        payload = {"user_id": f"u{number % users}", "data": text, "text_lemmatized": text, "role": "user"}
        yield str(UUID(int=number)), json.dumps(vectors[number % 1000].tolist()), json.dumps(payload)


def _text(number: int) -> str:
    return f"A la persona {number % 997} le gusta {_THINGS[number % 10]} desde hace {number % 89} años"


def _vectors(count: int, dims: int) -> Any:
    numbers = np.random.default_rng(3).normal(size=(count, dims))
    return (numbers / np.linalg.norm(numbers, axis=1, keepdims=True)).astype("<f4")
