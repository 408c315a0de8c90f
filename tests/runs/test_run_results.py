"""The result of a run, for whoever waits for it: also when another replica has executed it, and its row is gone."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from langgraph_sdk import get_client
from replicas import replica

from recuerdo.adapters.local import LocalDatabase, LocalDocuments, LocalRunEvents
from recuerdo.adapters.signals import LocalSignals
from recuerdo.core.documents import Decision, DocumentQuery
from recuerdo.core.errors import DatabaseUnavailable, NotFound
from recuerdo.core.runs import Run, RunRequest
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from recuerdo.runs.engine import SECONDS_BETWEEN_LOOKS, RunMaintenance, Tell
from recuerdo.runs.lifecycle import RESULTS_KEPT, Ended, RunOutcome
from recuerdo.runs.runs import NewRun
from recuerdo.runs.services import RunServices, running_services
from servers.recuerdo import running_recuerdo

EMI = Owner("acme", "emi")
DELETED = RunRequest(on_completion="delete")
GRAPHS = Path(__file__).with_name("graphs")
RUNS, CALLERS = 60, 8


class Answering:
    """A Host whose runs end at once, or when they are let, with what `answer` gives for the number of the attempt."""

    def __init__(self, answer: Callable[[int], Any] = lambda attempt: {"attempt": attempt}) -> None:
        self._answer = answer
        self.begun, self.may_end = asyncio.Event(), asyncio.Event()
        self.may_end.set()

    async def execute(self, owner: Owner, run: Run, tell_it: Tell) -> RunOutcome:
        self.begun.set()
        await self.may_end.wait()
        return RunOutcome("success", "idle", {}, result=self._answer(run.attempts))

    async def left(self, owner: Owner, run: Run) -> RunOutcome:
        return RunOutcome("interrupted", "idle", {})

    async def undo(self, owner: Owner, run_id: str) -> None: ...

    async def forget(self, owner: Owner, _thread_id: str) -> None: ...

    async def result(self, owner: Owner, _graph_id: str, config: Any) -> Any:
        raise NotFound("checkpoint of the thread", config["configurable"]["thread_id"])


def failing(_attempt: int) -> Any:
    raise ValueError("told to fail")


def long_ago() -> datetime:
    """By this replica's clock nothing is due that it delays for a second: others execute it."""
    return utc_now() - timedelta(hours=1)


async def queued(services: RunServices, request: RunRequest = DELETED, **more: Any) -> Run:
    """A run that is executed elsewhere."""
    return await services.runs.create(EMI, NewRun("g", request, after_seconds=1, **more))


@pytest.fixture(params=["postgres", "sqlite", "mongodb"])
async def replicas(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[RunServices, Answering]]:
    """A replica that waits, and the host of another that executes."""
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    if request.param != "sqlite":
        url = request.getfixturevalue(f"empty_{request.param}_url")
    host = Answering()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(replica(url, host, 30))
        waiting = await stack.enter_async_context(replica(url, Answering(failing), 30, clock=long_ago))
        yield waiting, host


async def test_a_result_outlives_its_run_that_another_replica_executed(
    replicas: tuple[RunServices, Answering],
) -> None:
    services, _ = replicas
    run = await queued(services)
    assert await services.runs.wait(EMI, run) == {"attempt": 1}
    with pytest.raises(NotFound):
        await services.runs.get(EMI, run.thread_id, run.run_id)
    again = await services.runs.found(EMI, run.thread_id, run.run_id)
    assert await services.runs.result(EMI, again) == {"attempt": 1}
    told = [(event.name, event.data) async for event in services.runs.follow(EMI, again)]
    assert told == [("values", b'{"attempt":1}')]
    with pytest.raises(NotFound):
        await services.runs.found(EMI, str(uuid.uuid4()), run.run_id)


async def test_a_failure_elsewhere_is_no_empty_result(replicas: tuple[RunServices, Answering]) -> None:
    services, host = replicas
    host._answer = failing  # pyright: ignore[reportPrivateUsage]
    run = await queued(services)
    failed = {"error": "ValueError", "message": "told to fail"}
    assert await services.runs.wait(EMI, run) == {"__error__": failed}
    told = [(event.name, msgspec.json.decode(event.data)) async for event in services.runs.follow(EMI, run)]
    assert told == [("error", failed)]


@pytest.mark.parametrize("action", ["interrupt", "rollback"])
async def test_a_run_that_somebody_stops_leaves_an_error(replicas: tuple[RunServices, Answering], action: Any) -> None:
    services, host = replicas
    host.may_end.clear()
    run = await queued(services)
    waiting = asyncio.create_task(services.runs.wait(EMI, run))
    await host.begun.wait()
    await services.runs.cancel(EMI, run.thread_id, [run.run_id], action)
    assert (await waiting)["__error__"]["error"].lower() == f"user{action}"
    behind = await queued(services)
    await services.runs.cancel(EMI, behind.thread_id, [behind.run_id], action)
    assert (await services.runs.wait(EMI, behind))["__error__"]["error"].lower() == f"user{action}"
    assert await services.threads.count(EMI, DocumentQuery(), {}) == 0


