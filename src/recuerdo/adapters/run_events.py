"""The events of runs, for the listeners of this process and of other replicas."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import NamedTuple

from recuerdo.adapters.local.events import LocalRunEvents
from recuerdo.adapters.registry import open_shared_cache
from recuerdo.concurrency.tasks import stop
from recuerdo.core.errors import CacheUnavailable
from recuerdo.core.graph_ports import EventLog, RunEvents
from recuerdo.core.runs import FIRST_TOKEN, RunEvent
from recuerdo.core.scope import Owner

_log = logging.getLogger(__name__)

_END = ""
"""The name of the event that ends a run in the log."""

_MOST_WAITING = 100_000
_MOST_AT_ONCE = 500
_SECONDS_UNTIL_ELSEWHERE = 0.05
"""A run that does not begin here in that time is perhaps executed by another replica."""

_SECONDS_OF_READING = 1.0
_SECONDS_OF_ASKING = 0.25
"""A log that does not answer in that time does not hold a run up."""

_PAUSE = 0.2


class _RunRegistration(NamedTuple):
    """A run that this process executes: whose it is, since when on the loop's clock, and whether it still stands."""

    owner: Owner
    thread: str
    began: float
    stands: Callable[[], Awaitable[bool]] | None


@asynccontextmanager
async def open_run_events(
    cache: str | None, around: Callable[[EventLog], EventLog] = lambda log: log
) -> AsyncGenerator[RunEvents]:
    """The events of runs, which replicas share in `cache`, by the log that `around` makes of the cache's.

    Raises ConfigurationError and MissingExtra.
    """
    if cache is None:
        yield LocalRunEvents()
        return
    async with open_shared_cache(cache) as shared:
        events = SharedRunEvents(around(shared.events))
        try:
            yield events
        finally:
            await events.aclose()


