"""Two real replicas over one PostgreSQL and one Valkey: one dies or sleeps in the midst of runs, the other goes on.

RECUERDO_TEST_RUNS is how many runs die with their replica: `make soak` lets 50.
"""

import asyncio
import os
import time
import uuid
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from recuerdo.app.wiring import lease_of
from recuerdo.runs.engine import SECONDS_BETWEEN_LOOKS
from servers.recuerdo import RecuerdoServer, running_recuerdo

GRAPHS = Path(__file__).with_name("graphs")
RUNS = int(os.environ.get("RECUERDO_TEST_RUNS", "8"))
SECONDS = 150
SECONDS_ON_A_BUSY_MACHINE = 20
STEPS, WORDS = 4, 10
SAID = ["hello", *(f"step {number}" for number in range(STEPS))]


@pytest.fixture(scope="module")
def replicas(postgres_url: str, redis_url: str) -> Generator[list[RecuerdoServer]]:
    config = str(GRAPHS / "langgraph.json")
    settings = {"database_url": postgres_url, "cache_url": redis_url, "config": config, "embeddings": "none"}
    with ExitStack() as stack:
        yield [stack.enter_context(running_recuerdo(**settings)) for _ in range(2)]


@pytest.fixture
async def clients(replicas: list[RecuerdoServer]) -> AsyncIterator[list[LangGraphClient]]:
    headers = {"X-Recuerdo-User": f"user-{uuid.uuid4()}"}
    async with AsyncExitStack() as stack:
        made = [get_client(url=server.url, headers=headers, timeout=240) for server in replicas]
        yield [await stack.enter_async_context(client) for client in made]


async def begun(client: LangGraphClient, wait: float) -> tuple[str, str]:
    """A run that has kept its first step."""
    thread = (await client.threads.create())["thread_id"]
    given = {"messages": [{"role": "human", "content": "hello"}], "wait": wait}
    run = await client.runs.create(
        thread, "talking", input=given, stream_mode=["custom"], stream_resumable=True, durability="sync"
    )
    while len((await client.threads.get_state(thread))["values"].get("messages", [])) < 2:  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    return thread, run["run_id"]


async def told(client: LangGraphClient, thread: str, run: str, after: str = "-1") -> list[Any]:
    """The events of the stream after the id `after`, to its end."""
    async with asyncio.timeout(SECONDS):
        return [part async for part in client.runs.join_stream(thread, run, last_event_id=after)]


async def hear(client: LangGraphClient, thread: str, run: str, parts: list[Any]) -> None:
    """Add what the stream tells to the parts, until somebody cancels this: the client goes on calling a dead server."""
    async for part in client.runs.join_stream(thread, run, last_event_id="-1"):
        parts.append(part)


async def is_whole(client: LangGraphClient, thread: str, run: str) -> None:
    """The run ended well, with each step and each message once, in checkpoints as in the history."""
    assert (await client.runs.get(thread, run))["status"] == "success"
    assert (await client.threads.get(thread))["status"] == "idle"
    states = await client.threads.get_history(thread, limit=100)
    assert [state["metadata"]["step"] for state in states] == [*range(STEPS, -2, -1)]
    assert [message["content"] for message in states[0]["values"]["messages"]] == SAID
    kept = await client.http.get(f"/v1/threads/{thread}/messages")
    assert [message["content"] for message in kept["messages"]] == SAID


def takeovers(parts: list[Any]) -> list[float]:
    """When another replica began with the run, by the ids of the events that say so."""
    begun = [part for part in parts if part.event == "metadata" and part.data["attempt"] > 1]
    return [int(part.id.partition("-")[0]) / 1000 for part in begun]


def test_a_machine_at_rest_takes_runs_over_within_five_seconds() -> None:
    """Their leases are over by then, and somebody has looked."""
    assert lease_of("postgresql://db/recuerdo") + SECONDS_BETWEEN_LOOKS < 5


async def test_every_run_of_a_killed_replica_ends_elsewhere_and_its_stream_goes_on_there(
    replicas: list[RecuerdoServer], clients: list[LangGraphClient], record_property: Callable[[str, object], None]
) -> None:
    """kill -9 in the midst of streams: each is resumed behind its last event, and lacks no word."""
    first, second = clients
    runs = await asyncio.gather(*[begun(first, wait=1) for _ in range(RUNS)])
    heard: list[list[Any]] = [[] for _ in runs]
    streams = [asyncio.create_task(hear(first, *run, parts)) for run, parts in zip(runs, heard, strict=True)]
    while not all(len(parts) > WORDS for parts in heard):  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    killed = time.time()
    replicas[0].kill()
    for stream in streams:
        stream.cancel()
    await asyncio.gather(*streams, return_exceptions=True)
    try:
        rest = await asyncio.gather(
            *[told(second, *run, after=parts[-1].id) for run, parts in zip(runs, heard, strict=True)]
        )
        for run, before, after in zip(runs, heard, rest, strict=True):
            parts = [*before, *after]
            words = [(part.data["step"], part.data["word"]) for part in parts if part.event == "custom"]
            assert {*words} == {(step, word) for step in range(STEPS) for word in range(WORDS)}
            assert len({part.id for part in parts}) == len(parts)
            await is_whole(second, *run)
        taken_over = [at for parts in rest for at in takeovers(parts)]
        assert taken_over, "all runs were over already: they are to take longer"
        slowest = max(taken_over) - killed
        record_property("seconds until the last run was taken over", f"{slowest:.1f}")
        print(f"{RUNS} runs of a killed replica were taken over in {slowest:.1f} s, the last one")
        assert slowest < lease_of("postgresql://") + SECONDS_BETWEEN_LOOKS + SECONDS_ON_A_BUSY_MACHINE
    finally:
        replicas[0].start()


async def test_a_replica_that_slept_through_its_lease_changes_nothing(
    replicas: list[RecuerdoServer], clients: list[LangGraphClient]
) -> None:
    """When it wakes up it ends the step that it was at, and finds that the run is somebody else's."""
    sleeper, other = clients
    thread, run = await begun(sleeper, wait=2)
    replicas[0].pause()
    try:
        heard = await told(other, thread, run)
        states = await other.threads.get_history(thread, limit=100)
    finally:
        replicas[0].resume()
    await sleeper.runs.wait(None, "talking", input={"wait": 3})  # it has had time for what it was about to do
    assert await other.threads.get_history(thread, limit=100) == states
    assert await told(other, thread, run) == heard
    await is_whole(other, thread, run)
