"""Appends and windows on PostgreSQL, beside psycopg itself."""

from pathlib import Path

from benchmarks.raw_postgres import RawPostgres
from benchmarks.rounds import Contestant, Measurement, compare
from benchmarks.servers import postgres_url
from benchmarks.threads import LENGTHS, SIZES, appending, named, thread_of
from recuerdo import MessageWindow, Recuerdo
from recuerdo.core.threads import Consistency, MessageQuery
from recuerdo.history import ThreadHistory

TOPIC = "postgres"
_INSERT, _SELECT = "psycopg insert, autocommit", "psycopg select of 50"


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """Each message size, on threads of each length."""
    rounds = 30 if full else 8
    measured: list[Measurement] = []
    with postgres_url() as url:
        async with Recuerdo.open(url, embeddings="none", spool=f"{folder}/spool") as memory:
            for size in SIZES:
                async with RawPostgres.open(url, size) as raw:
                    threads = {length: await thread_of(memory, length, size) for length in LENGTHS}
                    for length in LENGTHS:
                        await raw.fill(_epoch(length, size), length)
                    await raw.settle()
                    measured += await _appends(threads, raw, size, rounds)
                    measured += await _reads(memory, threads, raw, size, rounds)
    return measured


async def _appends(threads: dict[int, ThreadHistory], raw: RawPostgres, size: int, rounds: int) -> list[Measurement]:
    text, measured = "x" * size, list[Measurement]()
    for length, thread in threads.items():
        # The short threads grow meanwhile, which costs nothing: see the longest.
        found = await compare(appending(thread, text), raw.insert, rounds=rounds, turns=40)
        measured.append(found.measurement(TOPIC, f"append, {named(length, size)}", _INSERT, goal=1.3))
    thread = threads[LENGTHS[-1]]
    blocking = await compare(appending(thread, text), raw.insert_blocking, rounds=rounds, turns=40)
    many = await compare(appending(thread, text, 100), raw.insert_many, rounds=rounds, turns=5)
    return [
        *measured,
        blocking.measurement(TOPIC, f"append, {size:,} B", "the same, blocking its program"),
        many.measurement(TOPIC, f"append of 100, {size:,} B", "psycopg insert of 100 rows", goal=1.5),
    ]


async def _reads(
    memory: Recuerdo, threads: dict[int, ThreadHistory], raw: RawPostgres, size: int, rounds: int
) -> list[Measurement]:
    measured: list[Measurement] = []
    for length, thread in threads.items():
        select = _select(raw, _epoch(length, size))
        strong = await compare(_page(memory, thread, "strong"), select, rounds=rounds, turns=60)
        cached = await compare(_page(memory, thread, "cached"), select, rounds=rounds, turns=60)
        case = named(length, size)
        measured.append(strong.measurement(TOPIC, f"last 50, strong, {case}", _SELECT, goal=0.8))
        in_process = cached.measurement(TOPIC, f"last 50, cached in process, {case}", _SELECT)
        measured.append(in_process._replace(goal_seconds=10e-6))
    thread, epoch = threads[LENGTHS[-1]], _epoch(LENGTHS[-1], size)
    decoded = await compare(_window(thread), lambda: raw.select_decoded(epoch), rounds=rounds, turns=60)
    flat = await compare(_window(thread), _window(threads[100]), rounds=rounds, turns=60)
    return [
        *measured,
        decoded.measurement(TOPIC, f"MessageWindow(50), strong, {size:,} B", "the select and json.loads"),
        flat.measurement(TOPIC, f"MessageWindow(50) of 100,000, {size:,} B", "ours, of 100", goal=1.25),
    ]


def _epoch(length: int, size: int) -> int:
    return 10_000 * length + size


def _page(memory: Recuerdo, thread: ThreadHistory, consistency: Consistency) -> Contestant:
    query = MessageQuery(limit=50)

    async def read() -> None:
        page = await memory.history.page(thread.scope, query, consistency=consistency)
        assert page.records

    return read


def _select(raw: RawPostgres, epoch: int) -> Contestant:
    async def read() -> None:
        assert await raw.select(epoch)

    return read


def _window(thread: ThreadHistory) -> Contestant:
    policy = MessageWindow(50)

    async def read() -> None:
        assert len(await thread.window(policy)) == 50

    return read
