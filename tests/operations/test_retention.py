"""One policy over threads, checkpoints and memories."""

import asyncio
import operator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import pytest
from langgraph.graph import START, StateGraph
from typer.testing import CliRunner
from typing_extensions import TypedDict

from recuerdo import Message, Recuerdo
from recuerdo.app.maintenance import RemovalCounts
from recuerdo.cli.commands import application
from recuerdo.concurrency.tasks import in_background
from recuerdo.core.errors import AlreadyErased
from recuerdo.core.retention import RetentionPolicy
from recuerdo.core.scope import Owner
from recuerdo.core.threads import SPENT_KEYS_KEPT
from recuerdo.history.iteration import OwnerFilter
from recuerdo.integrations.langgraph import RecuerdoSaver
from recuerdo.testing.clock import FakeClock
from servers.patience import PATIENCE

EMI = Owner("acme", "emi")
POLICY = RetentionPolicy.parse("threads=90d, checkpoints=30d, episodic=7d")
LAST_YEAR = -timedelta(days=365)


class State(TypedDict):
    steps: Annotated[list[str], operator.add]


async def steps(memory: Recuerdo, thread: str) -> list[str]:
    """Run a graph in the thread; its steps so far."""

    def step(_state: State) -> dict[str, list[str]]:
        return {"steps": ["x"]}

    graph: Any = StateGraph(State)
    graph.add_node("step", step)
    graph.add_edge(START, "step")
    compiled = graph.compile(checkpointer=RecuerdoSaver(memory, tenant="acme", user="emi"))
    done = await compiled.ainvoke({"steps": []}, {"configurable": {"thread_id": thread}})
    return done["steps"]


@pytest.fixture
def clock() -> FakeClock:
    clock = FakeClock()
    clock.now += LAST_YEAR
    return clock


async def lived(memory: Recuerdo, clock: FakeClock) -> None:
    """Long ago: two threads, in one of which a graph works now, and some memories."""
    for name in ("old", "used by a graph"):
        await memory.thread(tenant="acme", user="emi", thread=name).append(Message.user("hola"), Message.assistant("a"))
    emi = memory.user(tenant="acme", user="emi")
    await emi.add("we had tea", kind="episodic")
    await emi.add("likes tea")
    await steps(memory, "used by a graph")
    clock.now -= LAST_YEAR
    await memory.thread(tenant="acme", user="emi", thread="new").append(Message.user("hola"))


async def apply(memory: Recuerdo, dry_run: bool = False, tenant: str | None = None) -> RemovalCounts:
    return [
        RemovalCounts(),
        *[each async for each in memory.maintenance.apply(POLICY, OwnerFilter(tenant), dry_run=dry_run)],
    ][-1]


async def test_a_dry_run_counts_what_goes_and_what_is_used_stays(tmp_path: Path, clock: FakeClock) -> None:
    async with Recuerdo.open(f"sqlite:///{tmp_path}/a.db", embeddings="none", clock=clock) as memory:
        await lived(memory, clock)
        told = await apply(memory, dry_run=True)
        assert told == RemovalCounts(threads=1, messages=2, memories=1)
        assert await apply(memory, tenant="other") == RemovalCounts()
        assert await apply(memory) == told
        page = await memory.history.threads(EMI)
        assert {thread.id for thread in page.threads} == {"new", "used by a graph"}
        assert [each.text for each in await memory.user(tenant="acme", user="emi").list()] == ["likes tea"]
        assert len(await steps(memory, "used by a graph")) == 2


async def test_checkpoints_alone_go_when_their_graph_has_not_worked_for_long(tmp_path: Path, clock: FakeClock) -> None:
    async with Recuerdo.open(f"sqlite:///{tmp_path}/a.db", embeddings="none", clock=clock) as memory:
        await lived(memory, clock)
        clock.now -= 2 * LAST_YEAR  # and the checkpoint is as old as the real clock says
        policy = POLICY._replace(threads=None)
        [*_, kept] = [each async for each in memory.maintenance.apply(policy)]
        assert kept == RemovalCounts(checkpoints=1, memories=1)
        assert len(await steps(memory, "used by a graph")) == 1
        assert len(await memory.thread(tenant="acme", user="emi", thread="old").read()) == 2


async def test_pruning_a_thread_takes_its_checkpoints_with_it(tmp_path: Path, clock: FakeClock) -> None:
    async with Recuerdo.open(f"sqlite:///{tmp_path}/a.db", embeddings="none", clock=clock) as memory:
        await lived(memory, clock)
        clock.now -= 2 * LAST_YEAR
        assert (await apply(memory)).threads == 3
        assert await steps(memory, "used by a graph") == ["x"]


async def test_keys_of_erased_threads_are_remembered_for_a_day(tmp_path: Path) -> None:
    """A retry within a day is refused; later its key is a new one."""
    clock = FakeClock()
    async with Recuerdo.open(f"sqlite:///{tmp_path}/a.db", embeddings="none", clock=clock) as memory:
        thread, message = memory.thread(tenant="acme", user="emi", thread="t-1"), Message.user("hola")
        await thread.append(message, idempotency_key="k")
        await thread.delete()
        async with asyncio.timeout(PATIENCE), in_background(memory.maintenance.run(RetentionPolicy())):
            clock.advance(SPENT_KEYS_KEPT)
            with pytest.raises(AlreadyErased):
                await thread.append(message, idempotency_key="k")
        clock.advance(timedelta(seconds=1))
        async with asyncio.timeout(PATIENCE), in_background(memory.maintenance.run(RetentionPolicy())):
            while True:
                with suppress(AlreadyErased):
                    assert (await thread.append(message, idempotency_key="k")).seqs == range(1, 2)
                    break
                await asyncio.sleep(0.02)


def test_the_command_looks_first_and_then_deletes(tmp_path: Path) -> None:
    def run(*arguments: str, **settings: str) -> Any:
        environment = {"RECUERDO_DATABASE_URL": f"sqlite:///{tmp_path}/a.db", **settings}
        return CliRunner().invoke(application(), ["retention", *arguments], env=environment)

    assert run("--policy", "threads=1d,episodic=1d", "--dry-run").stderr.startswith("Would delete 0 threads")
    assert run(RECUERDO_RETENTION="threads=1d").stderr.startswith("Deleted 0 threads")
    assert "RECUERDO_RETENTION" in str(run().exception)
    assert "cats" in str(run("--policy", "cats=1d").exception)
