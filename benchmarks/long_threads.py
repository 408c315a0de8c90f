"""The cost of a LangGraph thread after a thousand real turns: on disk, to list, copy, prune and resume.

`python -m benchmarks.long_threads [sqlite|postgres] [delta] TURNS...` prints the bytes after each number of turns.
"""

import asyncio
import sqlite3
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from uuid import uuid4

import psycopg
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from benchmarks.graphs import build, human
from benchmarks.rounds import Measurement, compare
from benchmarks.servers import postgres_url
from recuerdo.integrations.langgraph import RecuerdoSaver

TOPIC = "checkpoints"
MILESTONES = (10, 100, 1000)
_LARGEST = 4_000_000
_QUICK = 0.05
_SAMPLES = 5


class Place(NamedTuple):
    """A database, and how many bytes it has on disk."""

    name: str
    url: str
    size: Callable[[], int]


@asynccontextmanager
async def places(folder: Path) -> AsyncGenerator[list[Place]]:
    """An empty database of each kind."""
    async with AsyncExitStack() as stack:
        path, url = folder / f"{uuid4().hex}.db", stack.enter_context(postgres_url())
        yield [
            Place("SQLite", f"sqlite:///{path}", lambda: _file_size(path)),
            Place("PostgreSQL", url, lambda: _tables_size(url)),
        ]


class Kind(NamedTuple):
    """How the thread is kept: its name in the table, whether by a DeltaChannel, and whether its history is kept too."""

    name: str
    delta: bool = False
    history: str | None = None


KINDS = (Kind("with its history", history="messages"), Kind("plain"), Kind("DeltaChannel", delta=True))
"""LangGraph's own savers keep no history, so that the goals for bytes hold without one."""


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """Both databases, and all kinds for the bytes."""
    found: list[Measurement] = []
    for kind in KINDS:
        async with places(folder) as both:
            for place in both:
                found += await _grow_and_keep(folder, place, kind, full=full)
    return found


async def _grow_and_keep(folder: Path, place: Place, kind: Kind, *, full: bool) -> list[Measurement]:
    async with RecuerdoSaver.from_conn_string(place.url, history=kind.history) as saver:
        sizes = [await each async for each in _growing(saver, place, MILESTONES, delta=kind.delta)]
        found = _on_disk(f"{place.name}, {kind.name}", sizes, goal=None if kind.history else 1.0)
        if kind.history:
            found += await _kept(folder, place, saver, full=full)
    return found


async def _growing(
    saver: RecuerdoSaver, place: Place, milestones: Sequence[int], *, delta: bool
) -> AsyncGenerator[Awaitable[int]]:
    """The bytes after each number of turns; each turn is a run of its own."""
    graph, before = build(saver, delta=delta), place.size()
    for number in range(1, max(milestones) + 1):
        config: Any = {"configurable": {"thread_id": "t"}, "metadata": {"run_id": f"run-{number}"}}
        await graph.ainvoke({"messages": [human()]}, config, durability="async")
        if number in milestones:
            yield _less(before, place)


async def _less(before: int, place: Place) -> int:
    return await asyncio.to_thread(place.size) - before


def _on_disk(name: str, sizes: Sequence[int], goal: float | None) -> list[Measurement]:
    """A turn's bytes late and early, and all of them."""
    first, second, third = MILESTONES
    early, late = (sizes[1] - sizes[0]) / (second - first), (sizes[2] - sizes[1]) / (third - second)
    since = f"{name}: bytes of a turn, {second:,} to {third:,}"
    return [
        Measurement(TOPIC, since, late, f"{first:,} to {second:,}", early, late / early, goal=1.1, unit="B"),
        Measurement(
            TOPIC,
            f"{name}: bytes at turn {third:,}",
            sizes[2] / 1e3,
            "4 MB",
            _LARGEST / 1e3,
            sizes[2] / _LARGEST,
            goal=goal,
            unit="kB",
        ),
    ]


async def _kept(folder: Path, place: Place, saver: RecuerdoSaver, *, full: bool) -> list[Measurement]:
    found = [await _listed(place, saver, full=full), await _resumed(folder, place, full=full)]
    for name, once in (
        ("delete_for_runs", lambda number: saver.adelete_for_runs([f"run-{100 + number}"])),
        ("copy_thread", lambda number: saver.acopy_thread("t", f"copy-{number}")),
        ("prune", lambda number: saver.aprune([f"copy-{number}"])),
    ):
        taken = [await _timed(once(number)) for number in range(_SAMPLES)]
        found.append(Measurement(TOPIC, f"{name} of 1,000 turns on {place.name}", median(taken), goal_seconds=_QUICK))
    return found


