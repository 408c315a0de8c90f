"""The answers of our functions to psycopg's cursors, which call them where the database is opened without `direct`."""

from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio

from recuerdo.adapters.postgres import (
    PostgresCheckpoints,
    PostgresDatabase,
    PostgresDocuments,
    PostgresHistory,
    PostgresItems,
    PostgresSignals,
    PostgresThreads,
)
from recuerdo.core.documents import Decision, Document, DocumentKey
from recuerdo.core.items import IndexEntry, ItemAddress, ItemQuery, Put, StoreScope
from recuerdo.testing import CheckpointContract
from recuerdo.testing.contracts.appends import RetryContract
from recuerdo.testing.samples import fresh_scope, request, said

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def by_cursor(postgres_url: str) -> AsyncGenerator[PostgresDatabase]:
    async with PostgresDatabase.open(postgres_url, direct=False) as database:
        yield database


@pytest.fixture
def history(by_cursor: PostgresDatabase) -> PostgresHistory:
    return PostgresHistory(by_cursor)


@pytest.fixture
def threads(by_cursor: PostgresDatabase) -> PostgresThreads:
    return PostgresThreads(by_cursor)


@pytest.fixture
def checkpoints(by_cursor: PostgresDatabase) -> PostgresCheckpoints:
    return PostgresCheckpoints(by_cursor)


class TestRetriesByCursor(RetryContract):
    """See RetryContract."""


class TestCheckpointsByCursor(CheckpointContract):
    """See CheckpointContract."""


async def test_reads_by_cursor(by_cursor: PostgresDatabase, history: PostgresHistory) -> None:
    """Batches of appends, heads, tails and snapshots are what they are over libpq."""
    scopes = [fresh_scope(), fresh_scope()]
    await history.append([request(scope, said('a "quoted" \\ text'), said("b")) for scope in scopes])
    for scope in scopes:
        tail, snapshot = await history.tail(scope, 5), await history.snapshot(scope, 5)
        assert [record.seq for record in tail.records] == [1, 2]
        assert (await history.head(scope), snapshot.records) == (tail.head, tail.records)


async def test_documents_by_cursor(empty_postgres_url: str) -> None:
    """Decisions, documents and what is due are what they are over libpq.

    In a database of its own: servers that other tests start would execute the run.
    """
    owner = fresh_scope().owner
    key = DocumentKey("run", "r-1")

    def decide(seen: Sequence[Document]) -> Decision[int]:
        body = b'{"run_id":"r-1","n":%d}' % len(seen)
        return Decision(len(seen), put=[Document(*key, "g", body, open=True, due=NOON)])

    async with (
        PostgresDatabase.open(empty_postgres_url, direct=False) as database,
        PostgresSignals(database).opened() as signals,
    ):
        documents = PostgresDocuments(database, signals)
        assert [await documents.change(owner, "g", [key], decide) for _ in range(2)] == [0, 1]
        assert await documents.get(owner, key) == b'{"run_id":"r-1","n":1}'
        due = await documents.due("run", NOON + timedelta(seconds=1), 10_000)
        assert [document.id for whose, document in due if whose == owner] == ["r-1"]


async def test_items_by_cursor(by_cursor: PostgresDatabase) -> None:
    """A search by a vector alone finds the nearest."""
    items, scope = PostgresItems(by_cursor), StoreScope(fresh_scope().tenant)
    vectors = {"a": b"\x00\x00\x80?\x00\x00\x00\x00", "b": b"\x00\x00\x00\x00\x00\x00\x80?"}
    puts = [
        Put(ItemAddress(("n",), key), "{}", entries=[IndexEntry("$", vector=each)]) for key, each in vectors.items()
    ]
    await items.write(scope, puts, NOON)
    found = await items.search(scope, ItemQuery(("n",), limit=1, vector=vectors["b"]))
    assert [(hit.item.place.key, hit.score) for hit in found] == [("b", 1.0)]
