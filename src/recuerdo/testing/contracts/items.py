"""The rules for every ItemRepository."""

import asyncio
from datetime import datetime, timedelta
from math import hypot
from struct import pack
from typing import Any

import msgspec
import pytest

from recuerdo.core.conditions import conditions_of, meets
from recuerdo.core.graph_ports import ItemRepository
from recuerdo.core.items import IndexEntry, ItemAddress, ItemHit, ItemQuery, Namespace, Put, StoreScope
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts import AsNewTenant
from recuerdo.testing.samples import fresh_owner

MINUTE = timedelta(minutes=1)
VALUES: list[Any] = [
    0,
    1,
    1.0,
    2.5,
    -3,
    1e22,
    True,
    False,
    None,
    "",
    "1",
    "a",
    "B",
    "é",
    "😀",
    [],
    [1],
    [1, "a"],
    {},
    {"a": 1},
]
OPERANDS: list[Any] = [
    *VALUES,
    *({operator: operand} for operator in ("$gt", "$gte", "$lt", "$lte") for operand in (1, 2.5, "a", "é")),
    *({"$ne": operand} for operand in (1, None, "a", [1], {"a": 1})),
    *({"$eq": operand} for operand in ([1, "a"], {"a": 1}, {}, True)),
    *([{"$gte": 1}], [1, {"$ne": "b"}], {"a": {"$lt": 2}}, {"a": {"b": None}}),
]


def put(key: str, value: Any = None, *, at: Namespace = ("a",), **fields: Any) -> Put:
    return Put(ItemAddress(at, key), msgspec.json.encode({} if value is None else value).decode(), **fields)


def pointing(*numbers: float, path: str = "$", words: str = "") -> IndexEntry:
    """An entry whose vector points there."""
    length = hypot(*numbers)
    return IndexEntry(path, words, pack(f"<{len(numbers)}f", *[number / length for number in numbers]))


def keys(hits: list[ItemHit]) -> list[str]:
    return [hit.item.place.key for hit in hits]


