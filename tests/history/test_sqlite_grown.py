"""The cost of a call in SQLite does not grow with what else its owner has."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from recuerdo.adapters.signals import LocalSignals
from recuerdo.adapters.sqlite import SqliteDatabase, SqliteDocuments, SqliteHistory, SqliteMemories, SqliteThreads
from recuerdo.adapters.sqlite import connection as connection_module
from recuerdo.adapters.sqlite.access import SqliteUsers
from recuerdo.adapters.sqlite.items import SqliteItems
from recuerdo.adapters.sqlite.passages import SqlitePassages
from recuerdo.core.documents import Decision, Document, DocumentKey, DocumentQuery
from recuerdo.core.items import StoreScope
from recuerdo.core.memories import LedgerState, Memory, MemoryChange, MemoryEntry, MemoryQuery
from recuerdo.core.messages import Message, encode
from recuerdo.core.scope import Owner
from recuerdo.core.threads import MessageQuery, Version
from recuerdo.history.requests import prepare

OWNER = Owner("acme", "emi")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
MANY = 2_000
MOST_STEPS = 4_000
"""Of SQLite's machine, which takes some ten for each row that it looks at."""

Steps = Callable[[Awaitable[object]], Awaitable[int]]


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[SqliteDatabase]:
    async with SqliteDatabase.open(tmp_path / "recuerdo.db") as database:
        yield database


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    """How many steps SQLite takes for a call, about."""
    executor, counted = connection_module._TransactionExecutor, [0]  # pyright: ignore[reportPrivateUsage]
    transact = executor._transact  # pyright: ignore[reportPrivateUsage]

    def count() -> int:
        counted[0] += 10
        return 0

    def counting(self: Any, work: Any, connection: sqlite3.Connection) -> object:
        connection.set_progress_handler(count, 10)
        return transact(self, work, connection)

    async def of(call: Awaitable[object]) -> int:
        before = counted[0]
        await call
        return counted[0] - before

    monkeypatch.setattr(executor, "_transact", counting)
    return of


def document(number: int, *, is_open: bool = False) -> Document:
    return Document("run", f"run-{number:05}", f"thread-{number:05}", b'{"status":"success"}', open=is_open)


def memory(number: int) -> Memory:
    at = NOW + timedelta(seconds=number)
    return Memory(
        id=f"m-{number:05}",
        owner=OWNER,
        text=f"Fact {number}",
        attribute="plan",
        value=str(number),
        created_at=at,
        updated_at=at,
    )


async def test_messages_are_found_by_their_ids_without_reading_the_thread(database: SqliteDatabase, steps: Steps):
    history, scope = SqliteHistory(database), OWNER.thread("t-1")
    messages = [Message.user("Hola", id=f"m-{number:05}") for number in range(MANY)]
    for start in range(0, MANY, 1000):
        await history.append([prepare(scope, messages[start : start + 1000], NOW)])
    query = MessageQuery(ids=frozenset({"m-00007", "m-01500", "absent"}), after=0, archived=None)
    assert await steps(history.page(scope, query)) < MOST_STEPS
    assert [record.seq for record in (await history.page(scope, query)).records] == [8, 1501]


_AS_BEFORE = {
    "a row from before": "counted_epoch = NULL, user_count = 0, assistant_count = 0",
    "an append by a version from before": "user_count = user_count - 7",
    "an erasure by a version from before": "counted_epoch = epoch - 1",
}


