"""Brief transactions of SQLite: in the event loop's own thread while that holds nobody up, else in another."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest

from recuerdo.adapters.sqlite import SqliteDatabase, SqliteHistory
from recuerdo.adapters.sqlite.connection import T, Work
from recuerdo.adapters.sqlite.passages import SqlitePassages
from recuerdo.core.errors import DatabaseUnavailable
from recuerdo.core.passages import MessagePlace, PassageVector
from recuerdo.core.scope import Owner
from recuerdo.testing.samples import fill

HERE = threading.get_ident()
SLOW = 0.02


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[SqliteDatabase]:
    async with SqliteDatabase.open(tmp_path / "recuerdo.db", busy_seconds=1.5) as database:
        await database.write(lambda connection: connection.execute("CREATE TABLE words (word TEXT)"))
        yield database


def say_where(_: sqlite3.Connection) -> bool:
    return threading.get_ident() == HERE


def be_slow(connection: sqlite3.Connection) -> bool:
    time.sleep(SLOW)
    return say_where(connection)


def write_word(connection: sqlite3.Connection) -> bool:
    connection.execute("INSERT INTO words VALUES ('hola')")
    return say_where(connection)


async def words(database: SqliteDatabase) -> int:
    return await database.read(lambda connection: connection.execute("SELECT count(*) FROM words").fetchone()[0])


async def settle(database: SqliteDatabase) -> None:
    """Let a worker tell that the disk is quick, which it may not be at once on a busy machine."""
    for _ in range(1000):
        if await database.read(say_where, brief=True):
            return
    pytest.fail("no brief transaction was done in the event loop's thread")


async def test_what_is_brief_is_done_in_the_event_loops_thread_and_the_rest_is_not(database: SqliteDatabase):
    await settle(database)
    assert not await database.read(say_where)


async def test_behind_a_slow_transaction_the_next_one_goes_to_a_worker(database: SqliteDatabase):
    await settle(database)
    await database.read(be_slow)
    assert not await database.read(say_where, brief=True)
    await settle(database)


async def test_no_transaction_waits_for_a_lock_in_the_event_loops_thread(database: SqliteDatabase, tmp_path: Path):
    with closing(sqlite3.connect(tmp_path / "recuerdo.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        asyncio.get_running_loop().call_later(0.05, other.execute, "COMMIT")
        assert not await database.write(write_word, brief=True)
    assert await words(database) == 1


async def test_a_lock_that_is_held_for_too_long_is_the_databases_failure(database: SqliteDatabase, tmp_path: Path):
    with closing(sqlite3.connect(tmp_path / "recuerdo.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseUnavailable, match="locked"):
            await database.write(write_word, brief=True)
    assert await words(database) == 0


async def test_of_a_brief_transaction_that_fails_nothing_remains(database: SqliteDatabase):
    def fail(connection: sqlite3.Connection) -> None:
        write_word(connection)
        raise KeyError

    for _ in range(20):
        with pytest.raises(KeyError):
            await database.write(fail, brief=True)
    assert await words(database) == 0


async def test_brief_writes_alone_bring_the_log_into_the_file(database: SqliteDatabase, tmp_path: Path):
    def write_much(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO words VALUES (?)", ("x" * 60_000,))

    for _ in range(600):
        await database.write(write_much, brief=True)
    assert (tmp_path / "recuerdo.db-wal").stat().st_size < 30 * 2**20


async def test_a_closed_database_says_so_to_brief_work_too(tmp_path: Path):
    async with SqliteDatabase.open(tmp_path / "recuerdo.db") as database:
        pass
    with pytest.raises(DatabaseUnavailable, match="closed"):
        await database.read(say_where, brief=True)


async def test_others_have_their_turn_while_one_task_reads_again_and_again(database: SqliteDatabase):
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(count())
    for _ in range(80):
        await database.read(say_where, brief=True)
    other.cancel()
    assert turns >= 8


async def test_no_cursor_leaves_the_thread_that_uses_its_connection(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
):
    """Freed in the event loop's thread it would reset a statement that a worker is executing for somebody else."""
    results: list[object] = []
    write = database.write

    async def noting(work: Work[T], *, brief: bool = False) -> T:
        results.append(await write(work, brief=brief))
        return cast(T, results[-1])

    monkeypatch.setattr(database, "write", noting)
    vector = PassageVector(MessagePlace("t-1", 1, 1), "model", b"1234")
    await SqlitePassages(database).keep(Owner("acme", "emi"), [vector])
    assert results == [None]


async def test_heads_that_many_ask_for_at_once_are_read_in_few_transactions(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
):
    """Each caller gets the head of its own thread, as it is when it asks."""
    history, owner, transactions = SqliteHistory(database), Owner("acme", "emi"), list[str]()
    scopes = [owner.thread(f"t-{number}") for number in range(200)]
    for number, scope in enumerate(scopes[:20]):
        await fill(history, scope, number + 1)
    read = database.read

    async def counted(work: Work[T], *, brief: bool = False) -> T:
        transactions.append("read")
        return await read(work, brief=brief)

    monkeypatch.setattr(database, "read", counted)
    heads = await asyncio.gather(*map(history.head, scopes))
    assert [head.version.seq for head in heads] == [*range(1, 21), *[0] * 180]
    assert len(transactions) < 40
    await fill(history, scopes[0], 1)
    assert (await history.head(scopes[0])).version.seq == 2
