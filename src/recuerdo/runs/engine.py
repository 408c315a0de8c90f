"""Executes runs, records how they end, and does what has become due: delayed runs, schedules, expiry."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar
from weakref import WeakKeyDictionary

from recuerdo.concurrency.tasks import stop
from recuerdo.core.documents import Decision, Document, DocumentKey, reader
from recuerdo.core.errors import EpochChanged, LeaseLost
from recuerdo.core.graph_ports import DocumentRepository, RunEvents, Signals
from recuerdo.core.ports import Clock
from recuerdo.core.runs import FIRST_TOKEN, AgentThread, CancelAction, Run
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import check_epochs
from recuerdo.jobs.leases import DueLoop, LeaseEngine
from recuerdo.runs.crons import Crons
from recuerdo.runs.encoding import encode
from recuerdo.runs.lifecycle import (
    CANCELLED,
    HANDED_BACK,
    MOST_ATTEMPTS,
    RunOutcome,
    ThreadWork,
    begin,
    change_work,
    end,
    hand_back,
    renew,
    run_signal,
)
from recuerdo.runs.threads import Threads

MOST_RUNNING = 200
"""Runs that a process executes at the same moment. Further ones wait."""

_log = logging.getLogger(__name__)

Tell = Callable[[str, Any], Awaitable[None]]
T = TypeVar("T")


SECONDS_BETWEEN_LOOKS = 0.5
"""The longest that a run whose lease is over waits to be noticed."""

_LOOKS_BETWEEN_SWEEPS = 20
_MOST_AT_ONCE = 100
_thread = reader("thread", AgentThread)


class Host(Protocol):
    """Executes graphs: see integrations.langgraph.host.GraphHost, which takes a second to import."""

    async def execute(self, owner: Owner, run: Run, tell_it: Tell, /) -> RunOutcome: ...

    async def left(self, owner: Owner, run: Run, /) -> RunOutcome: ...

    async def undo(self, owner: Owner, run_id: str, /) -> None: ...


class RunLocation(NamedTuple):
    """Where a run's row is."""

    owner: Owner
    thread_id: str
    run_id: str


class Engine:
    """Executes runs in this process, each under a lease of `lease` seconds."""

    def __init__(
        self,
        documents: DocumentRepository,
        events: RunEvents,
        host: Callable[[], Awaitable[Host]],
        clock: Clock,
        *,
        signals: Signals,
        lease: float = 30.0,
        epoch_of: Callable[[Scope], Awaitable[int]] | None = None,
    ) -> None:
        self._documents = documents
        self._events = events
        self._host = host
        self._clock = clock
        self.lease = lease
        self._epoch_of = epoch_of
        self._leases = LeaseEngine(self, clock)
        self._slots = asyncio.Semaphore(MOST_RUNNING)
        self._queued: set[RunLocation] = set()
        self._working: set[asyncio.Task[None]] = set()
        self._cancelling: WeakKeyDictionary[asyncio.Task[RunOutcome], CancelAction] = WeakKeyDictionary()
        self._results: dict[str, asyncio.Future[Any]] = {}
        self._ended: Callable[[Run, Any], Coroutine[Any, Any, None]] | None = None
        signals.subscribe(self._on_signal)

    def on_end(self, ended: Callable[[Run, Any], Coroutine[Any, Any, None]]) -> None:
        """Call this in the background with each finished run that has a webhook, once its end is committed."""
        self._ended = ended

    def wake(self, place: RunLocation) -> None:
        """Start the run as soon as there is room, if it is its turn."""
        if place not in self._queued:
            self._queued.add(place)
            self._do(self._work(place))

    async def _work(self, place: RunLocation) -> None:
        async with self._slots:
            self._queued.discard(place)
            await self._leases.work(place)

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._working.add(task)
        task.add_done_callback(self._working.discard)

    def expect(self, run_id: str) -> asyncio.Future[Any]:
        """The result of the run, set when its end is committed by this process."""
        return self._results.setdefault(run_id, asyncio.get_running_loop().create_future())

    def forget(self, run_id: str) -> None:
        """Drop the future that `expect` gave."""
        self._results.pop(run_id, None)

    def stop(self, place: RunLocation, action: CancelAction) -> None:
        """Stop a run that this process executes; its row must say so already. Other processes are signalled."""
        attempt = self._leases.attempt_at(place)
        if attempt is not None:
            self._cancelling[attempt] = action
            attempt.cancel()

    def _on_signal(self, signal: str) -> None:
        self._leases.renew_early(lambda place: signal in ("", run_signal(place.run_id)))

    async def aclose(self) -> None:
        """Stop everything, and hand unfinished runs back for other processes."""
        await stop(*self._working, repeat_after=None)

    async def begin(self, place: RunLocation, until: datetime) -> Run | None:
        """See JobKind. The run's events are registered first, so that an erasure from now on finds them."""
        await self._events.begin(*place, partial(self._stands, place))
        return await self._change(place, partial(begin, run_id=place.run_id, now=self._clock(), lease_until=until))

    async def _stands(self, place: RunLocation) -> bool:
        return await self._documents.get(place.owner, DocumentKey("run", place.run_id)) is not None

    async def renew(self, place: RunLocation, job: Run, until: datetime) -> bool:
        """See JobKind. Carries out a cancellation that came through another process."""
        key = DocumentKey("run", place.run_id)
        current = await change_work(
            self._documents, place.owner, place.thread_id, partial(renew, run=job, lease_until=until), key
        )
        if current is not None and current.cancel:
            self.stop(place, current.cancel)
        return current is not None

    async def hand_back(self, place: RunLocation, job: Run) -> None:
        """See JobKind."""
        await self._change(place, partial(hand_back, run=job, now=self._clock()))

    async def _change(self, place: RunLocation, decide: Callable[[ThreadWork], Decision[T]]) -> T:
        keys = DocumentKey("thread", place.thread_id), DocumentKey("run", place.run_id)
        return await change_work(self._documents, place.owner, place.thread_id, decide, *keys)

    async def attempt(self, place: RunLocation, job: Run) -> RunOutcome:
        """See JobKind."""
        if job.cancel:
            self.stop(place, job.cancel)
        if job.attempts > MOST_ATTEMPTS:
            raise RuntimeError(f"The run was started {MOST_ATTEMPTS} times, and each time its process died.")
        await self._publish(job, "metadata", {"run_id": job.run_id, "attempt": job.attempts})
        epoch = job.kwargs.expected_epoch
        if epoch == 0 and job.token > FIRST_TOKEN:  # an earlier start may have begun the thread
            epoch = None
        if self._epoch_of is not None and epoch is not None:  # or its input would be in the state
            check_epochs([epoch], await self._epoch_of(place.owner.thread(place.thread_id)))
        return await (await self._host()).execute(place.owner, job, partial(self._publish, job))

    async def finish(self, place: RunLocation, job: Run, attempt: asyncio.Task[RunOutcome]) -> None:
        """See JobKind. A run whose lease was lost is left to the process that has it now."""
        if attempt.cancelled():
            outcome = await self._cancelled(place, job, attempt)
        elif (error := attempt.exception()) is None:
            outcome = attempt.result()
        elif isinstance(error, LeaseLost):
            outcome = None
        else:
            _log.warning("a run failed: %s", type(error).__name__, exc_info=error)
            described = {"error": type(error).__name__, "message": str(error)}
            await self._publish(job, "error", described)
            outcome = RunOutcome("error", "error", {}, described, outdated=isinstance(error, EpochChanged))
        if outcome is not None:
            await self._end(place, job, outcome)

    async def _cancelled(self, place: RunLocation, run: Run, attempt: asyncio.Task[RunOutcome]) -> RunOutcome | None:
        action = self._cancelling.get(attempt)
        if action is None or not await self.renew(place, run, self._clock() + timedelta(seconds=self.lease)):
            return None
        host = await self._host()
        if action == "rollback":
            await host.undo(place.owner, run.run_id)
        outcome = await host.left(place.owner, run)
        return outcome._replace(undone=action == "rollback", error=CANCELLED[action])

    async def _end(self, place: RunLocation, run: Run, outcome: RunOutcome) -> None:
        ended = await self._change(place, partial(end, run=run, outcome=outcome, now=self._clock()))
        expected = self._results.get(run.run_id)
        if ended is not None and expected is not None and not expected.done():
            expected.set_result(outcome.answer)
        await self._events.end(run.run_id, run.token)
        if ended is None:  # another process has continued it meanwhile
            return
        if self._ended is not None and ended.run.kwargs.webhook is not None:
            self._do(self._ended(ended.run, outcome.result))
        if ended.next is not None and ended.next.start_at is None:
            self.wake(place._replace(run_id=ended.next.run_id))

    async def _publish(self, run: Run, name: str, data: Any) -> None:
        await self._events.publish(run.run_id, name, encode(data), run.token)