async def test_a_thread_that_is_deleted_meanwhile_has_no_result(replicas: tuple[RunServices, Answering]) -> None:
    services, host = replicas
    host.may_end.clear()
    run = await queued(services, RunRequest(), thread_id=str(uuid.uuid4()), makes_thread=True)
    waiting = asyncio.create_task(services.runs.wait(EMI, run))
    await host.begun.wait()
    await services.runs.delete_thread(EMI, run.thread_id)
    with pytest.raises(NotFound):
        await waiting
    assert [event.name async for event in services.runs.follow(EMI, run)] == ["error"]


class LosesAnEnd(LocalDocuments):
    """Documents that can't be had when the first run is over."""

    has_lost = False

    async def change(self, owner: Owner, group: str, keys: Any, decide: Any) -> Any:
        def lost(documents: Any) -> Decision[Any]:
            decision = decide(documents)
            if isinstance(decision.result, Ended) and not self.has_lost:
                self.has_lost = True
                raise DatabaseUnavailable("away")
            return decision

        return await super().change(owner, group, keys, lost)


async def test_only_what_is_committed_is_a_result() -> None:
    """The result of an attempt whose end could not be written counts for nothing: another attempt follows."""
    signals = LocalSignals()
    documents = LosesAnEnd(LocalDatabase(), signals)
    made: Callable[[], Any] = Answering
    async with running_services(documents, LocalRunEvents(), {"g": None}, made, utc_now, signals, lease=1) as services:
        run = await services.runs.create(EMI, NewRun("g", DELETED))
        assert await services.runs.wait(EMI, run) == {"attempt": 2}


class Unrenewable(LocalDocuments):
    """Documents of which no lease can be renewed while `away`."""

    away = True

    async def change(self, owner: Owner, group: str, keys: Any, decide: Any) -> Any:
        def answered(documents: Any) -> Any:
            decision = decide(documents)
            if decision.fleeting and self.away:
                raise DatabaseUnavailable("The database is away.")
            return decision

        return await super().change(owner, group, keys, answered)


async def test_a_run_whose_lease_could_not_be_renewed_in_time_goes_on_where_it_is() -> None:
    """Its process is alive, and would stop what it has done so far to begin it again."""
    signals = LocalSignals()
    documents = Unrenewable(LocalDatabase(), signals)

    class Patient(Answering):
        async def execute(self, owner: Owner, run: Run, tell_it: Tell) -> RunOutcome:
            looks = timedelta(seconds=2 * SECONDS_BETWEEN_LOOKS)
            while not await documents.due("run", utc_now() - looks, 1):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            documents.away = False
            while await documents.due("run", utc_now(), 1):  # noqa: ASYNC110 - a task of its own renews
                await asyncio.sleep(0.01)
            return RunOutcome("success", "idle", {}, result={"attempt": run.attempts})

    made: Callable[[], Any] = Patient
    async with running_services(
        documents, LocalRunEvents(), {"g": None}, made, utc_now, signals, lease=0.5
    ) as services:
        run = await services.runs.create(EMI, NewRun("g", DELETED))
        assert await services.runs.wait(EMI, run) == {"attempt": 1}


async def test_results_go_when_their_time_is_over() -> None:
    now, signals = utc_now(), LocalSignals()
    documents, made = LocalDocuments(LocalDatabase(), signals), Answering
    async with running_services(documents, LocalRunEvents(), {"g": None}, made, lambda: now, signals) as services:
        runs = [await services.runs.create(EMI, NewRun("g", DELETED)) for _ in range(150)]
        for run in runs:
            await services.runs.wait(EMI, run)
        assert await documents.count_due("result", now + RESULTS_KEPT) == 150
        now += RESULTS_KEPT
        nothing: Any = None
        await RunMaintenance(documents, nothing, nothing, nothing, lambda: now, signals).look()
        assert await documents.count_due("result", now) == 0


async def test_every_caller_of_two_replicas_gets_the_result_of_its_own_run(empty_postgres_url: str) -> None:
    """Behind a backlog most runs are executed where nobody waits for them. Those on one thread have results apart."""
    settings = {"database_url": empty_postgres_url, "config": str(GRAPHS / "langgraph.json"), "embeddings": "none"}
    async with AsyncExitStack() as stack:
        servers = [stack.enter_context(running_recuerdo(**settings)) for _ in range(2)]
        headers = {"X-Recuerdo-User": "emi"}
        clients = [
            await stack.enter_async_context(get_client(url=server.url, headers=headers, timeout=240))
            for server in servers
        ]

        def given(text: str) -> Any:
            return {"messages": [{"role": "human", "content": text}]}

        waiting: list[Any] = [
            {"assistant_id": "talking", "input": given("queued"), "after_seconds": n % 3} for n in range(RUNS * 2)
        ]
        await clients[0].runs.create_batch(waiting)
        threads = [(await clients[0].threads.create())["thread_id"] for _ in range(2)]

        async def call(caller: int) -> None:
            for number in range(RUNS // CALLERS):
                text = f"{caller} {number}"
                thread: Any = threads[caller % 2] if number % 2 else None
                runs: Any = clients[(caller + number) % 2].runs
                waited = await runs.wait(thread, "talking", input=given(text), multitask_strategy="enqueue")
                *_, asked = [each["content"] for each in waited["messages"] if each["type"] == "human"]
                assert asked == text, waited

        async with asyncio.timeout(150):
            await asyncio.gather(*map(call, range(CALLERS)))
