"""The promises of RecuerdoStore beyond those of LangGraph's InMemoryStore."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, TypedDict

import pytest
from examples import sqlalchemy_adapter
from keepers import opened
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.store.base import BaseStore, InvalidNamespaceError, PutOp, SearchOp
from letters import DIMS, Letters

from recuerdo import Recuerdo
from recuerdo.core.errors import ConfigurationError, InvalidInput
from recuerdo.integrations.langgraph import RecuerdoStore
from recuerdo.testing import FakeClock

INDEX: Any = {"dims": DIMS, "embed": Letters(), "fields": ["text"]}


@pytest.fixture
async def store(keeper: Any, tenant: str) -> RecuerdoStore:
    return RecuerdoStore(keeper, tenant=tenant, index=INDEX)


async def test_concurrent_batches_lose_nothing(store: RecuerdoStore) -> None:
    await asyncio.gather(
        *(store.abatch([PutOp(("n", str(ns)), str(key), {"v": key}) for key in range(10)]) for ns in range(10))
    )
    assert len(await store.asearch(("n",), limit=1000)) == 100
    await asyncio.gather(*(store.aput(("n", "0"), "same", {"v": number}) for number in range(20)))
    item = await store.aget(("n", "0"), "same")
    assert item is not None
    assert item.value["v"] in range(20)


async def test_an_item_keeps_when_it_was_created_and_the_latest_updated_come_first(keeper: Any, tenant: str) -> None:
    clock = FakeClock()
    store = RecuerdoStore(keeper, tenant=tenant, clock=clock)
    for key in ("first", "second", "first"):
        await store.aput(("a",), key, {"k": key})
        clock.advance(timedelta(seconds=60))
    items = await store.asearch(("a",))
    assert [item.key for item in items] == ["first", "second"]
    assert (items[0].updated_at - items[0].created_at).total_seconds() == 120
    assert items[0].created_at.tzinfo is not None
    assert [item.key for item in await store.asearch(("a",), limit=1, offset=1)] == ["second"]
    assert await store.asearch(("a",), limit=0) == []


async def test_a_user_that_is_no_text_is_refused_instead_of_having_a_store_that_nobody_else_sees(keeper: Any) -> None:
    nobody: Any = None
    with pytest.raises(InvalidInput, match="user"):
        RecuerdoStore(keeper, user=nobody)


async def test_values_come_back_exactly(store: RecuerdoStore) -> None:
    exact: dict[str, Any] = {"big": 10**30, "small": 1e-300, "huge": 1e300, "one": 1.0, "text": "ñ 👩‍👩‍👧 \"'\\ %s {}"}
    exact[""] = {"a": [None, True]}
    await store.aput(("a",), "k", exact, index=False)
    item = await store.aget(("a",), "k")
    assert item is not None
    assert repr(item.value) == repr(exact)
    assert (await store.asearch(("a",), filter={"one": 1}))[0].value == exact


@pytest.mark.parametrize(
    "put",
    [
        PutOp(("a",), "k", {"x": float("nan")}),
        PutOp(("a",), "k", {"x": object()}),
        PutOp(("a",), "k", {"x": "\0"}),
        PutOp(("a",), "k", {"x": "\ud800"}),
        PutOp(("a",), "k", ["no dict"]),
        PutOp(("a",), "k\0", {}),
        PutOp(("a",), "k" * 2000, {}),
        PutOp(("a",), 7, {}),
        PutOp(("a",), "k", {}, ttl=2.3e16),
        PutOp(("a",), "k", {}, ttl=float("nan")),
        SearchOp(("a",), limit=-1),
        SearchOp(("a",), filter={"x": {"$regex": "."}}),
        SearchOp(("a",), filter={"x": {"$gt": [1]}}),
        SearchOp(("a",), filter={"x": object()}),
        "put",
    ],
    ids=lambda put: type(put).__name__,
)
async def test_what_cannot_be_kept_or_asked_is_refused_and_changes_nothing(put: Any) -> None:
    async with opened("memory://") as keeper:
        store = RecuerdoStore(keeper)
        with pytest.raises(InvalidInput):
            await store.abatch([PutOp(("a",), "other", {}), put])
        assert await store.asearch(()) == []


@pytest.mark.parametrize("namespace", [(), ("",), ("a.b",), ("langgraph", "x")])
async def test_namespaces_are_checked_as_in_all_stores(namespace: tuple[str, ...]) -> None:
    async with opened("memory://") as keeper:
        with pytest.raises(InvalidNamespaceError):
            await RecuerdoStore(keeper).aput(namespace, "k", {})


async def test_tenants_and_users_never_see_each_others_items(keeper: Any, tenant: str) -> None:
    whose: list[Callable[[], RecuerdoStore]] = [
        lambda: RecuerdoStore(keeper, tenant=tenant, index=INDEX),
        lambda: RecuerdoStore(keeper, tenant=tenant, user="emi", index=INDEX),
        lambda: RecuerdoStore(keeper, tenant=tenant, user="ana", index=INDEX),
        lambda: RecuerdoStore(keeper, tenant=f"{tenant}-2", user="emi", index=INDEX),
    ]
    for number, make in enumerate(whose):
        await make().aput(("a", f"of-{number}"), "k", {"text": f"red {number}"})
    for number, make in enumerate(whose):
        store = make()
        assert [item.value["text"] for item in await store.asearch(())] == [f"red {number}"]
        assert [item.value["text"] for item in await store.asearch((), query="red")] == [f"red {number}"]
        assert await store.alist_namespaces() == [("a", f"of-{number}")]
        assert await store.aget(("a", f"of-{(number + 1) % 4}"), "k") is None
    await whose[1]().adelete(("a", "of-1"), "k")
    assert [len(await make().asearch(())) for make in whose] == [1, 0, 1, 1]


async def test_a_users_namespaces_are_listed_with_those_that_all_users_share(keeper: Any, tenant: str) -> None:
    ana, emi = (RecuerdoStore(keeper, tenant=tenant, user=user) for user in ("ana", "emi"))
    await ana.aput((tenant, "ana"), "k", {})
    await ana.aput((tenant, "shared", "faq", "es"), "k", {})
    await emi.aput(("emi",), "k", {})
    shared = (tenant, "shared", "faq", "es")
    assert await ana.alist_namespaces() == sorted([(tenant, "ana"), shared])
    assert await emi.alist_namespaces() == sorted([("emi",), shared])
    assert await ana.alist_namespaces(prefix=(tenant,), max_depth=3) == [(tenant, "ana"), shared[:3]]
    for conditions in (
        {"prefix": shared[:2]},
        {"prefix": shared[:3]},
        {"prefix": ("*", "shared")},
        {"suffix": ("es",)},
    ):
        assert await ana.alist_namespaces(**conditions) == [shared]
    assert await ana.alist_namespaces(prefix=("elsewhere",)) == []
    assert await ana.alist_namespaces(limit=1, offset=1) == [shared]
    for stranger in (
        RecuerdoStore(keeper, tenant=f"{tenant}-2", user="ana"),
        RecuerdoStore(keeper, tenant=tenant, user="anonymous"),
    ):
        assert await stranger.alist_namespaces() == []


async def test_items_expire_and_reading_them_puts_it_off(keeper: Any, tenant: str) -> None:
    clock = FakeClock()
    store = RecuerdoStore(
        keeper, tenant=tenant, index=INDEX, ttl={"default_ttl": 10, "refresh_on_read": True}, clock=clock
    )
    await store.aput(("a",), "read", {"text": "red"})
    await store.aput(("a",), "found", {"text": "blue"})
    await store.aput(("a",), "looked at", {"text": "green"})
    await store.aput(("b",), "for ever", {"text": "grey"}, ttl=None)
    await store.aput(("a",), "short", {"text": "red"}, ttl=0.5)
    clock.advance(timedelta(seconds=6 * 60))
    assert await store.aget(("a",), "read")
    assert [item.key for item in await store.asearch(("a",), query="blue", limit=1)] == ["found"]
    assert await store.aget(("a",), "looked at", refresh_ttl=False)
    assert await store.aget(("a",), "short") is None
    clock.advance(timedelta(seconds=6 * 60))
    assert sorted(item.key for item in await store.asearch((), query="red", refresh_ttl=False)) == [
        "for ever",
        "found",
        "read",
    ]
    assert await store.alist_namespaces() == [("a",), ("b",)]
    assert await store.sweep_ttl() == 2
    assert await store.sweep_ttl() == 0
    clock.advance(timedelta(seconds=11 * 60))
    assert await store.alist_namespaces() == [("b",)]
    assert await store.sweep_ttl() == 2
    assert [item.key for item in await store.asearch((), query="red")] == ["for ever"]


async def test_writing_again_begins_a_new_life(keeper: Any, tenant: str) -> None:
    clock = FakeClock()
    store = RecuerdoStore(keeper, tenant=tenant, clock=clock, ttl={"refresh_on_read": False})
    await store.aput(("a",), "k", {"v": 1}, ttl=1)
    await store.aput(("a",), "k", {"v": 2})
    await store.aput(("a",), "l", {"v": 1})
    await store.aput(("a",), "l", {"v": 2}, ttl=1)
    clock.advance(timedelta(seconds=59))
    assert await store.aget(("a",), "l")
    clock.advance(timedelta(seconds=2))
    assert [item.key for item in await store.asearch(())] == ["k"]


async def test_expired_items_stay_in_sight_where_that_is_wanted(keeper: Any, tenant: str) -> None:
    clock = FakeClock()
    store = RecuerdoStore(keeper, tenant=tenant, clock=clock, ttl={"omit_expired": False, "refresh_on_read": False})
    await store.aput(("a",), "k", {"v": 1}, ttl=1)
    clock.advance(timedelta(seconds=3600))
    assert await store.aget(("a",), "k")
    assert len(await store.asearch(("a",))) == len(await store.alist_namespaces()) == 1
    assert await store.sweep_ttl() == 1
    assert await store.aget(("a",), "k") is None


async def test_the_sweeper_deletes_what_expires_until_it_is_stopped(keeper: Any, tenant: str) -> None:
    store = RecuerdoStore(keeper, tenant=tenant, ttl={"omit_expired": False, "refresh_on_read": False})
    assert await store.stop_ttl_sweeper()
    await store.aput(("a",), "k", {"v": 1}, ttl=0.0001)
    task = await store.start_ttl_sweeper(0.0002)
    assert await store.start_ttl_sweeper(0.0002) is task
    while await store.aget(("a",), "k"):  # noqa: ASYNC110 - nobody tells when a sweep has been
        await asyncio.sleep(0.01)
    assert await store.stop_ttl_sweeper(timeout=60)
    assert task.done()


async def test_words_find_what_letters_do_not(keeper: Any, tenant: str) -> None:
    """With `words`, also without an index, and without regard to case and accents."""
    store = RecuerdoStore(keeper, tenant=tenant, words=True)
    await store.aput(("a",), "1", {"text": "El camión rojo"})
    await store.aput(("a",), "2", {"text": "La casa azul", "n": 1})
    await store.aput(("a",), "3", {"text": "camion azul"}, index=False)
    assert [item.key for item in await store.asearch((), query="CAMION")] == ["1"]
    assert [item.key for item in await store.asearch((), query="la casa del camión")] == ["2", "1"]
    assert [item.key for item in await store.asearch((), query="casa", filter={"n": {"$gt": 1}})] == []
    assert await store.asearch((), query="'; DROP & | ! <-> :* %s") == []
    await store.adelete(("a",), "1")
    assert await store.asearch((), query="camion") == []


async def test_words_and_meaning_count_together(keeper: Any, tenant: str) -> None:
    index: Any = {"dims": DIMS, "embed": Letters(), "fields": ["text"]}
    by_letters = RecuerdoStore(keeper, tenant=tenant, index=index)
    both = RecuerdoStore(keeper, tenant=tenant, index=index, words=True)
    await both.aput(("a",), "anagram", {"text": "silent tinsel"})
    await both.aput(("a",), "word", {"text": "listen to the xylophone quartet"})
    assert (await by_letters.asearch((), query="listen"))[0].key == "anagram"
    assert (await both.asearch((), query="listen"))[0].key == "word"
    assert len(await both.asearch((), query="listen")) == 2


async def test_each_text_is_embedded_once_a_batch(keeper: Any, tenant: str) -> None:
    letters = Letters()
    store = RecuerdoStore(keeper, tenant=tenant, index={"dims": DIMS, "embed": letters, "fields": ["text"]})
    await store.abatch([PutOp(("a",), str(number), {"text": "same"}) for number in range(5)])
    await store.abatch([SearchOp((), query="x"), SearchOp(("a",), query="x"), SearchOp((), query=None)])
    assert letters.calls == [["same"], ["x"]]


async def test_a_model_of_other_dimensions_is_refused(keeper: Any, tenant: str) -> None:
    store = RecuerdoStore(keeper, tenant=tenant, index={"dims": 5, "embed": Letters()})
    with pytest.raises(ConfigurationError, match="26 dimensions"):
        await store.aput(("a",), "k", {"text": "x"})
    assert await store.asearch(()) == []


async def test_vectors_of_another_length_are_not_compared(keeper: Any, tenant: str) -> None:
    def two(texts: Any) -> list[list[float]]:
        return [[1.0, float(len(text))] for text in texts]

    old = RecuerdoStore(keeper, tenant=tenant, index={"dims": 2, "embed": two})
    new = RecuerdoStore(keeper, tenant=tenant, index=INDEX)
    await old.aput(("a",), "old", {"text": "red"})
    await new.aput(("a",), "new", {"text": "red"})
    assert [(item.key, item.score is None) for item in await new.asearch((), query="red")] == [
        ("new", False),
        ("old", True),
    ]


async def test_the_synchronous_methods_do_the_same_from_other_threads(store: RecuerdoStore) -> None:
    def use() -> Any:
        store.put(("a",), "k", {"text": "red"})
        found = store.get(("a",), "k"), store.search(("a",), query="red"), store.list_namespaces()
        store.delete(("a",), "k")
        return *found, store.get(("a",), "k")

    item, [hit], namespaces, gone = await asyncio.to_thread(use)
    assert (item.value, hit.key, namespaces, gone) == ({"text": "red"}, "k", [("a",)], None)
    with pytest.raises(ConfigurationError, match="Await"):
        store.get(("a",), "k")


async def test_a_store_opens_a_database_for_itself(tmp_path: Path) -> None:
    """An item that one store wrote is there for the next."""
    url = f"sqlite:///{tmp_path}/items.db"
    async with RecuerdoStore.from_conn_string(url) as store:
        await store.setup()
        await store.aput(("a",), "k", {"v": 1})
    async with Recuerdo.open(url, embeddings="none") as memory:
        item = await RecuerdoStore(memory).aget(("a",), "k")
        assert item is not None
        assert item.value == {"v": 1}


def test_a_store_works_in_a_program_without_an_event_loop(tmp_path: Path) -> None:
    with RecuerdoStore.from_conn_string(f"sqlite:///{tmp_path}/items.db", tenant="acme", index=INDEX) as store:
        store.put(("a",), "k", {"text": "red"})
        assert [item.key for item in store.search(("a",), query="red")] == ["k"]
        assert [item.key for item in asyncio.run(store.asearch(("a",), query="red"))] == ["k"]


async def test_a_graph_remembers_across_threads(store: RecuerdoStore) -> None:
    """Nodes get the store from LangGraph, and find by meaning what another thread's run has put."""

    class State(TypedDict):
        said: str
        known: list[str]

    async def remember(state: State, *, store: BaseStore) -> dict[str, Any]:
        known = await store.asearch(("memories", "emi"), query=state["said"], limit=1)
        await store.aput(("memories", "emi"), state["said"], {"text": state["said"]})
        return {"known": [item.value["text"] for item in known]}

    builder = StateGraph(State)
    builder.add_node("remember", remember)
    builder.add_edge(START, "remember")
    graph = builder.compile(store=store, checkpointer=InMemorySaver())
    for number, text in enumerate(["I like zebras", "the sea is cold", "zebra"]):
        state = await graph.ainvoke({"said": text}, {"configurable": {"thread_id": str(number)}})
    assert state["known"] == ["I like zebras"]


async def test_a_database_without_items_says_what_to_use(tmp_path: Path) -> None:
    assert sqlalchemy_adapter.Database  # importing it registers its scheme
    async with Recuerdo.open(f"sqlalchemy:///{tmp_path}/core.db", embeddings="none") as memory:
        with pytest.raises(ConfigurationError, match="postgresql"):
            RecuerdoStore(memory)
