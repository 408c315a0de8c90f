"""Copies of namespaces that are searched again and again: as fresh and as exact as the database itself."""

import asyncio
import random
from collections.abc import AsyncGenerator, Sequence
from datetime import datetime, timedelta
from functools import partial
from math import hypot
from struct import pack

import psycopg
import pytest

from recuerdo.adapters.local import LocalItems
from recuerdo.adapters.postgres import PostgresDatabase, PostgresItems, item_copies
from recuerdo.adapters.postgres.connection import Rows
from recuerdo.adapters.postgres.item_copies import ItemCopies
from recuerdo.core.graph_ports import ItemRepository
from recuerdo.core.items import IndexEntry, ItemAddress, ItemHit, ItemQuery, Namespace, Put, StoreScope
from recuerdo.testing.clock import NOON

DIMS = 12
COUNT = 210
DOCS = ("docs",)
MINUTE = timedelta(minutes=1)


def pointing(*numbers: float) -> bytes:
    length = hypot(*numbers)
    return pack(f"<{len(numbers)}f", *[number / length for number in numbers])


def anywhere(chance: random.Random) -> bytes:
    return pointing(*[chance.gauss(0, 1) for _ in range(DIMS)])


def put(key: str, *vectors: bytes, at: Namespace = DOCS, ttl: float | None = None) -> Put:
    return Put(ItemAddress(at, key), "{}", ttl, [IndexEntry(f"p{n}", "", vector) for n, vector in enumerate(vectors)])


def shown(hits: Sequence[ItemHit]) -> list[tuple[ItemAddress, float | None]]:
    return [(hit.item.place, hit.score and round(hit.score, 4)) for hit in hits]


@pytest.fixture
async def stores(postgres_url: str) -> AsyncGenerator[tuple[PostgresItems, PostgresItems]]:
    """As two processes have them."""
    patient = partial(PostgresDatabase.open, postgres_url, statement_timeout=60)
    async with patient() as one, patient() as other:
        yield PostgresItems(one), PostgresItems(other)


@pytest.fixture
async def scope(stores: tuple[PostgresItems, PostgresItems], tenant: str, postgres_url: str) -> StoreScope:
    """A store with items in two namespaces, a few with several vectors; some are of the time before there were copies,
    or were restored from another server.
    """
    await stores[0].write(StoreScope(tenant), given(), NOON)
    async with await psycopg.AsyncConnection.connect(postgres_url) as connection:
        await connection.execute(
            "UPDATE recuerdo.store_entries SET changed = CASE WHEN key < 'k2' THEN '9000000000000'::xid8 END"
            " WHERE key < 'k3'"
        )
    return StoreScope(tenant)


