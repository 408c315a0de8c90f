"""Work that is handed over to two worker processes on PostgreSQL, beside Procrastinate."""

import asyncio
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

from procrastinate import PsycopgConnector

from benchmarks.jobs import procrastinate_app
from benchmarks.rounds import Compared, Measurement
from benchmarks.servers import postgres_url
from recuerdo import Recuerdo
from recuerdo.adapters.local import LocalRunEvents
from recuerdo.adapters.registry import open_repositories
from recuerdo.core.actions import Query
from recuerdo.core.runs import RunRequest
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from recuerdo.runs.lifecycle import RunOutcome
from recuerdo.runs.runs import NewRun
from recuerdo.runs.services import RunServices, running_services

TOPIC = "dispatch"
_EACH_SECOND = 100
_DRAINED = 1000
_AT_A_TIME = 50

Enqueue = Callable[[str, int], Awaitable[object]]


class Worker:
    """One worker process, and when it began which job."""

    def __init__(self, process: Process, begun: dict[str, float], news: asyncio.Event) -> None:
        self.process = process
        self._listening = asyncio.create_task(self._listen(begun, news))

    async def _listen(self, begun: dict[str, float], news: asyncio.Event) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            job, moment = line.decode().split()
            begun[job if job != "ready" else f"ready {self.process.pid}"] = float(moment)
            news.set()

    def pause(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    async def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        await self._listening


class Queue(NamedTuple):
    """One contestant: how jobs are handed over, who does them, and when they were begun."""

    enqueue: Enqueue
    workers: list[Worker]
    begun: dict[str, float]
    news: asyncio.Event

    async def until(self, jobs: list[str]) -> list[float]:
        """When these jobs were begun, as soon as all of them are."""
        while not self.begun.keys() >= {*jobs}:
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), 60)
        return [self.begun[job] for job in jobs]


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """Latency at 100 jobs a second, draining a queue, and what a killed worker leaves behind."""
    rounds = 12 if full else 4
    with postgres_url() as our_url, postgres_url() as their_url:
        async with _ours(our_url, folder) as ours, _theirs(their_url) as theirs:
            samples = [(await _delays(ours, f"d{n}"), await _delays(theirs, f"d{n}")) for n in range(rounds + 1)][1:]
            drained = [(await _drain(ours, f"x{n}"), await _drain(theirs, f"x{n}")) for n in range(rounds + 1)][1:]
            restarted = await _restarted(ours)
        cancelled = await _cancelled(our_url, 20)
    tails = [(_tail(own), _tail(other)) for own, other in samples]
    return [
        _compared(samples, "from enqueue to start, two workers, 100 a second"),
        _compared([([own], [other]) for own, other in tails], "the same, 99th percentile of each round"),
        _compared([([own], [other]) for own, other in drained], f"each of {_DRAINED:,} that wait"),
        Measurement(TOPIC, "kill -9 of a worker until another begins, lease 3 s", restarted),
        Measurement(TOPIC, "cancel until the run on another replica hears it", cancelled, goal_seconds=0.02),
    ]


def _compared(samples: list[tuple[list[float], list[float]]], case: str) -> Measurement:
    ours, theirs = [own for own, _ in samples], [other for _, other in samples]
    return Compared.of(ours, theirs).measurement(TOPIC, case, "Procrastinate")


def _tail(samples: list[float]) -> float:
    return quantiles(samples, n=100)[98]


async def _delays(queue: Queue, name: str) -> list[float]:
    """Seconds from enqueue to start, of a second's jobs."""
    handed_over: dict[str, float] = {}
    for number in range(_EACH_SECOND):
        job = f"{name}-{number}"
        handed_over[job] = time.monotonic()
        await queue.enqueue(job, 0)
        await asyncio.sleep(max(0, 1 / _EACH_SECOND - (time.monotonic() - handed_over[job])))
    begun = await queue.until([*handed_over])
    return [start - before for start, before in zip(begun, handed_over.values(), strict=True)]


