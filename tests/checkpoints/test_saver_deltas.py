"""Graphs with DeltaChannels, whose values are made of earlier checkpoints, survive what takes such checkpoints away."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from checkpoint_twins import Twins, plain
from fuzzed_graph import build, message
from langchain_core.messages import AIMessage
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.types import Command

from recuerdo.integrations.langgraph import RecuerdoSaver

_RUNS = 4


async def _prune_twice(twins: Twins) -> str:
    for _ in range(2):
        await twins.ours.aprune(["t"])
    return "t"


async def _delete_the_past(twins: Twins) -> str:
    """All runs but the last, whose checkpoints the last one's values are made of."""
    await twins.ours.adelete_for_runs([f"run-{number}" for number in range(_RUNS - 1)])
    return "t"


async def _delete_some(twins: Twins) -> str:
    await twins.ours.adelete_for_runs(["run-0", "run-2"])
    return "t"


async def _undo(twins: Twins) -> str:
    """The last run, in the oracle too: nothing is made of it."""
    await twins.adelete_for_runs([f"run-{_RUNS - 1}"])
    return "t"


async def _prune_and_copy(twins: Twins) -> str:
    """The parts of the copy are not deleted with the original."""
    await twins.ours.aprune(["t"])
    await twins.acopy_thread("t", "copy")
    await twins.ours.adelete_thread("t")
    return "copy"


@pytest.fixture(params=["sqlite", "postgres", "mongodb"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return request.getfixturevalue("postgres_url")
    if request.param == "mongodb":
        return request.getfixturevalue("empty_mongodb_url")
    return f"sqlite:///{tmp_path / 'recuerdo.db'}"


@pytest.mark.parametrize("snapshots", [2, 1000], ids=["with snapshots", "without"])
@pytest.mark.parametrize("operate", [_prune_twice, _delete_the_past, _delete_some, _undo, _prune_and_copy])
async def test_a_run_goes_on_from_the_state_that_the_oracle_still_has(
    url: str, operate: Callable[[Twins], Awaitable[str]], snapshots: int
) -> None:
    """The oracle keeps everything; each read of ours is compared with it, by the process that wrote and by another."""
    random = Random(f"{operate.__name__}-{snapshots}")
    async with _twins(url, f"{operate.__name__}-{snapshots}") as twins:
        graph = build(twins, delta=True, snapshots=snapshots)
        for number in range(_RUNS):
            await _play(graph, "t", number, random)
        before = plain((await graph.aget_state({"configurable": {"thread_id": "t"}})).values)
        thread = await operate(twins)
        for twins.turn in range(2):
            state = await graph.aget_state({"configurable": {"thread_id": thread}})
            assert plain(state.values) == before or operate is _undo
        for number in range(_RUNS, _RUNS + 3):
            twins.turn = number % 2
            await _play(graph, thread, number, random)


async def test_what_no_delta_is_made_of_goes(url: str) -> None:
    """With a snapshot at each step nothing needs an ancestor: one checkpoint of the graph is left."""
    async with _twins(url, "few") as twins:
        graph = build(twins.ours, delta=True, snapshots=1)
        for number in range(_RUNS):
            await graph.ainvoke(
                {"plan": [1], "messages": [message(Random(number))]}, {"configurable": {"thread_id": "t"}}
            )
        before = await _count(twins)
        await twins.ours.aprune(["t"])
        assert await _count(twins) < before / 4


async def test_what_another_process_adds_to_a_known_ancestor_is_not_missed(url: str) -> None:
    """A process keeps the ancestors that it has read; what comes late to one of them is part of the value too."""
    async with _twins(url, "late") as twins:
        graph = build(twins.ours, delta=True, snapshots=1000)
        config: Any = {"configurable": {"thread_id": "t"}}
        for number in range(3):
            await graph.ainvoke({"plan": [1], "messages": [message(Random(number))]}, config)
        newest, *older = await _all(twins)
        reader, writer = twins.savers
        before = [await _made_of(reader, newest) for _ in range(3)][-1]
        late = AIMessage("late", id="late")
        await writer.aput_writes(older[1].config, [("messages", [late])], "late task")
        after = await _made_of(reader, newest)
        assert [write for write in after if write not in before] == [("late task", "messages", [late])]


async def test_who_reads_the_latest_checkpoint_and_then_its_deltas_misses_nothing_that_was_written_between(
    url: str,
) -> None:
    """Its ancestors are read along with it, in one round trip: for that task, once, and until something is written."""
    async with _twins(url, "between") as twins:
        graph = build(twins.ours, delta=True, snapshots=1000)
        config: Any = {"configurable": {"thread_id": "t"}}
        for number in range(3):
            await graph.ainvoke({"plan": [1], "messages": [message(Random(number))]}, config)
        saver, other = twins.savers
        older = (await _all(twins))[2]
        for number, (writer, is_read_again) in enumerate([(saver, True), (other, False), (other, True)]):
            newest = await saver.aget_tuple(config)
            assert newest is not None
            before = await _made_of(saver, newest)
            if is_read_again:
                await saver.aget_tuple(config)
            late = AIMessage("late", id=f"late {number}")
            await writer.aput_writes(older.config, [("messages", [late])], f"late task {number}")
            asked = _made_of(saver, newest)
            after = await (asyncio.create_task(asked) if is_read_again and writer is other else asked)
            assert [value for _, _, value in after if value not in [each[2] for each in before]] == [[late]]


async def _made_of(saver: RecuerdoSaver, of: CheckpointTuple) -> Sequence[Any]:
    found = await saver.aget_delta_channel_history(config=of.config, channels=["messages"])
    return found["messages"]["writes"]


async def _count(twins: Twins) -> int:
    return len(await _all(twins))


async def _all(twins: Twins) -> list[CheckpointTuple]:
    return [each async for each in twins.ours.alist({"configurable": {"thread_id": "t", "checkpoint_ns": ""}})]


@asynccontextmanager
async def _twins(url: str, tenant: str) -> AsyncIterator[Twins]:
    async with AsyncExitStack() as stack:
        openings = [RecuerdoSaver.from_conn_string(url, tenant=tenant, user="u") for _ in range(2)]
        yield Twins([await stack.enter_async_context(opening) for opening in openings], texts=True)


async def _play(graph: Any, thread: str, number: int, random: Random) -> None:
    """One run, or the answer to the question at which the last one stopped."""
    config: Any = {"configurable": {"thread_id": thread}, "metadata": {"run_id": f"run-{number}"}}
    state = await graph.aget_state(config)
    given: Any = {"plan": [random.randrange(10_000)], "messages": [message(random)]}
    if state.interrupts:
        given = Command(resume="yes")
    with suppress(ValueError):  # e.g. two nodes have removed the same message
        await graph.ainvoke(given, config, durability=random.choice(("sync", "async", "exit")))