async def _timed(awaitable: Awaitable[object]) -> float:
    start = time.perf_counter()
    await awaitable
    return time.perf_counter() - start


async def _listed(place: Place, saver: RecuerdoSaver, *, full: bool) -> Measurement:
    """Ten checkpoints of the thread, beside one."""
    config: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}

    async def read_ten() -> None:
        assert len([each async for each in saver.alist(config, limit=10)]) == 10

    async def read_one() -> None:
        assert await saver.aget_tuple(config)

    taken = await compare(read_ten, read_one, rounds=12 if full else 4, turns=5)
    return taken.measurement(TOPIC, f"alist of 10 at turn 1,000 on {place.name}", "our aget_tuple", goal=2.0)


async def _resumed(folder: Path, place: Place, *, full: bool) -> Measurement:
    """The whole thread for a process that knows nothing of it, beside its messages as rows that LangGraph packed."""
    config: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    async with RecuerdoSaver.from_conn_string(place.url, user="emi") as saver:
        messages = (await saver.aget_tuple(config)).checkpoint["channel_values"]["messages"]
        raw = _raw(folder, place, messages)

        async def resume() -> None:
            saver._checkpoints._threads.clear()  # pyright: ignore - as in a process that has just begun
            assert await saver.aget_tuple(config)

        taken = await compare(resume, raw, rounds=12 if full else 4, turns=3)
    return taken.measurement(TOPIC, f"resume at turn 1,000 on {place.name}", "raw select and decode", goal=1.2)


def _raw(folder: Path, place: Place, messages: Sequence[HumanMessage]) -> Callable[[], Awaitable[None]]:
    serde = JsonPlusSerializer()
    rows = [(number, *serde.dumps_typed(each)) for number, each in enumerate(messages)]
    if place.name == "SQLite":
        connection: Any = sqlite3.connect(folder / f"{uuid4().hex}.db")
        connection.execute("CREATE TABLE raw (number INTEGER PRIMARY KEY, type TEXT, data BLOB)")
        connection.executemany("INSERT INTO raw VALUES (?, ?, ?)", rows)
        connection.commit()
    else:
        connection = psycopg.connect(place.url, autocommit=True)
        connection.execute("CREATE TABLE raw (number int PRIMARY KEY, type text, data bytea)")
        connection.cursor().executemany("INSERT INTO raw VALUES (%s, %s, %s)", rows)

    async def read() -> None:
        found = connection.execute("SELECT type, data FROM raw ORDER BY number").fetchall()
        assert len([serde.loads_typed(each) for each in found]) == len(messages)

    return read


def _file_size(path: Path) -> int:
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.stat().st_size


def _tables_size(url: str) -> int:
    """Of all tables with their indexes, and what was put beside them."""
    with psycopg.connect(url) as connection:
        [(size,)] = connection.execute(
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class AS c"
            " WHERE c.relkind = 'r' AND c.relnamespace = 'recuerdo'::regnamespace"
        ).fetchall()
    return size


async def print_sizes(folder: Path, kind: str, milestones: Sequence[int], *, delta: bool) -> None:
    """A line of the table for each of these numbers of turns, of a thread without a history."""
    async with places(folder) as both:
        place = next(each for each in both if each.name.lower().startswith(kind))
        async with RecuerdoSaver.from_conn_string(place.url, history=None) as saver:
            last, size = 0, 0
            reached = iter(sorted(milestones))
            async for each in _growing(saver, place, milestones, delta=delta):
                turns, now = next(reached), await each
                print(f"| {turns:,} | {now:,} | {(now - size) / (turns - last):,.0f} |", flush=True)
                last, size = turns, now


def main(words: Sequence[str]) -> None:
    """Read what is asked for, and print it."""
    turns = [int(word) for word in words if word.isdigit()] or [10, 100, 1000, 3000]
    kind = "postgres" if "postgres" in words else "sqlite"
    with TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as here:
        asyncio.run(print_sizes(Path(here), kind, turns, delta="delta" in words))


if __name__ == "__main__":
    main(sys.argv[1:])