async def _drain(queue: Queue, name: str) -> float:
    """Seconds that a job takes while a long queue is drained, from its first start to its last."""
    jobs = [f"{name}-{number}" for number in range(_DRAINED)]
    for worker in queue.workers:
        worker.pause()
    for start in range(0, _DRAINED, _AT_A_TIME):
        await asyncio.gather(*[queue.enqueue(job, 0) for job in jobs[start : start + _AT_A_TIME]])
    for worker in queue.workers:
        worker.resume()
    begun = await queue.until(jobs)
    return (max(begun) - min(begun)) / (_DRAINED - 1)


async def _restarted(queue: Queue) -> float:
    """Seconds from the death of the worker that does a job to its start at another."""
    for worker in queue.workers[1:]:
        worker.pause()
    await queue.enqueue("long", 3600)
    [first] = await queue.until(["long"])
    del queue.begun["long"]
    before = time.monotonic()
    await queue.workers[0].kill()
    for worker in queue.workers[1:]:
        worker.resume()
    [second] = await queue.until(["long"])
    assert second > first
    return second - before


@asynccontextmanager
async def _ours(url: str, folder: Path) -> AsyncGenerator[Queue]:
    async with Recuerdo.open(url, embeddings="none", spool=f"{folder}/spool") as memory:

        async def enqueue(job: str, seconds: int) -> None:
            whose = {"tenant": "acme", "user": "emi", "thread": "t-1", "task_id": "bench"}
            action = Query(action_id=job, created_at=datetime.now(UTC), text="x", k=seconds, **whose)
            await memory.actions.enqueue(action)

        async with _working("recuerdo", url, enqueue) as queue:
            yield queue


@asynccontextmanager
async def _theirs(url: str) -> AsyncGenerator[Queue]:
    app = procrastinate_app(PsycopgConnector(conninfo=url, min_size=2, max_size=10), print)
    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        job = app.tasks["job"]

        async def enqueue(name: str, seconds: int) -> None:
            await job.defer_async(name=name, seconds=seconds)

        async with _working("procrastinate", url, enqueue) as queue:
            yield queue


@asynccontextmanager
async def _working(kind: str, url: str, enqueue: Enqueue) -> AsyncGenerator[Queue]:
    queue = Queue(enqueue, [], {}, asyncio.Event())
    command = (sys.executable, "-m", "benchmarks.dispatch_worker", kind, url)
    try:
        for _ in range(2):
            process = await asyncio.create_subprocess_exec(*command, stdout=PIPE)
            queue.workers.append(Worker(process, queue.begun, queue.news))
        await queue.until([f"ready {worker.process.pid}" for worker in queue.workers])
        yield queue
    finally:
        for worker in queue.workers:
            await worker.kill()


class _Lingering:
    """A host whose runs go on until they are stopped, and say when that was."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.stopped = 0.0

    async def execute(self, *_: Any) -> Any:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.stopped = time.monotonic()

    async def left(self, *_: Any) -> RunOutcome:
        return RunOutcome("interrupted", "idle", {})

    async def undo(self, *_: Any) -> None: ...


async def _cancelled(url: str, turns: int) -> float:
    """Seconds until a run is stopped that another replica cancels."""
    owner, taken = Owner("acme", "emi"), []
    async with AsyncExitStack() as stack:
        host = _Lingering()
        here, there = [await stack.enter_async_context(_replica(url, host)) for _ in range(2)]
        for _ in range(turns):
            host.begun.clear()
            run = await here.runs.create(owner, NewRun("g", RunRequest()))
            await host.begun.wait()
            before = time.monotonic()
            await there.runs.cancel(owner, run.thread_id, [run.run_id], "interrupt")
            await here.runs.finished(owner, run)
            taken.append(host.stopped - before)
    return median(taken)


@asynccontextmanager
async def _replica(url: str, host: _Lingering) -> AsyncGenerator[RunServices]:
    async with open_repositories(url) as repositories:
        assert repositories.documents is not None
        assert repositories.signals is not None
        documents, signals = repositories.documents, repositories.signals
        async with running_services(
            documents, LocalRunEvents(), {"g": None}, lambda: host, utc_now, signals, lease=30
        ) as services:
            yield services
