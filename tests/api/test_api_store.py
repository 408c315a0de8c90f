"""The store, as LangGraph's SDK sees it."""

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import UnprocessableEntityError

from servers.recuerdo import RecuerdoServer


async def test_an_item_is_put_got_and_deleted(client: LangGraphClient) -> None:
    assert await client.store.get_item(["a", "b"], "k") is None
    await client.store.put_item(["a", "b"], "k", {"x": 1})
    await client.store.put_item(["a", "b"], "k", {"x": 2})
    item = await client.store.get_item(["a", "b"], "k")
    assert (item["namespace"], item["key"], item["value"]) == (["a", "b"], "k", {"x": 2})
    assert item["created_at"] <= item["updated_at"]
    await client.store.delete_item(["a", "b"], "k")
    assert await client.store.get_item(["a", "b"], "k") is None


async def test_items_are_found_below_a_namespace_and_by_filter(client: LangGraphClient) -> None:
    for number in range(3):
        await client.store.put_item(["a", str(number)], "k", {"number": number})
    found = await client.store.search_items(["a"], filter={"number": 1})
    assert [item["value"] for item in found["items"]] == [{"number": 1}]
    assert len((await client.store.search_items(["a"], limit=2))["items"]) == 2
    assert (await client.store.search_items(["b"]))["items"] == []


async def test_namespaces_are_listed(client: LangGraphClient) -> None:
    await client.store.put_item(["a", "b"], "k", {})
    await client.store.put_item(["c", "d"], "k", {})
    assert (await client.store.list_namespaces())["namespaces"] == [["a", "b"], ["c", "d"]]
    assert (await client.store.list_namespaces(prefix=["c"]))["namespaces"] == [["c", "d"]]
    assert (await client.store.list_namespaces(max_depth=1))["namespaces"] == [["a"], ["c"]]


async def test_a_put_answers_with_nothing(api_server: RecuerdoServer) -> None:
    """204 for a put, and null for an item that is not there, as LangGraph's own server has it."""
    async with httpx.AsyncClient(base_url=api_server.url) as http:
        put = await http.put("/store/items", json={"namespace": ["z"], "key": "k", "value": {}})
        assert (put.status_code, put.content) == (204, b"")
        absent = await http.get("/store/items", params={"namespace": "z", "key": "nothing"})
        assert (absent.status_code, absent.json()) == (200, None)


async def test_a_label_with_a_dot_is_refused(client: LangGraphClient) -> None:
    with pytest.raises(UnprocessableEntityError):
        await client.http.put("/store/items", json={"namespace": ["a.b"], "key": "k", "value": {}})


async def test_a_namespace_that_langgraph_refuses_is_refused_when_an_item_is_asked_for(
    api_server: RecuerdoServer,
) -> None:
    async with httpx.AsyncClient(base_url=api_server.url) as http:
        asked = await http.get("/store/items", params={"namespace": "a.b\0", "key": "k"})
    assert (asked.status_code, asked.json()["detail"][0]["loc"]) == (422, ["query", "namespace"])


async def test_nobody_sees_anothers_items(client: LangGraphClient, stranger: LangGraphClient) -> None:
    await client.store.put_item(["mine"], "k", {"secret": 1})
    assert await stranger.store.get_item(["mine"], "k") is None
    assert (await stranger.store.search_items([]))["items"] == []
    await stranger.store.delete_item(["mine"], "k")
    assert await client.store.get_item(["mine"], "k") is not None