class LazyInThread:
    """Makes something, in a thread, when it is first asked for."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._made: Any = None
        self._making = asyncio.Lock()

    async def __call__(self) -> Any:
        async with self._making:
            if self._made is None:
                self._made = await asyncio.to_thread(self._make)
            return self._made


class RunMaintenance:
    """Starts due runs, fires schedules, expires threads and removes old results, twice a second.

    Several processes may do so at once: each step is decided in a transaction.
    """

    def __init__(
        self,
        documents: DocumentRepository,
        engine: Engine,
        crons: Crons,
        threads: Threads,
        clock: Clock,
        signals: Signals,
    ) -> None:
        self._documents = documents
        self._engine = engine
        self._crons = crons
        self._threads = threads
        self._clock = clock
        self._looks = 0
        self._loop = DueLoop(self.look, lambda: (HANDED_BACK,), lambda: SECONDS_BETWEEN_LOOKS, signals)

    async def run(self) -> None:
        """Look every SECONDS_BETWEEN_LOOKS, and whenever runs are handed back, until cancelled."""
        await self._loop.run()

    async def look(self, _queues: Collection[str] = ()) -> None:
        """Look once."""
        now = self._clock()
        for owner, document in await self._documents.due("run", now, _MOST_AT_ONCE):
            self._engine.wake(RunLocation(owner, document.group, document.id))
        for owner, document in await self._documents.due("cron", now, _MOST_AT_ONCE):
            await self._crons.fire(owner, document.id)
        for owner, document in await self._documents.due("thread", now, _MOST_AT_ONCE):
            await self._threads.expire(owner, _thread(document.body))
        if self._looks % _LOOKS_BETWEEN_SWEEPS == 0:
            await self._sweep()
        self._looks += 1

    async def _sweep(self) -> None:
        """Remove expired results."""
        found = [None] * _MOST_AT_ONCE
        while len(found) == _MOST_AT_ONCE:
            found = await self._documents.due("result", self._clock(), _MOST_AT_ONCE)
            await asyncio.gather(*(self._remove(owner, document) for owner, document in found))

    async def _remove(self, owner: Owner, document: Document) -> None:
        await self._documents.change(owner, document.group, [], lambda _: Decision(None, delete=[document.key]))
