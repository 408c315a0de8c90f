"""Threads whose ids are no UUIDs, as older conversations have them."""

import asyncio
from typing import Any
from urllib.parse import quote

import pytest
from httpx import HTTPStatusError
from langgraph_sdk.client import LangGraphClient

NAMES = ["test-002", "a/b c", "Ünïcode", "%2F"]


@pytest.mark.parametrize("name", NAMES)
async def test_everything_can_be_done_with_a_thread_of_any_name(client: LangGraphClient, name: str) -> None:
    thread = quote(name, safe="")
    made: Any = await client.threads.create(thread_id=name, metadata={"of": name})
    assert made["thread_id"] == name
    waited: Any = await client.runs.wait(name, "stepping", input={"items": ["x"]})
    assert waited == {"items": ["x", "first", "second"]}
    parts = [part async for part in client.runs.stream(name, "stepping", input={"items": ["y"]})]
    assert parts[-1].data["items"][-3:] == ["y", "first", "second"]
    [run, _] = await client.runs.list(name)
    assert await client.runs.join(name, run["run_id"]) == parts[-1].data
    assert (await client.threads.get_state(name))["values"] == parts[-1].data
    assert len(await client.threads.get_history(name)) == 8
    [found] = await client.threads.search(ids=[name])
    assert found["metadata"]["of"] == name
    async with client.http.client.stream("GET", f"/threads/{thread}/runs/{run['run_id']}/stream") as answer:
        assert answer.headers["location"] == f"/threads/{thread}/runs/{run['run_id']}/stream"
    assert await client.http.post("/threads/prune", json={"thread_ids": [name]}) == {"pruned_count": 1}
    with pytest.raises(HTTPStatusError, match="There is no thread"):
        await client.threads.get(name)


async def test_it_is_the_thread_of_the_history(client: LangGraphClient) -> None:
    said = {"messages": [{"role": "user", "content": "hi you", "id": "h-1"}]}
    await client.runs.wait("test-002", "talking", input=said, if_not_exists="create")
    kept: Any = await client.http.get("/v1/threads/test-002/messages")
    assert [message["content"] for message in kept["messages"]] == ["hi you", "you said hi you"]


async def test_the_protocol_of_threads_knows_any_name(client: LangGraphClient, user: str) -> None:
    async with client.threads.stream(
        thread_id="test-003", assistant_id="stepping", transport="websocket", headers={"X-Recuerdo-User": user}
    ) as thread:
        await thread.run.start(input={"items": ["x"]})
        assert await asyncio.wait_for(thread.output, 120) == {"items": ["x", "first", "second"]}


@pytest.mark.parametrize("name", ["search", "count", "prune", "x" * 256, "a\nb"])
async def test_a_name_that_can_not_be_one_is_refused(client: LangGraphClient, name: str) -> None:
    refused = await client.http.client.post("/threads", json={"thread_id": name})
    assert (refused.status_code, refused.json()["detail"][0]["loc"]) == (422, ["body", "thread_id"])
    there = await client.http.client.get(f"/threads/{quote(name, safe='')}")
    assert there.status_code == (405 if name in ("search", "count", "prune") else 422)


async def test_a_run_on_a_thread_that_is_absent_says_how_to_make_it(client: LangGraphClient) -> None:
    absent = await client.http.client.post("/threads/absent/runs", json={"assistant_id": "stepping"})
    assert absent.status_code == 404
    assert "`if_not_exists`: `create`" in absent.json()["detail"]
