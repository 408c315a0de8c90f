"""The vectors of large namespaces in PostgreSQL: found by the index, and as good as by comparing them all."""

import asyncio
import random
from collections.abc import AsyncGenerator
from math import hypot
from struct import pack

import pytest

from recuerdo.adapters.postgres import PostgresDatabase, PostgresItems
from recuerdo.adapters.postgres import items as adapter
from recuerdo.adapters.postgres.items import PostgresItemSearch
from recuerdo.core.conditions import conditions_of
from recuerdo.core.items import IndexEntry, ItemAddress, ItemQuery, Put, StoreScope, bounds_of
from recuerdo.testing.clock import NOON
from servers.patience import PATIENCE

DIMS = 128
COUNT = 1000


def unit(chance: random.Random, near: list[float] | None = None) -> list[float]:
    numbers = [chance.gauss(mean, 0.6) for mean in near or [0.0] * DIMS]
    length = hypot(*numbers)
    return [number / length for number in numbers]


def packed(numbers: list[float]) -> bytes:
    return pack(f"<{DIMS}f", *numbers)


@pytest.fixture(scope="module")
def vectors() -> list[list[float]]:
    chance = random.Random(3)
    centres = [unit(chance) for _ in range(20)]
    return [unit(chance, [3 * number for number in chance.choice(centres)]) for _ in range(COUNT)]


@pytest.fixture
async def database(postgres_url: str) -> AsyncGenerator[PostgresDatabase]:
    async with PostgresDatabase.open(postgres_url) as database:
        yield database


async def filled(database: PostgresDatabase, tenant: str, vectors: list[list[float]]) -> StoreScope:
    scope = StoreScope(tenant)
    puts = [
        Put(ItemAddress(("docs", f"n{n % 2}"), f"k{n}"), f'{{"n":{n}}}', None, [IndexEntry("$", "", packed(each))])
        for n, each in enumerate(vectors)
    ]
    for start in range(0, len(puts), 250):
        await PostgresItems(database).write(scope, puts[start : start + 250], NOON)
    return scope


async def test_the_index_finds_what_comparing_everything_finds(
    database: PostgresDatabase, tenant: str, vectors: list[list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a whole store, of a namespace, with a filter that few meet, and with one that nearly none does."""
    scope = await filled(database, tenant, vectors)
    by_index, by_all = PostgresItems(database, most_compared=100), PostgresItems(database, most_compared=10 * COUNT)
    answers: list[bool] = []
    ask_index = PostgresItemSearch._nearest_by_index

    async def ask(self: PostgresItemSearch, *arguments: object) -> object:
        rows = await ask_index(self, *arguments)  # type: ignore[arg-type]
        answers.append(len(rows) == arguments[2])
        return rows

    monkeypatch.setattr(PostgresItemSearch, "_nearest_by_index", ask)
    chance, found, wanted = random.Random(5), 0, 0
    for number in range(24):
        vector = packed(unit(chance, [5 * each for each in chance.choice(vectors)]))
        filters = [None, None, {"n": {"$gt": COUNT // 2}}, {"n": {"$lt": 7}}][number % 4]
        prefix = [(), ("docs", "n1")][number // 4 % 2]
        query = ItemQuery(prefix, conditions_of(filters), 5, 0, vector)
        exact = [hit.item.place for hit in await by_all.search(scope, query)]
        near = [hit.item.place for hit in await by_index.search(scope, query)]
        assert len(near) == len(exact)
        found, wanted = found + len(set(near) & set(exact)), wanted + len(exact)
    assert found >= 0.97 * wanted
    assert answers.count(True) >= 15


async def test_an_item_with_many_vectors_takes_one_place(
    database: PostgresDatabase, tenant: str, vectors: list[list[float]]
) -> None:
    """The index is asked again for more when the nearest vectors are all of a few items."""
    scope, items = StoreScope(tenant), PostgresItems(database, most_compared=10)
    close = [IndexEntry(f"p{n}", "", packed(vectors[0])) for n in range(40)]
    await items.write(scope, [Put(ItemAddress(("a",), "many"), "{}", None, close)], NOON)
    others = [
        Put(ItemAddress(("a",), f"k{n}"), "{}", None, [IndexEntry("$", "", packed(vectors[n]))]) for n in range(1, 60)
    ]
    await items.write(scope, others, NOON)
    hits = await items.search(scope, ItemQuery(("a",), (), 5, 0, packed(vectors[0])))
    assert len({hit.item.place for hit in hits}) == 5
    assert hits[0].item.place.key == "many"


async def test_only_a_namespace_that_is_large_and_no_crumb_of_the_index_is_asked_of_it(
    database: PostgresDatabase, tenant: str, vectors: list[list[float]]
) -> None:
    scope = await filled(database, tenant, vectors[:300])
    query = ItemQuery(("docs",), (), 5, 0, packed(vectors[0]))
    assert await PostgresItemSearch(database, 299)._is_large(scope, query)
    assert not await PostgresItemSearch(database, 300)._is_large(scope, query)
    assert not await PostgresItemSearch(database, 100)._is_large(scope, query._replace(vector=b"1234"))
    assert not await PostgresItemSearch(database, 100)._is_large(StoreScope(f"{tenant}-2"), query)


async def test_what_is_known_of_namespaces_is_forgotten_soon(
    database: PostgresDatabase, tenant: str, vectors: list[list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of those that nobody searches again: there are as many as users."""
    monkeypatch.setattr(adapter, "_SECONDS_TO_REMEMBER", 0.01)
    search = PostgresItemSearch(database, 10)
    await search._is_large(StoreScope(tenant), ItemQuery(("docs",), (), 5, 0, packed(vectors[0])))
    async with asyncio.timeout(PATIENCE):
        while search._large:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(("below", "count", "most_blocks"), [(("users", "7"), 1, 30), ((), 5_000, 3_000)])
async def test_the_namespaces_below_one_are_found_without_reading_all_items(
    empty_postgres_url: str, below: tuple[str, ...], count: int, most_blocks: int
) -> None:
    """And all of them without a look-up each. Also when the plan was made before the table had grown."""
    fill = """
    INSERT INTO recuerdo.store_items (tenant, "user", namespace, key, value, created_at, updated_at)
    SELECT 't', '', 'users.' || number || '.', 'k', '{}', now(), now() FROM generate_series(1, 5000) AS number"""
    low, high = bounds_of(below)
    asked = {"tenant": "t", "user": "", "low": low, "high": high, "alive_at": NOON}
    opened = PostgresDatabase.open(empty_postgres_url)
    async with opened as database, database.transaction(["t"]) as connection:
        await connection.execute(fill)
        cursor = await connection.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {adapter._NAMESPACES}", asked)
        [([explained],)] = await cursor.fetchall()
    assert explained["Plan"]["Actual Rows"] == count
    assert explained["Plan"]["Shared Hit Blocks"] + explained["Plan"]["Shared Read Blocks"] < most_blocks
