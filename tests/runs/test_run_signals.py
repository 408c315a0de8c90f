"""Replicas signal each other about runs, without waiting for a poll."""

import asyncio
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from typing import Any, cast

import pytest
from replicas import Lingering, replica

from recuerdo.adapters.local import LocalDatabase, LocalDocuments, LocalRunEvents
from recuerdo.adapters.signals import LocalSignals
from recuerdo.core.errors import DatabaseUnavailable
from recuerdo.core.runs import Run, RunRequest
from recuerdo.core.scope import Owner
from recuerdo.core.tracing import NO_REQUEST
from recuerdo.history.history import utc_now
from recuerdo.jobs.leases import LeaseEngine
from recuerdo.runs.engine import SECONDS_BETWEEN_LOOKS
from recuerdo.runs.runs import NewRun
from recuerdo.runs.services import running_services
from servers.patience import PATIENCE

EMI = Owner("acme", "emi")
FOR_EVER = 3600.0
"""A lease that nobody renews as long as a test takes."""


@pytest.fixture(params=["postgres", "mongodb"])
def url(request: pytest.FixtureRequest) -> str:
    return request.getfixturevalue(f"empty_{request.param}_url")


async def test_a_cancellation_reaches_the_replica_that_executes_the_run(url: str) -> None:
    """Which would learn of it from the run's row at its next renewal only."""
    host = Lingering()
    async with replica(url, host, FOR_EVER) as first:
        run = await first.runs.create(EMI, NewRun("g", RunRequest()))
        await host.begun.wait()  # only now comes the other, which could have begun it as well
        async with replica(url, Lingering(), FOR_EVER) as second:
            await second.runs.cancel(EMI, run.thread_id, [run.run_id], "interrupt")
            await first.runs.finished(EMI, run)
            assert (await second.runs.get(EMI, run.thread_id, run.run_id)).status == "interrupted"


async def test_a_replica_that_stops_hands_its_runs_to_another(url: str) -> None:
    begun, taken_over = Lingering(), Lingering()
    async with AsyncExitStack() as stopping:
        first = await stopping.enter_async_context(replica(url, begun, FOR_EVER))
        run = await first.runs.create(EMI, NewRun("g", RunRequest()))
        await begun.begun.wait()
        async with replica(url, taken_over, FOR_EVER) as second:
            assert not taken_over.begun.is_set()
            await stopping.aclose()
            await taken_over.begun.wait()
            assert (await second.runs.get(EMI, run.thread_id, run.run_id)).attempts == 1


class SlowToAnswer(LocalDocuments):
    """Documents in which a run has begun for a while before who began it hears of that."""

    def __init__(self, signals: LocalSignals) -> None:
        super().__init__(LocalDatabase(), signals)
        self.begun, self.answers = asyncio.Event(), asyncio.Event()

    async def change(self, *asked: Any) -> Any:
        result = await super().change(*asked)
        if isinstance(result, Run) and result.attempts:
            self.begun.set()
            await self.answers.wait()
        return result


async def test_a_cancellation_is_heard_that_comes_before_a_run_is_known_to_have_begun() -> None:
    signals = LocalSignals()
    documents = SlowToAnswer(signals)
    async with running_services(
        documents, LocalRunEvents(), {"g": None}, Lingering, utc_now, signals, lease=FOR_EVER
    ) as services:
        run = await services.runs.create(EMI, NewRun("g", RunRequest()))
        await documents.begun.wait()
        await services.runs.cancel(EMI, run.thread_id, [run.run_id], "interrupt")
        documents.answers.set()
        await services.runs.finished(EMI, run)
        assert (await services.runs.get(EMI, run.thread_id, run.run_id)).status == "interrupted"


async def test_a_run_whose_beginning_is_answered_when_its_lease_is_over_already_begins_once() -> None:
    signals, host = LocalSignals(), Lingering()
    documents = SlowToAnswer(signals)
    async with running_services(
        documents, LocalRunEvents(), {"g": None}, lambda: host, utc_now, signals, lease=0.1
    ) as services:
        run = await services.runs.create(EMI, NewRun("g", RunRequest()))
        looks = timedelta(seconds=2 * SECONDS_BETWEEN_LOOKS)
        while not await documents.due("run", utc_now() - looks, 1):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        documents.answers.set()
        await host.begun.wait()
        assert (await services.runs.get(EMI, run.thread_id, run.run_id)).attempts == 1


class Job:
    request = NO_REQUEST


class RenewedAtTheSecondTry:
    """Jobs that go on until their lease is found to be lost; the first renewal fails."""

    lease = FOR_EVER

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.renewals = 0

    async def begin(self, _place: str, _until: datetime) -> Job:
        return Job()

    async def renew(self, _place: str, _job: Job, _until: datetime) -> bool:
        self.renewals += 1
        if self.renewals == 1:
            raise DatabaseUnavailable("for a moment")
        return False

    async def hand_back(self, _place: str, _job: Job) -> None: ...

    async def attempt(self, _place: str, _job: Job) -> None:
        self.begun.set()
        await asyncio.Event().wait()

    async def finish(self, _place: str, _job: Job, attempt: asyncio.Task[None]) -> None:
        assert attempt.cancelled()


async def test_a_job_notices_what_was_signalled_though_its_lease_can_not_be_renewed_at_once() -> None:
    """It would go on until the next renewal, in a third of its lease."""
    kind = RenewedAtTheSecondTry()
    leases = LeaseEngine[str, Job, None](cast(Any, kind), utc_now)
    async with asyncio.timeout(PATIENCE):
        working = asyncio.create_task(leases.work("place"))
        await kind.begun.wait()
        leases.renew_early(lambda place: place == "place")
        await working
    assert kind.renewals == 2