def given() -> list[Put]:
    chance = random.Random(1)
    return [
        put(f"k{n}", *[anywhere(chance) for _ in range(1 + n % 9 // 8)], at=at)
        for at in (DOCS, ("more",))
        for n in range(COUNT)
    ]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether a copy has told the answer, of each search."""
    answers: list[bool] = []
    nearest = ItemCopies.nearest

    async def ask(self: ItemCopies, *arguments: object) -> Rows | None:
        rows = await nearest(self, *arguments)  # type: ignore[arg-type]
        answers.append(rows is not None)
        return rows

    monkeypatch.setattr(ItemCopies, "nearest", ask)
    return answers


def query(vector: bytes, *, prefix: Namespace = DOCS, limit: int = 5, at: datetime = NOON) -> ItemQuery:
    return ItemQuery(prefix, (), limit, 0, vector, alive_at=at)


async def warm(items: PostgresItems, scope: StoreScope, prefix: Namespace = DOCS) -> None:
    """Search until there is a copy."""
    for _ in range(item_copies.SEARCHES):
        await items.search(scope, query(pointing(*[1.0] * DIMS), prefix=prefix))


def copies(items: PostgresItems) -> int:
    return sum(visits.copy is not None for visits in items._search._copies._visits.values())


async def test_a_copy_tells_what_the_database_would(
    stores: tuple[PostgresItems, PostgresItems], scope: StoreScope, told: list[bool]
) -> None:
    """Two stores and an oracle are changed at random by one of them; each search of the other is the oracle's."""
    one, other = stores
    oracle, chance, now = LocalItems(), random.Random(7), NOON
    await oracle.write(scope, given(), NOON)
    probe = anywhere(chance)
    for step in range(150):
        place = ItemAddress(chance.choice([DOCS, DOCS, ("docs", "n"), ("more",)]), f"k{chance.randrange(COUNT)}")
        near = pointing(*[each + chance.gauss(0, 0.2) for each in memoryview(probe).cast("f")])
        match step % 6:
            case 0:
                change = [Put(place, "{}", None, [IndexEntry("p0", "", near)])]
            case 1:
                change = [Put(place, "{}", 2.0, [IndexEntry("p0", "", anywhere(chance)), IndexEntry("p1", "", near)])]
            case 2:
                change = [Put(place, None)]
            case 3:
                change = [Put(hit.item.place, None) for hit in await one.search(scope, query(probe, limit=1, at=now))]
            case 4:
                change = [Put(place, "{}")]
            case _:
                change, now = [], now + MINUTE / 2
        for items in (one, oracle):
            changing: ItemRepository = items
            await changing.write(scope, change, now)
        for prefix in (DOCS, ()):
            asked = query(probe, prefix=prefix, at=now)
            assert shown(await other.search(scope, asked)) == shown(await oracle.search(scope, asked)), step
    assert sum(told) > 100


async def test_what_is_put_is_found_by_everybody_from_then_on(
    stores: tuple[PostgresItems, PostgresItems],
    scope: StoreScope,
    told: list[bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Four writers move an item each to ever other places, and look for it there through the other store."""
    one, other = stores
    monkeypatch.setattr(item_copies, "_AT_ONCE", 0)  # so that others come in between
    await warm(other, scope)

    async def move(number: int) -> None:
        chance = random.Random(100 + number)
        for _ in range(12):
            vector = anywhere(chance)
            await one.write(scope, [put(f"mover{number}", vector)], NOON)
            [hit] = await other.search(scope, query(vector, limit=1))
            assert hit.item.place.key == f"mover{number}"
            await one.write(scope, [Put(ItemAddress(DOCS, f"mover{number}"), None)], NOON)
            [hit] = await other.search(scope, query(vector, limit=1))
            assert hit.item.place.key != f"mover{number}"

    await asyncio.gather(*map(move, range(4)))
    assert told.count(True) > 20


async def test_what_was_being_written_when_the_copy_was_made_is_found(
    stores: tuple[PostgresItems, PostgresItems], scope: StoreScope, told: list[bool], postgres_url: str
) -> None:
    """Its transaction began before the copy, and others that began later had ended."""
    one, other = stores
    north = pointing(*[1.0] + [0.0] * (DIMS - 1))
    async with await psycopg.AsyncConnection.connect(postgres_url) as blocking:
        await blocking.execute("SELECT FROM recuerdo.store_items WHERE tenant = %s FOR UPDATE", (scope.tenant,))
        writing = asyncio.create_task(one.write(scope, [put("a", north), put("k0", north)], NOON))
        while not await _is_waiting(postgres_url):  # noqa: ASYNC110 - the server is what changes
            await asyncio.sleep(0.02)
        await one.write(scope, [put("later", north)], NOON)
        await warm(other, scope)
        await blocking.rollback()
    await writing
    hits = await other.search(scope, query(north, limit=3))
    assert sorted(hit.item.place.key for hit in hits) == ["a", "k0", "later"]
    assert told[-1]


async def _is_waiting(url: str) -> bool:
    async with await psycopg.AsyncConnection.connect(url) as connection:
        found = await connection.execute(
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return bool(found.rowcount)


async def test_a_copy_does_not_tell_when_most_of_its_nearest_are_gone(
    stores: tuple[PostgresItems, PostgresItems], scope: StoreScope, told: list[bool]
) -> None:
    """What is new is not as near as what the copy did not tell of."""
    one, other = stores
    await warm(other, scope)
    north, south = pointing(*[1.0] * DIMS), pointing(*[-1.0] * DIMS)
    before = await one.search(scope, query(north, limit=13))
    await one.write(scope, [Put(hit.item.place, None) for hit in before[:8]], NOON)
    await one.write(scope, [put(f"south{n}", south) for n in range(5)], NOON)
    assert shown(await other.search(scope, query(north))) == shown(before[8:])
    assert not told[-1]


async def test_of_a_store_with_many_changes_no_copy_is_kept(
    stores: tuple[PostgresItems, PostgresItems], scope: StoreScope, told: list[bool]
) -> None:
    one, other = stores
    await warm(other, scope)
    assert copies(other) == 1
    chance = random.Random(2)
    vectors = [anywhere(chance) for _ in range(item_copies._MOST_CHANGES)]
    await one.write(scope, [put(f"k{n}", each) for n, each in enumerate(vectors)], NOON)
    [hit] = await other.search(scope, query(vectors[-1], limit=1))
    assert hit.item.place.key == f"k{len(vectors) - 1}"
    assert not told[-1]
    assert not copies(other)


async def test_copies_take_no_more_memory_than_they_may(
    stores: tuple[PostgresItems, PostgresItems], scope: StoreScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first to come have them: whoever came later is no worse off than without."""
    _, other = stores
    monkeypatch.setattr(item_copies, "MOST_BYTES", 2 * COUNT * item_copies._bytes(DIMS))
    for prefix in (DOCS, ("more",)):
        await warm(other, scope, prefix)
    assert [key[1] for key, visits in other._search._copies._visits.items() if visits.copy] == [DOCS]
    assert len(await other.search(scope, query(pointing(*[1.0] * DIMS), prefix=("more",)))) == 5


async def test_a_copy_is_gone_after_its_time_and_with_its_store(
    stores: tuple[PostgresItems, PostgresItems], scope: StoreScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was erased is not in memory: at once here, and elsewhere after a minute."""
    one, other = stores
    await warm(one, scope)
    monkeypatch.setattr(item_copies, "SECONDS", 0.3)
    await warm(other, scope)
    await one.erase(scope)
    assert not copies(one)
    assert not await one.search(scope, query(pointing(*[1.0] * DIMS)))
    assert not await other.search(scope, query(pointing(*[1.0] * DIMS)))
    async with asyncio.timeout(20):
        while other._search._copies._visits:  # noqa: ASYNC110 - nobody tells when they are gone
            await asyncio.sleep(0.05)


async def test_without_numpy_there_are_no_copies(
    stores: tuple[PostgresItems, PostgresItems], scope: StoreScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, other = stores
    monkeypatch.setattr(item_copies, "find_spec", lambda _: None)
    await warm(other, scope)
    assert not copies(other)
    assert len(await other.search(scope, query(pointing(*[1.0] * DIMS)))) == 5
