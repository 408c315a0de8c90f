"""RecuerdoStore beside LangGraph's InMemoryStore: the same operations give the same answers."""

import random
from typing import Any

import pytest
from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore
from letters import DIMS, Letters

from recuerdo.integrations.langgraph import RecuerdoStore

INDEX: Any = {"dims": DIMS, "embed": Letters(), "fields": ["text", "tags[*]"]}
NAMESPACES = [
    ("a",),
    ("a", "b"),
    ("a", "bc"),
    ("ab",),
    ("b", "a", "c"),
    ("a", "x", "c"),
    ("a", "y", "c", "d"),
    ("ñ", "x"),
]
FILTERS: list[dict[str, Any]] = [
    {},
    {"n": 3},
    {"n": {"$eq": 3}},
    {"n": {"$ne": 3}},
    {"n": {"$gt": 3}},
    {"n": {"$gte": 3}},
    {"n": {"$lt": 3.5}},
    {"n": {"$lte": 2, "$gt": 0}},
    {"n": {"$gt": 1}, "color": "red"},
    {"color": {"$ne": "red"}},
    {"absent": None},
    {"absent": {"$eq": None}},
    {"absent": {"$ne": None}},
    {"maybe": None},
    {"deep": {"x": 1}},
    {"deep": {"x": {"$ne": 1}}},
    {"deep": {"x": {"$eq": 1}, "y": {"z": "q"}}},
    {"deep": {"$eq": {"x": 1, "y": {"z": "q"}}}},
    {"deep": {}},
    {"tags": ["red", "hot"]},
    {"tags": ["red", {"$ne": "hot"}]},
    {"tags": []},
    {"tags": {"$eq": ["red", "hot"]}},
    {"tags": {"$ne": ["red", "hot"]}},
    {"n": "3"},
    {"it's": '"quoted"'},
]


def value(chance: random.Random) -> dict[str, Any]:
    words = ["red apple", "blue sea", "red sea", "zebra", "quiz box", "a b c"]
    return {
        "text": chance.choice(words),
        "n": chance.choice([0, 1, 2, 3, 3.0, 4]),
        "color": chance.choice(["red", "blue"]),
        "tags": chance.choice([[], ["red"], ["red", "hot"], ["blue", "cold"]]),
        "deep": chance.choice([{}, {"x": 1}, {"x": 1, "y": {"z": "q"}}, {"x": 2, "y": {"z": "p"}}]),
        "it's": chance.choice(['"quoted"', "%s"]),
        **chance.choice([{"maybe": None}, {"maybe": True}, {}]),
    }


@pytest.fixture
async def store(keeper: Any, tenant: str) -> RecuerdoStore:
    return RecuerdoStore(keeper, tenant=tenant, index=INDEX)


@pytest.fixture
def oracle() -> InMemoryStore:
    return InMemoryStore(index=INDEX)


async def fill(*stores: BaseStore, seed: int = 1, count: int = 60) -> None:
    chance = random.Random(seed)
    for number in range(count):
        operation = PutOp(chance.choice(NAMESPACES), f"k{number % 25}", value(chance))
        if number % 10 == 9:
            operation = operation._replace(value=None)
        if number % 7 == 6:
            operation = operation._replace(index=chance.choice([False, ["color"], ["deep.y.z"], ["text"]]))
        for store in stores:
            if isinstance(store, InMemoryStore):  # it keeps vectors of what it replaces
                await store.adelete(operation.namespace, operation.key)
            await store.abatch([operation])


def seen(items: Any) -> list[Any]:
    return sorted((item.namespace, item.key, repr(item.value)) for item in items)


async def test_a_filter_finds_what_the_oracle_finds(store: RecuerdoStore, oracle: InMemoryStore) -> None:
    await fill(store, oracle, count=40)
    for wanted in FILTERS:
        for prefix in ((), ("a",), ("nowhere",)):
            ours = await store.asearch(prefix, filter=wanted, limit=1000)
            theirs = await oracle.asearch(prefix, filter=wanted, limit=1000)
            assert seen(ours) == seen(theirs), wanted


