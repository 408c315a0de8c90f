"""Calls of a store that come together, and its methods that have one name in both kinds of programs."""

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from letters import DIMS

from recuerdo.core.conditions import conditions_of, meets
from recuerdo.core.errors import InvalidInput
from recuerdo.integrations.langgraph import RecuerdoSaver, RecuerdoStore
from recuerdo.testing import FakeClock

URLS = ["sqlite", "postgres"]


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'items.db'}"


async def test_thousands_of_calls_that_come_together_are_all_answered(keeper: Any, tenant: str) -> None:
    """The shape of LangGraph's own test of its store; where each takes a connection they wait too long and fail."""
    store = RecuerdoStore(keeper, tenant=tenant)
    calls: list[Any] = []
    for depth in range(20):
        for number in range(100):
            place = ("test", "foo", str(depth % 2)), f"key{number}"
            calls += [
                store.aput(*place, {"foo": f"bar{number}"}),
                store.aget(*place),
                store.alist_namespaces(max_depth=depth + 1),
                store.asearch(("test",)),
                store.aput(*place, {"foo": f"bar{number}"}),
                store.adelete(*place),
            ]
    assert len(await asyncio.gather(*calls)) == 12_000
    assert await store.asearch(("test",)) == []  # the delete came last


async def test_writes_that_come_together_share_a_transaction_and_keep_their_order(
    keeper: Any, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    write = keeper.items.write

    async def count(scope: Any, puts: Sequence[Any], at: Any) -> None:
        sizes.append(len(puts))
        await asyncio.sleep(0)
        await write(scope, puts, at)

    monkeypatch.setattr(keeper.items, "write", count)
    store = RecuerdoStore(keeper, tenant=tenant)
    await asyncio.gather(*(store.aput(("a",), str(number % 50), {"v": number}) for number in range(500)))
    assert sizes == [1, 50]
    found = await asyncio.gather(*(store.aget(("a",), str(number)) for number in range(50)))
    assert [item and item.value["v"] for item in found] == [*range(450, 500)]


async def test_callers_that_ask_for_the_same_get_items_of_their_own(keeper: Any, tenant: str) -> None:
    store = RecuerdoStore(keeper, tenant=tenant)
    await store.aput(("a",), "k", {"tags": ["red"]})
    pages = await asyncio.gather(*(store.asearch(("a",)) for _ in range(10)))
    items = await asyncio.gather(*(store.aget(("a",), "k") for _ in range(10)))
    assert items[3] is not None
    pages[3][0].value["tags"].append("changed")
    items[3].value["tags"].append("changed")
    assert [page[0].value for page in pages].count({"tags": ["red"]}) == 9
    assert [item and item.value for item in items].count({"tags": ["red"]}) == 9


async def test_a_put_that_fails_fails_alone(keeper: Any, tenant: str) -> None:
    async def embed(texts: Sequence[str]) -> list[list[float]]:
        if any("bad" in text for text in texts):
            raise ValueError("the model refuses this")
        return [[1.0] * DIMS for _ in texts]

    store = RecuerdoStore(keeper, tenant=tenant, index={"dims": DIMS, "embed": embed})
    texts = ["good"] * 5 + ["bad"] + ["good"] * 5
    outcomes = await asyncio.gather(
        *(store.aput(("a",), str(number), {"text": text}) for number, text in enumerate(texts)), return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [type(None)] * 5 + [ValueError] + [type(None)] * 5
    assert len(await store.asearch(("a",), limit=20)) == 10


@pytest.mark.parametrize("url", URLS, indirect=True)
def test_a_program_without_an_event_loop_sweeps(url: str) -> None:
    """As LangGraph's PostgresStore and PostgresSaver; nobody awaits anything."""
    with RecuerdoSaver.from_conn_string(url, user="emi") as saver:
        assert saver.setup() is None
    expiry: Any = {"omit_expired": False}
    with RecuerdoStore.from_conn_string(url, tenant="sweeping", ttl=expiry) as store:
        assert store.setup() is None
        store.put(("a",), "k", {"v": 1}, ttl=0.00001)
        _until(lambda: store.sweep_ttl() == 1)
        assert store.stop_ttl_sweeper() is True
        sweeping = store.start_ttl_sweeper(0.001)
        assert not sweeping.done()
        store.put(("a",), "k", {"v": 1}, ttl=0.00001)
        _until(lambda: store.get(("a",), "k") is None)
        assert store.stop_ttl_sweeper(timeout=60) is True
        assert sweeping.result(timeout=60) is None
        again = store.start_ttl_sweeper(0.001)
        assert again.cancel()
        store.start_ttl_sweeper(0.001)  # ends with the block


def _until(happened: Callable[[], bool]) -> None:
    while not happened():
        time.sleep(0.01)


@pytest.mark.parametrize("url", URLS, indirect=True)
async def test_an_asynchronous_program_sweeps_whether_it_awaits_or_not(url: str) -> None:
    async with RecuerdoSaver.from_conn_string(url, user="emi") as saver:
        await saver.setup()
        saver.setup()
    expiry: Any = {"omit_expired": False}
    async with RecuerdoStore.from_conn_string(url, tenant="async", ttl=expiry) as store:
        await store.setup()
        assert await store.sweep_ttl() == 0
        await store.aput(("a",), "k", {"v": 1}, ttl=0.00001)
        store.start_ttl_sweeper(0.001)
        while await store.aget(("a",), "k"):  # noqa: ASYNC110 - nobody tells when a sweep has been
            await asyncio.sleep(0.01)
        task = await store.start_ttl_sweeper()
    assert task.done()


@pytest.mark.parametrize("expiry", [None, {"default_ttl": 10}, {"refresh_on_read": False}])
async def test_reading_prolongs_no_life_unless_that_is_wanted(keeper: Any, tenant: str, expiry: Any) -> None:
    clock = FakeClock()
    store = RecuerdoStore(keeper, tenant=tenant, ttl=expiry, clock=clock)
    for key in ("read", "found", "asked for"):
        await store.aput(("a",), key, {"key": key}, ttl=10)
    clock.advance(timedelta(minutes=6))
    assert await store.aget(("a",), "read")
    assert await store.asearch(("a",), filter={"key": "found"})
    assert await store.aget(("a",), "asked for", refresh_ttl=True)
    clock.advance(timedelta(minutes=6))
    assert [item.key for item in await store.asearch(())] == ["asked for"]


VALUES: list[Any] = [None, True, 0, -3, 2.5, 10**400, "", "a", "ab", "b", "\ud7ff", "\ue000", "😀", [1], {"a": 1}]
ODD: list[Any] = [math.inf, -math.inf, math.nan, "\0", "a\0b", "\ud800", "a\udfff", "😀\ud800", 10**400]
FILTERS: list[dict[str, Any]] = [
    *({"v": {operator: odd}} for odd in ODD for operator in ("$eq", "$ne", "$lt", "$lte", "$gt", "$gte")),
    *({"v": odd} for odd in ODD),
    *({"v": {"$ne": [odd]}} for odd in ODD),
    {"v": [math.inf]},
    {"v": {"a": math.nan}},
    {"v": {"$eq": {"\0": 1}}},
    {"v": {"a\0": None}},
    {"\ud800": None},
    {"\ud800": {"$ne": None}},
    {"v": {"$lt": math.inf, "$gt": 0}},
]


async def test_filters_may_ask_for_what_no_value_can_be(keeper: Any, tenant: str) -> None:
    """And mean what they say."""
    store = RecuerdoStore(keeper, tenant=tenant)
    for number, value in enumerate(VALUES):
        await store.aput(("a",), str(number), {"v": value})
    for wanted in FILTERS:
        found = await store.asearch(("a",), filter=wanted, limit=100)
        expected = [number for number, value in enumerate(VALUES) if _matches(value, wanted)]
        assert sorted(int(item.key) for item in found) == expected, wanted
    with pytest.raises(InvalidInput, match="labels"):
        await store.asearch(("\ud800",))
    with pytest.raises(InvalidInput, match="labels"):
        await store.alist_namespaces(suffix=("\ud800",))
    await store.asearch(("a",), query="\ud800 red\0")


def _matches(value: Any, wanted: dict[str, Any]) -> bool:
    """The items that match the filter, according to Python."""
    operators: dict[str, Callable[[Any, Any], bool]] = {
        "$eq": lambda one, other: one == other,
        "$ne": lambda one, other: one != other,
        "$lt": lambda one, other: one < other,
        "$lte": lambda one, other: one <= other,
        "$gt": lambda one, other: one > other,
        "$gte": lambda one, other: one >= other,
    }
    asked = wanted.get("v")
    if isinstance(asked, dict) and all(key in operators for key in asked):
        return all(_holds(operators[key], key, value, operand) for key, operand in asked.items())
    return meets({"v": value}, conditions_of(wanted))


def _holds(compare: Callable[[Any, Any], bool], operator: str, value: Any, operand: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return compare(value, operand)
    numbers = [isinstance(each, int | float) and not isinstance(each, bool) for each in (value, operand)]
    texts = isinstance(value, str) and isinstance(operand, str)
    return (all(numbers) or texts) and compare(value, operand)