class ItemContract(AsNewTenant):
    """Everything that an ItemRepository must hold. Needs the fixture `items`."""

    @pytest.fixture
    def shelf(self) -> StoreScope:
        return StoreScope(fresh_owner().tenant)

    async def test_item_comes_back(self, items: ItemRepository, shelf: StoreScope) -> None:
        """An item comes back as it was written, byte by byte, and keeps the time when it was created."""
        text = '{"b":1e22, "a":[1.0,null,"ñ\\" %s {}"]}'
        place = ItemAddress(("a", "b c", "ñ"), "k/%s")
        await items.write(shelf, [Put(place, '{"old":1}', 5.0)], NOON)
        await items.write(shelf, [Put(place, text)], NOON + MINUTE)
        [item, absent] = await items.read(shelf, [place, ItemAddress(("a",), "k/%s")], None)
        assert item is not None
        assert item == (place, text, NOON, NOON + MINUTE, None)
        assert absent is None

    async def test_item_batch_in_order(self, items: ItemRepository, shelf: StoreScope) -> None:
        """Of several writes to a place in one batch the last one holds, deletions too."""
        one, gone = put("one", {"v": 1}), put("gone")
        await items.write(shelf, [one, gone, one._replace(value='{"v":2}'), gone._replace(value=None)], NOON)
        [item, absent] = await items.read(shelf, [one.place, gone.place], None)
        assert item is not None
        assert (item.value, absent) == ('{"v":2}', None)

    async def test_item_deleting_nothing(self, items: ItemRepository, shelf: StoreScope) -> None:
        """Deleting an item that is not there, and writing nothing at all, are fine."""
        await items.write(shelf, [put("k")._replace(value=None)], NOON)
        await items.write(shelf, [], NOON)
        assert await items.read(shelf, [], None) == []

    async def test_item_whose(self, items: ItemRepository) -> None:
        """Items of tenants, of their users and of neither never meet."""
        tenant = fresh_owner().tenant
        scopes = [StoreScope(tenant), StoreScope(tenant, "u"), StoreScope(tenant, "U"), StoreScope(f"{tenant}:u")]
        for scope in scopes:
            await items.write(scope, [put("k", {"of": scope.user}, ttl=1.0, entries=[pointing(1, 0)])], NOON)
        await items.write(scopes[1], [put("k")._replace(value=None)], NOON)
        assert await items.sweep(scopes[2], NOON + MINUTE) == 1
        query = ItemQuery((), vector=pointing(1, 0).vector)
        assert [len(await items.search(scope, query)) for scope in scopes] == [1, 0, 0, 1]
        assert [await items.namespaces(scope, (), None) for scope in scopes] == [[("a",)], [], [], [("a",)]]

    async def test_item_search_latest(self, items: ItemRepository, shelf: StoreScope) -> None:
        """Without anything to compare the latest updated come first, then by place, page by page."""
        for number, minute in enumerate([3, 1, 2, 2, 0]):
            await items.write(shelf, [put(f"k{number}")], NOON + minute * MINUTE)
        assert keys(await items.search(shelf, ItemQuery(()))) == ["k0", "k2", "k3", "k1", "k4"]
        assert keys(await items.search(shelf, ItemQuery((), limit=2, offset=1))) == ["k2", "k3"]
        assert await items.search(shelf, ItemQuery((), limit=0)) == []
        assert await items.search(shelf, ItemQuery((), offset=9)) == []

    async def test_item_search_below(self, items: ItemRepository, shelf: StoreScope) -> None:
        """A prefix takes whole labels: what begins with the same letters is elsewhere."""
        for at in [("a",), ("a", "b"), ("a", "bc"), ("ab",), ("a b",), ("a", "b", "c"), ("A",), ("a%",), ("😀", "x")]:
            await items.write(shelf, [put("k", at=at, entries=[pointing(1, 0)])], NOON)
        for prefix, count in {(): 9, ("a",): 4, ("a", "b"): 2, ("ab",): 1, ("a%",): 1, ("😀",): 1, ("b",): 0}.items():
            for vector in (b"", pointing(1, 0).vector):
                hits = await items.search(shelf, ItemQuery(prefix, vector=vector))
                assert all(hit.item.place.namespace[: len(prefix)] == prefix for hit in hits)
                assert len(hits) == count

    async def test_item_search_conditions(self, items: ItemRepository, shelf: StoreScope) -> None:
        """Conditions decide as `meets` does, with a vector too, for every kind of value and operand."""
        values = [{"x": value} for value in VALUES] + [{}, {"x": {"a": {"b": 1}}}, {"x": [[1]]}, {"y": {"x": 1}}]
        puts = [put(str(place), value, entries=[pointing(1, place)]) for place, value in enumerate(values)]
        await items.write(shelf, puts, NOON)
        for operand in OPERANDS:
            conditions = conditions_of({"x": operand})
            wanted = {str(place) for place, value in enumerate(values) if meets(value, conditions)}
            for vector in (b"", pointing(1, 1).vector):
                hits = await items.search(shelf, ItemQuery((), conditions, 100, vector=vector))
                assert set(keys(hits)) == wanted, operand

    async def test_item_search_nearest(self, items: ItemRepository, shelf: StoreScope) -> None:
        """The nearest come first, each once with its best entry; what can't be compared comes last, without a score."""
        await items.write(
            shelf,
            [
                put("two", entries=[pointing(0, 1), pointing(1, 0.1, path="b")]),
                put("far", entries=[pointing(-1, 0)]),
                put("near", entries=[pointing(1, 0)]),
                put("longer", entries=[pointing(1, 0, 0)]),
                put("none"),
            ],
            NOON,
        )
        hits = await items.search(shelf, ItemQuery((), vector=pointing(2, 0).vector))
        assert keys(hits) == ["near", "two", "far", "longer", "none"]
        assert [round(hit.score, 2) if hit.score is not None else None for hit in hits] == [1, 1, -1, None, None]
        for offset in range(6):
            page = await items.search(shelf, ItemQuery((), limit=2, offset=offset, vector=pointing(2, 0).vector))
            assert page == hits[offset : offset + 2]

    async def test_item_search_many_fields(self, items: ItemRepository, shelf: StoreScope) -> None:
        """An item whose fields are all nearer than anything else takes one place."""
        fields = [pointing(1, number / 100, path=str(number)) for number in range(40)]
        await items.write(shelf, [put("rich", entries=fields), put("poor", entries=[pointing(0, 1)])], NOON)
        assert keys(await items.search(shelf, ItemQuery((), limit=2, vector=pointing(1, 0).vector))) == ["rich", "poor"]
        assert keys(await items.search(shelf, ItemQuery((), limit=3, vector=pointing(1, 0).vector))) == ["rich", "poor"]

    async def test_item_search_replaced(self, items: ItemRepository, shelf: StoreScope) -> None:
        """An item's index entries are removed when it is replaced or deleted."""
        await items.write(shelf, [put("k", entries=[pointing(1, 0, words="red")])], NOON)
        await items.write(shelf, [put("k", entries=[pointing(0, 1, path="b", words="blue")])], NOON)
        [hit] = await items.search(shelf, ItemQuery((), vector=pointing(1, 0).vector))
        assert hit.score == pytest.approx(0)
        assert await items.search(shelf, ItemQuery((), words="red")) == []
        await items.write(shelf, [put("k")._replace(value=None)], NOON)
        assert await items.search(shelf, ItemQuery((), words="blue", vector=pointing(0, 1).vector)) == []

    async def test_item_search_words(self, items: ItemRepository, shelf: StoreScope) -> None:
        """By words alone only items that have one of them are hits; case, accents and odd signs don't matter."""
        texts = {"1": "El camión rojo", "2": "CAMION azul, ¡azul!", "3": "la casa", "4": "it's 100% a|b & !c :*"}
        await items.write(shelf, [put(key, entries=[IndexEntry("$", text)]) for key, text in texts.items()], NOON)
        assert keys(await items.search(shelf, ItemQuery((), words="camión ROJO"))) == ["1", "2"]
        assert keys(await items.search(shelf, ItemQuery((), words="a|b & !c :* '"))) == ["4"]
        assert await items.search(shelf, ItemQuery((), words="... ' \\")) == []

    async def test_item_search_both(self, items: ItemRepository, shelf: StoreScope) -> None:
        """Words and vectors count together."""
        await items.write(
            shelf,
            [
                put("near", entries=[pointing(1, 0.2, words="something else")]),
                put("both", entries=[pointing(1, 0.5, words="red apple")]),
                put("words", entries=[pointing(0, 1, words="red apple")]),
            ],
            NOON,
        )
        hits = await items.search(shelf, ItemQuery((), vector=pointing(1, 0).vector, words="red apple"))
        assert keys(hits) == ["both", "words", "near"]

    async def test_item_expiry(self, items: ItemRepository, shelf: StoreScope) -> None:
        """An item has expired `ttl` minutes after it was written or refreshed, in reads of living items."""
        await items.write(
            shelf, [put("k", ttl=1.5, entries=[pointing(1, 0, words="red")]), put("for ever", at=("b",))], NOON
        )
        await self._check_alive(items, shelf, NOON + 1.4 * MINUTE, alive=True)
        await self._check_alive(items, shelf, NOON + 1.5 * MINUTE, alive=False)
        await items.refresh(
            shelf, [ItemAddress(("a",), "k"), ItemAddress(("b",), "for ever"), ItemAddress(("c",), "no")], NOON + MINUTE
        )
        await self._check_alive(items, shelf, NOON + 2.4 * MINUTE, alive=True)
        assert await items.sweep(shelf, NOON + 2.4 * MINUTE) == 0
        assert shelf not in await items.expired(NOON + 2.4 * MINUTE, 1000)
        assert shelf in await items.expired(NOON + 2.5 * MINUTE, 1000)
        assert len(await items.expired(NOON + 2.5 * MINUTE, 1)) == 1
        assert await items.sweep(shelf, NOON + 2.5 * MINUTE) == 1
        assert shelf not in await items.expired(NOON + 2.5 * MINUTE, 1000)
        assert keys(await items.search(shelf, ItemQuery(()))) == ["for ever"]

    async def _check_alive(self, items: ItemRepository, shelf: StoreScope, at: datetime, *, alive: bool) -> None:
        [item] = await items.read(shelf, [ItemAddress(("a",), "k")], at)
        assert (item is not None) is alive
        for query in (ItemQuery(()), ItemQuery((), vector=pointing(1, 0).vector), ItemQuery(("a",), words="red")):
            assert ("k" in keys(await items.search(shelf, query._replace(alive_at=at)))) is alive
            assert "k" in keys(await items.search(shelf, query))
        assert (("a",) in await items.namespaces(shelf, (), at)) is alive
        assert ("a",) in await items.namespaces(shelf, (), None)

    async def test_item_namespaces(self, items: ItemRepository, shelf: StoreScope) -> None:
        """Each namespace that has an item comes once, in order of its labels; below a prefix when one is given."""
        there = [("a",), ("a", "b"), ("a", "b", "c"), ("a!",), ("ab",), ("b", "a")]
        for number, namespace in enumerate(3 * there):
            await items.write(shelf, [put(str(number), at=namespace)], NOON)
        assert await items.namespaces(shelf, (), None) == sorted(there)
        assert await items.namespaces(shelf, ("a",), None) == there[:3]
        assert await items.namespaces(shelf, ("a", "b"), None) == there[1:3]
        assert await items.namespaces(shelf, ("c",), None) == []

    async def test_item_many_namespaces(self, items: ItemRepository, shelf: StoreScope) -> None:
        """None is passed over, neither among namespaces with an item each nor after one with hundreds."""
        alone = [("alone", f"{number:03}") for number in range(250)]
        full = [put(f"{number}", at=("full",)) for number in range(250)]
        await items.write(shelf, [*full, *(put("k", at=namespace) for namespace in [*alone, ("last",)])], NOON)
        assert await items.namespaces(shelf, (), NOON) == [*alone, ("full",), ("last",)]
        assert await items.namespaces(shelf, ("full",), NOON) == [("full",)]

    async def test_item_concurrent_batches(self, items: ItemRepository, shelf: StoreScope) -> None:
        """Batches that write the same places in any order neither wait for each other nor mix: one of them holds."""

        async def write(number: int) -> None:
            batch = [put(f"k{place}", {"by": number}, entries=[pointing(1, number)]) for place in range(8)]
            await items.write(shelf, batch[number % 8 :] + batch[: number % 8], NOON)

        await asyncio.gather(*(write(number) for number in range(12)))
        hits = await items.search(shelf, ItemQuery((), limit=100, vector=pointing(1, 0).vector))
        assert len(hits) == 8
        assert len({hit.item.value for hit in hits}) == 1
