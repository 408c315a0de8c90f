"""The lease engine, which runs and actions share.

A job is a row with a fencing token and a lease. A process begins a job with a new token, renews the lease while it
works, and records the outcome. A write with an older token changes nothing. The job of a process that died is due again
when its lease is over; a process that stops in order hands its jobs back at once.
"""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Collection, Hashable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from recuerdo.core.errors import Unavailable
from recuerdo.core.graph_ports import Signals
from recuerdo.core.ports import Clock
from recuerdo.core.tracing import RequestTrace, current_request

_log = logging.getLogger(__name__)

_PAUSE = 1.0
"""Seconds from a renewal that failed to the next."""

P = TypeVar("P", bound=Hashable)
P_contra = TypeVar("P_contra", bound=Hashable, contravariant=True)
J = TypeVar("J", bound="Job")
R = TypeVar("R")


class Job(Protocol):
    """A row with work to do. `request` is what asked for it, in this process or another."""

    @property
    def request(self) -> RequestTrace: ...


class JobKind(Protocol[P_contra, J, R]):
    """One kind of jobs: where its rows are, and how each step is written. `lease` is in seconds.

    `place` says where a job's row is; `job` is the row with the token that this process holds.
    """

    lease: float

    async def begin(self, place: P_contra, until: datetime) -> J | None:
        """Take the job with a new token until then; None when it isn't due, or another process holds it."""
        ...

    async def renew(self, place: P_contra, job: J, until: datetime) -> bool:
        """Extend the lease; False when the token isn't the job's any more."""
        ...

    async def hand_back(self, place: P_contra, job: J) -> None:
        """Release the job for another process, without counting this attempt."""
        ...

    async def attempt(self, place: P_contra, job: J) -> R:
        """Do the work. It is cancelled when the lease is lost."""
        ...

    async def finish(self, place: P_contra, job: J, attempt: asyncio.Task[R]) -> None:
        """Record how the attempt ended."""
        ...


class LeaseEngine(Generic[P, J, R]):
    """Executes jobs of one kind in this process, each under its lease."""

    def __init__(self, kind: JobKind[P, J, R], clock: Clock) -> None:
        self._kind = kind
        self._clock = clock
        self._attempts: dict[P, asyncio.Task[R]] = {}
        self._held: dict[P, asyncio.Event] = {}

    def attempt_at(self, place: P) -> asyncio.Task[R] | None:
        """The attempt that this process makes at the job, if it does."""
        return self._attempts.get(place)

    def renew_early(self, matches: Callable[[P], bool]) -> None:
        """Renew the leases of these jobs now, so that changes to their rows are seen at once."""
        for place, early in self._held.items():
            if matches(place):
                early.set()

    async def work(self, place: P) -> None:
        """Take the job and execute it to its end. Errors are logged: the job is due again when its lease is over.

        One that this process works on already continues, though its lease could not be renewed in time.
        """
        if place in self._held:
            self._held[place].set()
            return
        early = self._held[place] = asyncio.Event()  # its row may change before the new token is known here
        try:
            while (job := await self._kind.begin(place, self._until())) is None and early.is_set():
                early.clear()  # it may have become due while that was answered
            if job is not None:
                await self._execute(place, job, early)
        except Unavailable as error:
            _log.warning("a job can't be continued now: %s", error)
        except Exception:
            _log.exception("a job failed to record its outcome; it begins again when its lease is over")
        finally:
            del self._held[place]

    def _until(self) -> datetime:
        """When a lease is over that is given now."""
        return self._clock() + timedelta(seconds=self._kind.lease)

    async def _execute(self, place: P, job: J, early: asyncio.Event) -> None:
        attempt = self._attempts[place] = asyncio.create_task(self._attempt(place, job))
        renewing = asyncio.create_task(self._renew(place, job, attempt, early))
        try:
            await asyncio.wait([attempt])
            await self._kind.finish(place, job, attempt)
        except asyncio.CancelledError:  # this process stops
            attempt.cancel()
            await asyncio.wait([attempt])
            await asyncio.shield(self._kind.hand_back(place, job))
            raise
        finally:
            renewing.cancel()
            del self._attempts[place]

    async def _attempt(self, place: P, job: J) -> R:
        """Attempt the job in the name of its request, so that logs and traces of several processes lead to it."""
        current_request.set(job.request)
        return await self._kind.attempt(place, job)

    async def _renew(self, place: P, job: J, attempt: asyncio.Task[Any], early: asyncio.Event) -> None:
        """Renew the lease three times before it is over, until it is lost."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._kind.lease / 3):
                    await early.wait()
            early.clear()
            try:
                if not await self._kind.renew(place, job, self._until()):
                    attempt.cancel()
                    return
            except Exception as error:  # the next renewal may still come in time, and see the signal
                _log.warning("a lease can't be renewed now: %s", error)
                await asyncio.sleep(min(_PAUSE, self._kind.lease / 10))
                early.set()


class DueLoop:
    """Looks through queues of due jobs: one at once when it is signalled, all of them every `pause` seconds."""

    def __init__(
        self,
        look: Callable[[Collection[str]], Awaitable[None]],
        queues: Callable[[], Collection[str]],
        pause: Callable[[], float],
        signals: Signals,
    ) -> None:
        self._look = look
        self._queues = queues
        self._pause = pause
        self._called: set[str] = set()
        self._wakeup = asyncio.Event()
        signals.subscribe(self._on_signal)

    def call(self, *queues: str) -> None:
        """Look through these queues as soon as possible."""
        self._called.update(queues)
        self._wakeup.set()

    def _on_signal(self, signal: str) -> None:
        if called := [queue for queue in self._queues() if signal in ("", queue)]:
            self.call(*called)

    async def run(self) -> None:
        """Look until cancelled. A look that fails is repeated in the next round."""
        now = asyncio.get_running_loop().time
        next_round = now()
        while True:
            called, self._called = self._called, set()
            self._wakeup.clear()
            if now() >= next_round:
                next_round = now() + self._pause()
                called.update(self._queues())
            try:
                await self._look(called)
            except Exception as error:
                _log.warning("due jobs can't be looked for now: %s", error)
            with suppress(TimeoutError):
                async with asyncio.timeout_at(next_round):
                    await self._wakeup.wait()


class Retries(NamedTuple):
    """How often an action is tried while something is away, and how many seconds lie in between.

    By default about four minutes: a service that restarts, or is overrun for a minute, makes no dead letters.
    """

    most_attempts: int = 10
    first_pause: float = 1.0
    longest_pause: float = 60.0

    def pause(self, attempts: int, retry_after: float) -> float:
        """The pause in seconds after this many attempts, the last of which was answered with `retry_after`.

        It is never less than that. At first it is no more either, as most outages are short; then it doubles
        each time. Actions that failed together do not come back together.
        """
        doubled = min(self.first_pause * 2 ** (attempts - 1), self.longest_pause) if attempts > 1 else 0.0
        return max(doubled, retry_after) * random.uniform(1.0, 1.25)  # noqa: S311