@pytest.mark.parametrize("left", _AS_BEFORE.values(), ids=_AS_BEFORE)
async def test_the_messages_of_a_thread_are_counted_once(database: SqliteDatabase, steps: Steps, left: str):
    """Also where a version without the counts has written the thread's row: appends and forks go on from there."""
    history, scope = SqliteHistory(database), OWNER.thread("t-1")
    messages = [Message.user("Hola") if number % 4 else Message.assistant("Hola") for number in range(MANY)]
    for start in range(0, MANY, 1000):
        await history.append([prepare(scope, messages[start : start + 1000], NOW)])
    counts = {"user": MANY * 3 // 4, "assistant": MANY // 4}
    assert await steps(history.count(scope)) < 100
    assert await history.count(scope) == counts
    await database.write(lambda connection: connection.execute(f"UPDATE threads SET {left}"))
    await history.append([prepare(scope, [Message.user("Hola")], NOW)])
    counts["user"] += 1
    assert await history.count(scope) == counts
    assert await steps(history.count(scope)) < 100
    await SqliteThreads(database).fork(scope, 3, "fork", NOW)
    assert await history.count(OWNER.thread("fork")) == {"assistant": 1, "user": 2}


async def test_what_is_appended_while_a_thread_is_counted_counts(database: SqliteDatabase):
    history, scope = SqliteHistory(database), OWNER.thread("t-1")
    for number in range(1, 40):
        await database.write(lambda connection: connection.execute("UPDATE threads SET counted_epoch = NULL"))
        appending = [history.append([prepare(scope, [Message.user("Hola")] * 3, NOW)]) for _ in range(3)]
        await asyncio.gather(history.count(scope), *appending, history.count(scope))
        assert await history.count(scope) == {"user": number * 9}


async def test_a_decision_looks_at_its_own_group_only(database: SqliteDatabase, steps: Steps):
    documents = SqliteDocuments(database, LocalSignals())
    await documents.change(OWNER, "all", [], lambda _: Decision(None, [*map(document, range(MANY))]))
    mine = document(7, is_open=True)
    await documents.change(OWNER, mine.group, [mine.key], lambda _: Decision(None, [mine]))
    assert await documents.change(OWNER, mine.group, [], lambda found: Decision(found)) == [mine]
    decision = documents.change(
        OWNER, mine.group, [DocumentKey("thread", mine.group)], lambda _: Decision(None, [mine])
    )
    assert await steps(decision) < MOST_STEPS


async def test_a_page_of_threads_reads_what_it_shows(database: SqliteDatabase, steps: Steps):
    documents = SqliteDocuments(database, LocalSignals())
    threads = [
        Document("thread", f"t-{number:05}", f"t-{number:05}", b'{"created_at":"2026-01-01T00:00:%05dZ"}' % number)
        for number in range(MANY)
    ]
    await documents.change(OWNER, "all", [], lambda _: Decision(None, threads))
    page = documents.select(OWNER, "thread", DocumentQuery(limit=10, offset=20))
    assert await steps(page) < MOST_STEPS
    [latest] = await documents.select(OWNER, "thread", DocumentQuery(limit=1))
    assert latest == threads[-1].body


async def test_the_first_users_of_a_tenant_are_listed_without_all_that_they_have(
    database: SqliteDatabase, steps: Steps
):
    numbers = f"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {MANY})"
    thread = "INSERT INTO threads (tenant, user, thread, epoch, last_seq, title, created_at, updated_at, deleted)"
    key = "INSERT INTO api_keys (digest, id, tenant, user, name, role, created_at)"

    def fill(connection: sqlite3.Connection) -> None:
        for user, deleted in (("'emi'", 0), ("'erased'", 1), ("printf('u-%05d', i)", 0)):
            connection.execute(f"{numbers} {thread} SELECT 'acme', {user}, i, i, 1, '', 0, 0, {deleted} FROM n")
        connection.execute(f"{numbers} {key} SELECT CAST(i AS BLOB), i, 'acme', 'ana', '', 'user', 0 FROM n")

    await database.write(fill)
    users = SqliteUsers(database)
    assert await users.users("acme", 4) == ["ana", "emi", "u-00001", "u-00002"]
    assert await steps(users.users("acme", 4)) < MOST_STEPS
    assert await users.users("acme", 2, "u-00007") == ["u-00008", "u-00009"]
    assert await users.users("acme", 9, f"u-{MANY - 1:05}") == [f"u-{MANY:05}"]


async def test_namespaces_are_listed_in_one_pass_and_without_all_their_items(database: SqliteDatabase, steps: Steps):
    items = SqliteItems(database)
    for user, namespace in (("alone", "printf('n.%05d.', i)"), ("together", "'n.'")):
        await database.write(
            lambda connection, user=user, namespace=namespace: connection.execute(
                f"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {MANY})"
                " INSERT INTO store_items (tenant, user, namespace, key, value, created_at, updated_at)"
                f" SELECT 'acme', '{user}', {namespace}, i, '{{}}', 0, 0 FROM n"
            )
        )
    assert await steps(items.namespaces(StoreScope("acme", "alone"), (), NOW)) < 20 * MANY
    assert await steps(items.namespaces(StoreScope("acme", "together"), (), NOW)) < MOST_STEPS


async def fill(memories: SqliteMemories) -> None:
    """Many plans, one name, and what was done to them."""
    state = LedgerState(0, 0)
    name = replace(memory(MANY), attribute="name")
    for each in ([*map(memory, range(MANY))], [name]):
        change = MemoryChange(at=NOW, action="added", entries=[MemoryEntry(None, one) for one in each])
        state = await memories.apply(OWNER, change, state)
        assert state is not None
    for _ in range(50):  # changes of one memory, so that those of another lie behind many
        change = MemoryChange(at=NOW, action="updated", entries=[MemoryEntry(name, name)])
        state = await memories.apply(OWNER, change, state)
        assert state is not None


async def test_lists_of_memories_read_what_they_show(database: SqliteDatabase, steps: Steps):
    memories = SqliteMemories(database)
    await fill(memories)
    later = NOW + timedelta(days=1)
    queries = (
        MemoryQuery(holding_at=later),
        MemoryQuery(holding_at=later, status="approved", before="m-01000"),
        MemoryQuery(since=NOW + timedelta(seconds=MANY - 10)),
        MemoryQuery(attribute="name", holding_at=later),
    )
    for query in queries:
        assert await steps(memories.select(OWNER, query)) < MOST_STEPS, query


async def test_a_profile_is_read_without_all_other_memories(database: SqliteDatabase, steps: Steps):
    memories = SqliteMemories(database)
    await fill(memories)
    [name] = await memories.latest(OWNER, ["name", "city"], NOW + timedelta(days=1))
    assert name.attribute == "name"
    assert await steps(memories.latest(OWNER, ["name", "city"], NOW + timedelta(days=1))) < MOST_STEPS


async def test_the_changes_of_one_memory_are_found_among_many(database: SqliteDatabase, steps: Steps):
    memories = SqliteMemories(database)
    await fill(memories)
    await database.write(
        lambda connection: connection.execute(
            "WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
            " INSERT INTO memory_changes"
            " SELECT tenant, user, i, place, 'm-00001', at, action, undoes, undone, before, after"
            " FROM n JOIN memory_changes ON version = 2"
        )
    )
    [added] = await memories.changes(OWNER, 50, memory_id="m-00000")
    assert added.version == 1
    of_the_name = memories.changes(OWNER, 10, memory_id=f"m-{MANY:05}")
    assert await steps(of_the_name) < MOST_STEPS


async def test_a_search_reads_a_long_history_page_by_page(database: SqliteDatabase, steps: Steps):
    """Each page at once where it begins: what is behind it is neither read nor sorted."""
    await database.write(_write_threads)
    since = {"long": Version(1, 0)} | {f"t-{number}": Version(number, 0) for number in range(2, MANY)}
    read = SqlitePassages(database).read(OWNER, since, "model", 20)
    assert await steps(read) < MOST_STEPS
    found = await SqlitePassages(database).read(OWNER, {"long": Version(1, MANY - 1), "t-2": Version(2, 0)}, "model", 3)
    assert [each.place for each in found] == [("long", 1, MANY), ("t-2", 2, 1)]


_BODY = encode(Message.user(""))


def _write_threads(connection: sqlite3.Connection) -> None:
    connection.executemany(
        "INSERT INTO threads (tenant, user, thread, epoch, last_seq, title, created_at, updated_at)"
        " VALUES ('acme', 'emi', ?, ?, 1, '', 0, 0)",
        [("long", 1), *((f"t-{number}", number) for number in range(2, MANY))],
    )
    connection.executemany(
        "INSERT INTO messages (epoch, seq, id, role, created_at, body) VALUES (?, ?, ?, 'user', 0, ?)",
        [
            *((1, seq, str(seq), _BODY) for seq in range(1, MANY + 1)),
            *((epoch, 1, "x", _BODY) for epoch in range(2, MANY)),
        ],
    )