class SharedRunEvents(RunEvents):
    """The RunEvents of several replicas.

    The replica that executes a run sends events to its own listeners at once, and writes all of them to a log for
    listeners elsewhere. When the log is away, only those have to wait; missed events are written when it is back. A
    replica that took a run over sends only new events, so that its listeners read the beginning from the log.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._local = LocalRunEvents()
        self._whole: dict[str, bool] = {}
        self._registrations: dict[str, _RunRegistration] = {}
        self._unnoted: set[str] = set()
        self._begun: dict[str, asyncio.Event] = {}
        self._outboxes: dict[str, deque[tuple[int, RunEvent]]] = {}
        self._news = asyncio.Event()
        self._writer = asyncio.create_task(self._write())

    async def aclose(self) -> None:
        """Write down what is not yet, if the log is there, and end."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS_OF_READING):
                while self._outboxes:  # noqa: ASYNC110 - only the end of the process waits
                    await asyncio.sleep(_PAUSE / 10)
        await stop(self._writer)

    async def begin(
        self, owner: Owner, thread: str, run_id: str, stands: Callable[[], Awaitable[bool]] | None = None
    ) -> None:
        """While the log is away this is noted before the first event is written down."""
        await self._local.begin(owner, thread, run_id)
        self._registrations[run_id] = _RunRegistration(owner, thread, asyncio.get_running_loop().time(), stands)
        self._unnoted.add(run_id)
        with suppress(CacheUnavailable, TimeoutError):
            async with asyncio.timeout(_SECONDS_OF_ASKING):
                await self._note(run_id)

    async def _note(self, run_id: str) -> None:
        if run_id in self._unnoted:
            owner, thread, began, _ = self._registrations[run_id]
            if not await self._log.begin(owner, thread, run_id, asyncio.get_running_loop().time() - began):
                self._seal_here(run_id)
            self._unnoted.discard(run_id)

    async def _note_again(self, run_id: str) -> None:
        """The log has lost everything: let erasures find the run again, and ask whether one was missed."""
        registration = self._registrations.get(run_id)
        if registration is None:
            return
        self._unnoted.add(run_id)
        await self._note(run_id)
        if registration.stands is not None and not await registration.stands():
            self._seal_here(run_id)

    async def seal(self, owner: Owner, thread: str | None = None) -> None:
        """Seal runs. Runs of this process are sealed in any case, also events that the log has missed so far."""
        for run_id in self._local.seal_all(owner, thread):
            self._seal_here(run_id)
        for run_id in await self._log.seal(owner, thread):
            self._seal_here(run_id)

    def _seal_here(self, run_id: str) -> None:
        self._local.seal_run(run_id)
        self._forget(run_id)
        if (outbox := self._outboxes.get(run_id)) is not None:
            outbox.clear()

    async def is_sealed(self, run_id: str) -> bool:
        """While the log is away only this process's own seals count. A log that lost the run may have lost its seal."""
        if not self._local.has_sealed(run_id):
            with suppress(CacheUnavailable, TimeoutError):
                async with asyncio.timeout(_SECONDS_OF_ASKING):
                    is_sealed = await self._log.is_sealed(run_id)
                if is_sealed:
                    self._seal_here(run_id)
                elif is_sealed is None:
                    await self._note_again(run_id)
        return self._local.has_sealed(run_id)

    async def take_over(self, run_id: str) -> int:
        return await self._log.take_over(run_id)

    async def publish(self, run_id: str, name: str, data: bytes, token: int = 0) -> None:
        if self._local.has_sealed(run_id):
            return
        if run_id not in self._whole:
            await self._begin(run_id, token)
        self._post(run_id, token, self._local.append(run_id, name, data))

    async def end(self, run_id: str, token: int = 0) -> None:
        await self._local.end(run_id)
        if run_id not in self._outboxes:
            self._forget_registration(run_id)
        if run_id in self._whole:
            self._post(run_id, token, self._local.event(_END, b""))

    async def knows(self, run_id: str) -> bool:
        """Return whether the run is known; without the log, only runs of this process are."""
        if await self.is_sealed(run_id):
            return False
        if self._local.holds(run_id):
            return True
        with suppress(CacheUnavailable):
            return bool(await self._log.last(run_id))
        return False

    async def follow(self, run_id: str, after: str = "") -> AsyncGenerator[RunEvent]:
        async with aclosing(self._logged_events(run_id, after)) as told:
            async for event in told:
                if event.name == _END:
                    return
                yield event
                after = event.id
        if self._whole.get(run_id):
            async with aclosing(self._local.follow(run_id, after)) as told:
                async for event in told:
                    yield event

    async def _logged_events(self, run_id: str, after: str) -> AsyncGenerator[RunEvent]:
        """Events from the log, until all later ones are published in this process."""
        if self._local.has_sealed(run_id):
            return
        await self._expect(run_id)
        while not self._whole.get(run_id):
            events = await self._read(run_id, after)
            for event in events:
                yield event
                after = event.id
            if self._local.has_sealed(run_id) or (not events and self._local.is_over(run_id)):
                return

    async def _expect(self, run_id: str) -> None:
        begun = self._begun.setdefault(run_id, asyncio.Event())
        try:
            async with asyncio.timeout(_SECONDS_UNTIL_ELSEWHERE):
                await begun.wait()
        except TimeoutError:
            if run_id not in self._whole:
                self._begun.pop(run_id, None)

    async def _begin(self, run_id: str, token: int) -> None:
        whole = token <= FIRST_TOKEN
        if not whole:
            with suppress(CacheUnavailable, TimeoutError):
                async with asyncio.timeout(_SECONDS_OF_READING):
                    self._local.start_behind(await self._log.last(run_id))
        for each in [each for each in self._whole if not self._local.holds(each)]:
            self._forget(each)
        self._whole[run_id] = whole
        self._begun.setdefault(run_id, asyncio.Event()).set()

    def _forget(self, run_id: str) -> None:
        self._whole.pop(run_id, None)
        self._begun.pop(run_id, None)
        self._forget_registration(run_id)

    def _forget_registration(self, run_id: str) -> None:
        self._registrations.pop(run_id, None)
        self._unnoted.discard(run_id)

    def _post(self, run_id: str, token: int, event: RunEvent) -> None:
        self._outboxes.setdefault(run_id, deque(maxlen=_MOST_WAITING)).append((token, event))
        self._news.set()

    async def _read(self, run_id: str, after: str) -> list[RunEvent]:
        try:
            return await self._log.read(run_id, after, _SECONDS_OF_READING)
        except CacheUnavailable:
            await asyncio.sleep(_PAUSE)
            return []

    async def _write(self) -> None:
        """Write down what came while the last was written, for ever."""
        while True:
            await self._news.wait()
            self._news.clear()
            done = await asyncio.gather(
                *[self._write_down(run_id) for run_id in [*self._outboxes]], return_exceptions=True
            )
            if any(isinstance(each, Exception) for each in done):
                _log.warning("other replicas can't follow runs now: the cache does not answer")
                await asyncio.sleep(_PAUSE)
                self._news.set()

    async def _write_down(self, run_id: str) -> None:
        outbox = self._outboxes[run_id]
        await self._note(run_id)
        if self._local.has_sealed(run_id):
            outbox.clear()
        while outbox:
            some = [outbox[place] for place in range(min(len(outbox), _MOST_AT_ONCE))]
            token = some[0][0]
            events = [event for its_token, event in some if its_token == token]
            outcome = await self._log.add(run_id, token, events, is_begun=run_id in self._registrations)
            if outcome == "unknown":
                await self._note_again(run_id)  # which empties the outbox of a run that was erased
                continue
            if outcome == "refused":
                outbox.clear()
                if not await self.is_sealed(run_id):
                    self._local.drop(run_id)  # another process has the run: listeners come back, and read the log
                self._forget(run_id)
                break
            for _ in events[: len(outbox)]:  # none, when they were sealed meanwhile
                outbox.popleft()
        self._outboxes.pop(run_id, None)
        if self._local.is_over(run_id):
            self._forget_registration(run_id)
