"""The messages of a run's graph go into the epoch of the history that the run began in, and into no later one."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph

from recuerdo import Message, Recuerdo
from recuerdo.adapters.local import LocalRunEvents
from recuerdo.adapters.signals import LocalSignals
from recuerdo.core.runs import Run, RunRequest, RunStatus
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from recuerdo.integrations.langgraph import RecuerdoSaver
from recuerdo.integrations.langgraph.host import GraphHost
from recuerdo.runs.lifecycle import RunOutcome
from recuerdo.runs.runs import NewRun
from recuerdo.runs.services import RunServices, running_services
from servers.patience import PATIENCE

EMI = Owner("acme", "emi")
SCOPE = EMI.thread("t")


@pytest.fixture(params=["sqlite", "postgres", "mongodb"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param != "sqlite":
        return request.getfixturevalue(f"empty_{request.param}_url")
    return f"sqlite:///{tmp_path / 'late.db'}"


class Stops:
    """Where a run waits: `before` its graph is opened, and `between` its first node and the second."""

    def __init__(self) -> None:
        self.reached = {"before": asyncio.Event(), "between": asyncio.Event()}
        self.passed = {"before": asyncio.Event(), "between": asyncio.Event()}
        self.begun: list[str] = []

    def open(self, *names: str) -> None:
        for name in names:
            self.passed[name].set()

    async def at(self, name: str) -> None:
        self.reached[name].set()
        await self.passed[name].wait()


def talk(stops: Stops) -> Any:
    """Answers in two steps."""

    async def first(_: MessagesState) -> Any:
        stops.begun.append("first")
        return {"messages": [AIMessage("first", id="a1")]}

    async def second(_: MessagesState) -> Any:
        stops.begun.append("second")
        await stops.at("between")
        return {"messages": [AIMessage("second", id="a2")]}

    graph: Any = StateGraph(MessagesState)
    graph.add_sequence([("first", first), ("second", second)])
    graph.add_edge(START, "first")
    return graph.compile()


class WaitingHost(GraphHost):
    """Takes a run, and waits before it looks at anything."""

    stops: Stops

    async def execute(self, owner: Owner, run: Run, tell_it: Any) -> RunOutcome:
        await self.stops.at("before")
        return await super().execute(owner, run, tell_it)


@asynccontextmanager
async def replicas(url: str, tmp_path: Path, stops: Stops) -> AsyncGenerator[tuple[RunServices, Recuerdo]]:
    """One that executes runs, and another one."""
    async with (
        Recuerdo.open(url, embeddings="none", spool=str(tmp_path / "near")) as near,
        Recuerdo.open(url, embeddings="none", spool=str(tmp_path / "far")) as far,
    ):

        def saver(owner: Owner) -> RecuerdoSaver:
            return RecuerdoSaver(near, tenant=owner.tenant, user=owner.user)

        host = WaitingHost({"talk": lambda: talk(stops)}, None, saver, lambda _: None)
        host.stops = stops
        assert near.documents is not None
        events, signals = LocalRunEvents(), LocalSignals()
        async with running_services(
            near.documents, events, {"talk": None}, lambda: host, utc_now, signals, lease=1
        ) as services:
            yield services, far


async def start(services: RunServices, epoch: int | None) -> Run:
    said = {"messages": [{"role": "user", "content": "Hi", "id": "h1"}]}
    request = RunRequest(input=said, expected_epoch=epoch)
    return await services.runs.create(EMI, NewRun("talk", request, SCOPE.thread, makes_thread=True))


async def ended(services: RunServices, run: Run) -> tuple[RunStatus, str | None]:
    """The run's status, and the name of its error."""
    async with asyncio.timeout(PATIENCE):
        await services.runs.finished(EMI, run)
    found = await services.runs.get(EMI, SCOPE.thread, run.run_id)
    return found.status, found.error["error"] if found.error else None


async def said(memory: Recuerdo) -> list[str]:
    return [message.text for message in await memory.history.read(SCOPE)]


