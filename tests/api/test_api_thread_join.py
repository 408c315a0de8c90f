"""`threads.join_stream`: one connection that hears of every run of a thread, as LangGraph's own client opens it."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any, cast

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError

SECONDS = 120.0

Heard = list[Any]


def opening(client: LangGraphClient, thread_id: str) -> asyncio.Event:
    """Set when the stream of the thread is open: the client connects when it is first asked for a part."""
    is_open = asyncio.Event()

    async def note(response: httpx.Response) -> None:
        if response.request.url.path == f"/threads/{thread_id}/stream":
            is_open.set()

    client.http.client.event_hooks = {"response": [note]}
    return is_open


@asynccontextmanager
async def joined(client: LangGraphClient, thread_id: str, **options: Any) -> AsyncGenerator[Callable[..., Any]]:
    """Listens to the thread; what it gives waits for so many events of a name, and returns all that came."""
    heard: Heard = []
    came, is_open = asyncio.Event(), opening(client, thread_id)

    async def listen() -> None:
        async with aclosing(cast(Any, await client.threads.join_stream(thread_id, **options))) as parts:
            async for part in parts:
                heard.append(part)
                came.set()

    async def until(name: str, count: int, **data: Any) -> Heard:
        async with asyncio.timeout(SECONDS):
            while sum(part.event == name and data.items() <= part.data.items() for part in heard) < count:
                came.clear()
                await came.wait()
        return heard

    listening = asyncio.create_task(listen())
    try:
        await asyncio.wait_for(is_open.wait(), SECONDS)
        yield until
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


@pytest.fixture
async def thread_id(client: LangGraphClient) -> str:
    return (await client.threads.create(graph_id="stepping"))["thread_id"]


def named(heard: Heard, name: str) -> list[Any]:
    return [part.data for part in heard if part.event == name]


async def test_every_run_of_the_thread_is_heard_as_it_comes(client: LangGraphClient, thread_id: str) -> None:
    async with joined(client, thread_id) as until:
        for count in (1, 2):
            run = await client.runs.create(thread_id, "stepping", input={"items": ["x"]}, stream_mode=["updates"])
            heard = await until("metadata", count, status="run_done")
            assert heard[-1].data["run_id"] == run["run_id"]
    updates = [{"first": {"items": ["first"]}}, {"second": {"items": ["second"]}}]
    assert named(heard, "updates") == updates * 2
    assert [("attempt" in each, each.get("status")) for each in named(heard, "metadata")] == [
        (True, None), (False, "run_done"),
    ] * 2  # fmt: skip


async def test_who_only_wants_the_lifecycle_hears_of_nothing_else(client: LangGraphClient, thread_id: str) -> None:
    async with joined(client, thread_id, stream_mode="lifecycle") as until:
        await client.runs.create(thread_id, "stepping", input={"items": []})
        heard = await until("metadata", 1, status="run_done")
    assert {part.event for part in heard} == {"metadata"}


async def test_a_state_that_is_written_by_hand_is_told_to_who_asks_for_it(
    client: LangGraphClient, thread_id: str
) -> None:
    async with joined(client, thread_id, stream_mode=["state_update", "lifecycle"]) as until:
        await client.runs.create(thread_id, "stepping", input={"items": []})
        await until("metadata", 1, status="run_done")
        await client.threads.update_state(thread_id, {"answer": "by hand"}, as_node="second")
        heard = await until("state_update", 1)
    [told] = named(heard, "state_update")
    assert (told["thread_id"], told["state"]["values"]["answer"]) == (thread_id, "by hand")


async def test_the_stream_goes_on_behind_any_event(client: LangGraphClient, thread_id: str) -> None:
    for _ in range(2):
        await client.runs.wait(thread_id, "stepping", input={"items": ["x"]})
    async with joined(client, thread_id, last_event_id="-1") as until:
        whole = [*await until("metadata", 2, status="run_done")]
    assert len(whole) == 2 * (1 + 3 + 1), "metadata, three values, the end"
    ids = [int(part.id.replace("-", "").ljust(20, "0")) for part in whole]
    assert len({*ids}) == len(ids)
    for index in range(len(whole) - 1):
        ends = len([part for part in whole[index + 1 :] if part.data.get("status") == "run_done"])
        async with joined(client, thread_id, last_event_id=whole[index].id) as until:
            assert await until("metadata", ends, status="run_done") == whole[index + 1 :]


async def test_a_run_of_the_newer_protocol_is_told_in_the_words_of_the_older(
    client: LangGraphClient, thread_id: str, user: str
) -> None:
    async with joined(client, thread_id) as until:
        headers = {"X-Recuerdo-User": user}
        async with client.threads.stream(thread_id, assistant_id="stepping", headers=headers) as thread:
            await thread.run.start(input={"items": ["x"]})
            heard = await until("metadata", 1, status="run_done")
    assert named(heard, "values")[-1] == {"items": ["x", "first", "second"]}


async def test_a_thread_of_somebody_else_is_not_there(stranger: LangGraphClient, thread_id: str) -> None:
    with pytest.raises(NotFoundError):
        async for _ in await stranger.threads.join_stream(thread_id):
            pass


async def test_the_stream_ends_when_the_thread_is_deleted(client: LangGraphClient, thread_id: str) -> None:
    is_open = opening(client, thread_id)
    stream = await client.threads.join_stream(thread_id)
    listening = asyncio.ensure_future(anext(stream))
    await asyncio.wait_for(is_open.wait(), SECONDS)
    await client.threads.delete(thread_id)
    with pytest.raises(StopAsyncIteration):
        await asyncio.wait_for(listening, SECONDS)