async def test_an_order_holds_among_numbers_and_among_texts_and_absent_values_have_none(store: RecuerdoStore) -> None:
    """Where the oracle would raise, and where LangGraph's Postgres store compares numbers as texts."""
    for number, found in enumerate([9, 10, 10.5, "9", "10", "ñ", None, True, [10], {"a": 10}]):
        await store.aput(("a",), str(number), {"x": found, "deep": {"x": found}})

    async def keys(wanted: dict[str, Any]) -> str:
        return "".join(sorted(item.key for item in await store.asearch((), filter=wanted)))

    for wanted in ({"x": {"$gt": 9}}, {"deep": {"x": {"$gt": 9}}}):
        assert await keys(wanted) == "12"
    assert await keys({"x": {"$lte": 10}}) == "01"
    assert await keys({"x": {"$gte": "10"}}) == "345"
    assert await keys({"x": {"$lt": "9"}}) == "4"
    assert await keys({"x": {"$gte": "z"}}) == "5"
    assert await keys({"x": 1}) == ""
    assert await keys({"x": [10]}) == await keys({"x": {"$eq": [10]}}) == "8"
    assert await keys({"x": {"a": {"$gt": 9}}}) == "9"


async def test_everything_else_answers_as_the_oracle_does(store: RecuerdoStore, oracle: InMemoryStore) -> None:
    """Gets, searches by meaning with filters and pages, and lists of namespaces, over several histories of writes."""
    for seed in range(2):
        await fill(store, oracle, seed=seed)
        everything = [GetOp(namespace, f"k{number}") for namespace in NAMESPACES for number in range(25)]
        gotten = zip(await store.abatch(everything), await oracle.abatch(everything), strict=True)
        assert all(_plain(one) == _plain(other) for one, other in gotten)
        for prefix in ((), ("a",), ("a", "b")):
            for query in ("red", "zebra quiz"):
                await same_ranking(store, oracle, prefix, query, {})
                await same_ranking(store, oracle, prefix, query, {"n": {"$gt": 1}})
        for arguments in LISTINGS:
            assert await store.alist_namespaces(**arguments) == await oracle.alist_namespaces(**arguments)


LISTINGS: list[dict[str, Any]] = [
    {},
    {"prefix": ("a",)},
    {"prefix": ("a", "b")},
    {"prefix": ("a", "*", "c")},
    {"prefix": ("*", "a")},
    {"prefix": ("*",)},
    {"prefix": ("ñ", "*")},
    {"suffix": ("c",)},
    {"suffix": ("*", "c")},
    {"suffix": ("a", "*")},
    {"prefix": ("a",), "suffix": ("c",)},
    {"max_depth": 1},
    {"max_depth": 2, "prefix": ("a",)},
    {"max_depth": 2, "limit": 2, "offset": 1},
    {"limit": 3},
    {"limit": 3, "offset": 3},
    {"offset": 100},
    {"prefix": ("absent",)},
]


async def same_ranking(
    store: BaseStore, oracle: BaseStore, prefix: tuple[str, ...], query: str, wanted: dict[str, Any]
) -> None:
    """The same scores in the same order; which of equal ones comes first is nobody's promise."""
    ours = await store.asearch(prefix, query=query, filter=wanted, limit=1000)
    theirs = await oracle.asearch(prefix, query=query, filter=wanted, limit=1000)
    assert [rounded(item.score) for item in ours] == [rounded(item.score) for item in theirs]
    assert sorted((rounded(item.score, -9), item.namespace, item.key) for item in ours) == sorted(
        (rounded(item.score, -9), item.namespace, item.key) for item in theirs
    )
    pages = [await store.asearch(prefix, query=query, filter=wanted, limit=45, offset=at) for at in range(0, 180, 45)]
    assert [(item.namespace, item.key) for page in pages for item in page] == [(i.namespace, i.key) for i in ours]


def rounded(score: float | None, absent: Any = None) -> Any:
    return absent if score is None else round(score, 4) + 0.0


async def test_a_batch_reads_before_it_writes_and_the_later_put_holds(
    store: RecuerdoStore, oracle: InMemoryStore
) -> None:
    operations: list[Any] = [
        PutOp(("a",), "k", {"v": 1}),
        GetOp(("a",), "k"),
        PutOp(("a",), "k", {"v": 2}),
        SearchOp(("a",)),
        PutOp(("a",), "gone", {"v": 3}),
        PutOp(("a",), "gone", None),
    ]
    for _ in range(2):
        ours, theirs = await store.abatch(operations), await oracle.abatch(operations)
        assert [_plain(each) for each in ours] == [_plain(each) for each in theirs]
    found = await store.abatch([GetOp(("a",), "k"), GetOp(("a",), "gone"), GetOp(("b",), "k")])
    assert [item and item.value for item in found] == [{"v": 2}, None, None]
    everywhere = ListNamespacesOp(match_conditions=(MatchCondition("prefix", ()),))
    assert await store.abatch([ListNamespacesOp(), everywhere]) == [[("a",)], [("a",)]]


def _plain(result: Any) -> Any:
    if isinstance(result, list):
        return [_plain(each) for each in result]
    return (result.namespace, result.key, result.value) if isinstance(result, Item) else result