async def test_a_run_says_nothing_in_a_thread_that_was_cleared_before_its_first_write(url: str, tmp_path: Path) -> None:
    stops = Stops()
    async with replicas(url, tmp_path, stops) as (services, far):
        seen = await far.history.append(SCOPE, [Message.user("before")])
        run = await start(services, seen.version.epoch)
        await stops.reached["before"].wait()
        await far.history.clear(SCOPE)
        stops.open("before", "between")
        assert await ended(services, run) == ("error", "EpochChanged")
        assert await said(far) == []


async def test_a_run_that_was_queued_behind_an_erasure_keeps_nothing_of_what_it_was_asked(
    url: str, tmp_path: Path
) -> None:
    """Its replica had looked up the thread's epoch, and stood still until the erasure was complete."""
    stops = Stops()
    stops.open("before", "between")
    async with replicas(url, tmp_path, stops) as (services, far):
        seen = await far.history.append(SCOPE, [Message.user("before")])
        assert (await far.user(tenant=EMI.tenant, user=EMI.user).erase()).complete
        run = await start(services, seen.version.epoch)
        assert await ended(services, run) == ("error", "EpochChanged")
        assert "Hi" not in repr(await services.runs.get(EMI, SCOPE.thread, run.run_id))
        assert await said(far) == []


@pytest.mark.parametrize("expects", ["nothing", "the epoch", "no thread"])
async def test_a_run_says_nothing_more_in_a_thread_that_is_cleared_while_it_works(
    url: str, tmp_path: Path, expects: str
) -> None:
    """Whether or not its caller named an epoch: its first write went into one. Where the clearing comes between its
    checkpoints and the history, it is told so by the former.
    """
    stops = Stops()
    stops.open("before")
    async with replicas(url, tmp_path, stops) as (services, far):
        epoch = {"nothing": None, "no thread": 0}.get(expects)
        if expects == "the epoch":
            epoch = (await far.history.append(SCOPE, [Message.user("before")])).version.epoch
        run = await start(services, epoch)
        await stops.reached["between"].wait()
        await has(far, "first")
        await far.history.clear(SCOPE)
        await far.history.append(SCOPE, [Message.user("anew")])
        stops.open("between")
        assert await ended(services, run) in (("error", "EpochChanged"), ("error", "Conflict"))
        assert await said(far) == ["anew"]


@pytest.mark.parametrize("expects", ["nothing", "the epoch", "no thread"])
async def test_a_run_says_all_in_the_epoch_that_it_began_in(url: str, tmp_path: Path, expects: str) -> None:
    stops = Stops()
    stops.open("before", "between")
    async with replicas(url, tmp_path, stops) as (services, far):
        epoch = {"nothing": None, "no thread": 0}.get(expects)
        if expects == "the epoch":
            epoch = (await far.history.append(SCOPE, [Message.user("before", id="h0")])).version.epoch
        assert await ended(services, await start(services, epoch)) == ("success", None)
        assert (await said(far))[-3:] == ["Hi", "first", "second"]


async def test_a_run_that_expects_no_thread_says_nothing_in_one_that_others_began(url: str, tmp_path: Path) -> None:
    stops = Stops()
    async with replicas(url, tmp_path, stops) as (services, far):
        run = await start(services, 0)
        await stops.reached["before"].wait()
        await far.history.append(SCOPE, [Message.user("mine")])
        stops.open("before", "between")
        assert await ended(services, run) == ("error", "EpochChanged")
        assert await said(far) == ["mine"]


async def test_a_run_that_was_handed_back_continues_from_its_last_checkpoint(url: str, tmp_path: Path) -> None:
    """Its first step is done; that it expected no thread holds until its first write, which is done as well."""
    stops = Stops()
    stops.open("before")
    async with replicas(url, tmp_path, stops) as (services, far):
        run = await start(services, 0)
        await stops.reached["between"].wait()
        await has(far, "first")
    stops.open("between")
    async with replicas(url, tmp_path, stops) as (services, far):
        assert await ended(services, run) == ("success", None)
        assert await said(far) == ["Hi", "first", "second"]
    assert stops.begun == ["first", "second", "second"]


async def has(memory: Recuerdo, text: str) -> None:
    """Wait until the history has the message: a checkpoint is written while its graph goes on."""
    async with asyncio.timeout(PATIENCE):
        while text not in await said(memory):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
