"""Who executes runs: takes those whose turn it is, holds them while they work, and goes on with those left behind."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from datetime import timedelta
from typing import Any, Protocol, TypeVar

from recuerdo.concurrency.tasks import stop
from recuerdo.core.documents import Decision
from recuerdo.core.errors import LeaseLost, Unavailable
from recuerdo.core.graph_ports import DocumentRepository, RunEvents, Signals
from recuerdo.core.ports import Clock
from recuerdo.core.runs import CancelAction, Run
from recuerdo.core.scope import Owner
from recuerdo.runs.encoding import encode
from recuerdo.runs.lifecycle import CANCELLED, MOST_ATTEMPTS, RunOutcome, begin, end, hand_back, renew
from recuerdo.runs.work import ThreadWork, called, on_thread, run_key, thread_key

MOST_RUNNING = 200
"""Runs that a process executes at the same moment; the rest waits for its turn."""

_log = logging.getLogger(__name__)

Tell = Callable[[str, Any], Awaitable[None]]
T = TypeVar("T")


class Host(Protocol):
    """Executes graphs: see integrations.langgraph.host.GraphHost, which takes a second to import."""

    async def execute(self, owner: Owner, run: Run, tell_it: Tell) -> RunOutcome: ...

    async def left(self, owner: Owner, run: Run) -> RunOutcome: ...

    async def undo(self, owner: Owner, run_id: str) -> None: ...


class Engine:
    """Executes runs in this process.

    A run that is `held` by nobody, because its process died, is started again when its lease is over: `lease` seconds
    after it was last renewed.
    """

    def __init__(
        self,
        documents: DocumentRepository,
        events: RunEvents,
        host: Callable[[], Awaitable[Host]],
        clock: Clock,
        *,
        signals: Signals,
        lease: float = 30.0,
    ) -> None:
        self._documents = documents
        self._events = events
        self._host = host
        self._clock = clock
        self._lease = timedelta(seconds=lease)
        self._slots = asyncio.Semaphore(MOST_RUNNING)
        self._working: set[asyncio.Task[None]] = set()
        self._attempts: dict[str, asyncio.Task[RunOutcome]] = {}
        self._called: dict[asyncio.Event, str] = {}
        signals.hear(self._hear)
        self._reasons: dict[str, CancelAction | None] = {}
        self._results: dict[str, asyncio.Future[Any]] = {}
        self._ended: Callable[[Run, Any], Coroutine[Any, Any, None]] | None = None

    def on_end(self, ended: Callable[[Run, Any], Coroutine[Any, Any, None]]) -> None:
        """Call this with a run that is over and its result, after everybody else knows."""
        self._ended = ended

    def wake(self, owner: Owner, run: Run) -> None:
        """Start the run as soon as there is room, if it is its turn."""
        self._do(self._work(owner, run))

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._working.add(task)
        task.add_done_callback(self._working.discard)

    def expect(self, run_id: str) -> asyncio.Future[Any]:
        """What comes of the run, if it is this process that ends it: known when that is committed."""
        return self._results.setdefault(run_id, asyncio.get_running_loop().create_future())

    def forget(self, run_id: str) -> None:
        """Nobody expects the result any more."""
        self._results.pop(run_id, None)

    def stop(self, run_id: str, action: CancelAction) -> None:
        """Stop a run whose row says so already, if it is executed here; elsewhere they hear of it."""
        if run_id in self._attempts:
            self._reasons[run_id] = action
            self._attempts[run_id].cancel()

    def _hear(self, word: str) -> None:
        for news, name in self._called.items():
            if word in (name, ""):
                news.set()

    async def aclose(self) -> None:
        """Stop everything, and hand it back for others to go on with."""
        await stop(*self._working, patience=None)

    async def _work(self, owner: Owner, run: Run) -> None:
        following: Run | None = None
        try:
            async with self._slots:
                following = await self._turn(owner, run)
        except Unavailable as error:
            _log.warning("a run can't be gone on with now: %s", error)
        except Exception:
            _log.exception("a run could not be executed; it is tried again when its lease is over")
        if following is not None and following.start_at is None:
            self.wake(owner, following)

    async def _turn(self, owner: Owner, run: Run) -> Run | None:
        """Take the run and execute it to its end; the one that comes next."""
        now = self._clock()
        news = asyncio.Event()
        self._called[news] = called(run.run_id)  # somebody may cancel it before we know that it is ours
        try:
            await self._events.begin(owner, run.thread_id, run.run_id)  # an erasure from now on finds its events
            started = await self._change(owner, run, lambda work: begin(work, run.run_id, now, now + self._lease))
            outcome = None if started is None else await self._carry_out(owner, started, news)
        finally:
            del self._called[news]
        return None if started is None or outcome is None else await self._end(owner, started, outcome)

    async def _carry_out(self, owner: Owner, run: Run, news: asyncio.Event) -> RunOutcome | None:
        """Execute a run of ours; see _outcome."""
        self._attempts[run.run_id] = attempt = asyncio.create_task(self._attempt(owner, run))
        holding = asyncio.create_task(self._hold(owner, run, news))
        if run.cancel:
            self.stop(run.run_id, run.cancel)
        try:
            return await self._outcome(owner, run, attempt)
        finally:
            holding.cancel()
            self._attempts.pop(run.run_id, None)
            self._reasons.pop(run.run_id, None)

    async def _attempt(self, owner: Owner, run: Run) -> RunOutcome:
        if run.attempts > MOST_ATTEMPTS:
            raise RuntimeError(f"The run was started {MOST_ATTEMPTS} times, and each time its process died.")
        await self._tell(run, "metadata", {"run_id": run.run_id, "attempt": run.attempts})
        host = await self._host()

        async def tell(name: str, data: Any) -> None:
            await self._tell(run, name, data)

        return await host.execute(owner, run, tell)

    async def _outcome(self, owner: Owner, run: Run, attempt: asyncio.Task[RunOutcome]) -> RunOutcome | None:
        """How the attempt ended; None when somebody else has to go on with it."""
        try:
            await asyncio.wait([attempt])
        except asyncio.CancelledError:  # the process ends
            attempt.cancel()
            await asyncio.wait([attempt])
            await asyncio.shield(self._hand_back(owner, run))
            return None
        if attempt.cancelled():
            return await self._cancelled(owner, run)
        error = attempt.exception()
        if isinstance(error, LeaseLost):
            return None
        return attempt.result() if error is None else await self._failed(owner, run, error)

    async def _cancelled(self, owner: Owner, run: Run) -> RunOutcome | None:
        action = self._reasons.pop(run.run_id, None)
        if action is None or not await self._renew(owner, run):  # the run is somebody else's now
            return None
        host = await self._host()
        if action == "rollback":
            await host.undo(owner, run.run_id)
        outcome = await host.left(owner, run)
        return outcome._replace(undone=action == "rollback", error=CANCELLED[action])

    async def _failed(self, owner: Owner, run: Run, error: BaseException) -> RunOutcome:
        described = {"error": type(error).__name__, "message": str(error)}
        _log.warning("a run failed: %s", type(error).__name__, exc_info=error)
        await self._tell(run, "error", described)
        return RunOutcome("error", "error", {}, described)

    async def _end(self, owner: Owner, run: Run, outcome: RunOutcome) -> Run | None:
        now = self._clock()
        ended = await self._change(owner, run, lambda work: end(work, run, outcome, now))
        if ended is not None:
            self._settle(run.run_id, outcome.answer)
        await self._events.end(run.run_id, run.token)
        if ended is None:  # somebody else has gone on with it meanwhile
            return None
        if self._ended is not None:
            self._do(self._ended(ended.run, outcome.result))
        return ended.next

    async def _hand_back(self, owner: Owner, run: Run) -> None:
        now = self._clock()
        await self._change(owner, run, lambda work: hand_back(work, run, now))

    async def _change(self, owner: Owner, run: Run, decide: Callable[[ThreadWork], Decision[T]]) -> T:
        keys = [thread_key(run.thread_id), run_key(run.run_id)]
        return await self._documents.change(owner, run.thread_id, keys, on_thread(run.thread_id, decide))

    async def _hold(self, owner: Owner, run: Run, news: asyncio.Event) -> None:
        """Renew the lease, and learn of cancellations that came elsewhere."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._lease.total_seconds() / 3):
                    await news.wait()
            news.clear()
            with suppress(Exception):  # the next renewal may still come in time
                current = await self._renew(owner, run)
                if current is None:
                    self._attempts[run.run_id].cancel()
                elif current.cancel:
                    self.stop(run.run_id, current.cancel)

    async def _renew(self, owner: Owner, run: Run) -> Run | None:
        until = self._clock() + self._lease
        return await self._documents.change(
            owner,
            run.thread_id,
            [run_key(run.run_id)],
            on_thread(run.thread_id, lambda work: renew(work, run, until)),
        )

    async def _tell(self, run: Run, name: str, data: Any) -> None:
        await self._events.publish(run.run_id, name, encode(data), run.token)

    def _settle(self, run_id: str, result: Any) -> None:
        future = self._results.get(run_id)
        if future is not None and not future.done():
            future.set_result(result)
