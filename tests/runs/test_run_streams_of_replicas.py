"""Streams of runs over two real servers, one PostgreSQL and one Valkey: any replica serves any stream."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Generator
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from servers.recuerdo import RecuerdoServer, running_recuerdo

GRAPHS = str(Path(__file__).parents[1] / "api" / "graphs" / "langgraph.json")
SECONDS = 150
TOLD = ["metadata", "updates", "updates"]


@pytest.fixture(scope="module")
def replicas(postgres_url: str, redis_url: str) -> Generator[list[RecuerdoServer]]:
    settings = {"database_url": postgres_url, "cache_url": redis_url, "config": GRAPHS, "embeddings": "none"}
    with ExitStack() as stack:
        yield [stack.enter_context(running_recuerdo(**settings)) for _ in range(2)]


@pytest.fixture
async def clients(replicas: list[RecuerdoServer]) -> AsyncIterator[list[LangGraphClient]]:
    headers = {"X-Recuerdo-User": f"user-{uuid.uuid4()}"}
    async with AsyncExitStack() as stack:
        made = [get_client(url=server.url, headers=headers, timeout=240) for server in replicas]
        yield [await stack.enter_async_context(client) for client in made]


async def begin(client: LangGraphClient, wait: float) -> tuple[str, str]:
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(
        thread,
        "stepping",
        input={"items": ["x"], "wait": wait},
        stream_mode=["updates"],
        stream_resumable=True,
        durability="sync",
    )
    return thread, run["run_id"]


async def collected(client: LangGraphClient, thread: str, run: str, after: str = "-1") -> list[Any]:
    """The events of the stream after the id `after`, to its end."""
    async with asyncio.timeout(SECONDS):
        return [part async for part in client.runs.join_stream(thread, run, last_event_id=after)]


async def test_any_replica_serves_the_stream_of_a_run_while_it_works(clients: list[LangGraphClient]):
    thread, run = await begin(clients[0], wait=1)
    here, there = await asyncio.gather(*[collected(client, thread, run) for client in clients])
    assert here == there
    assert [part.event for part in here] == TOLD


async def test_a_stream_that_broke_goes_on_elsewhere_behind_what_was_heard(clients: list[LangGraphClient]):
    thread, run = await begin(clients[0], wait=0.2)
    everything = await collected(clients[0], thread, run)
    for client in clients:
        assert await collected(client, thread, run, everything[0].id or "") == everything[1:]


async def test_the_stream_of_a_run_that_was_taken_over_is_complete(
    replicas: list[RecuerdoServer], clients: list[LangGraphClient]
):
    thread, run = await begin(clients[0], wait=2)
    heard: list[Any] = []
    has_begun = asyncio.Event()

    async def listen() -> None:
        async for part in clients[1].runs.join_stream(thread, run, last_event_id="-1"):
            heard.append(part)
            if part.event == "updates":
                has_begun.set()

    listening = asyncio.create_task(listen())
    await asyncio.wait_for(has_begun.wait(), SECONDS)
    replicas[0].kill()
    try:
        await asyncio.wait_for(listening, SECONDS)
        assert [data for event, data, _ in heard if event == "updates"] == [
            {"first": {"items": ["first"]}},
            {"second": {"items": ["second"]}},
        ]
        assert [data["attempt"] for event, data, _ in heard if event == "metadata"] == [1, 2]
    finally:
        replicas[0].start()
    assert await collected(clients[0], thread, run) == heard
