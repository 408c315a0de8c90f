"""The events of runs in the memory of one process: for current listeners, and for those that reconnect."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field

from recuerdo.core.graph_ports import RunEvents
from recuerdo.core.runs import FIRST_TOKEN, RunEvent
from recuerdo.core.scope import Owner

MOST_EVENTS = 100_000
"""The maximum number of events of one run; older ones are dropped."""

SECONDS_KEPT = 60.0
"""How long the events of a run can be had when it is over."""

SECONDS_SEALED = 86400.0
"""How long events of a sealed run are refused: longer than a run or a turn works."""

_MOST_BEGUN = 100_000


@dataclass
class _Log:
    events: deque[RunEvent] = field(default_factory=lambda: deque(maxlen=MOST_EVENTS))
    count: int = 0
    listeners: int = 0
    is_over: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self) -> None:
        """Wake all waiting listeners; those that wait from now on wait for the next event."""
        news, self.news = self.news, asyncio.Event()
        news.set()


class LocalRunEvents(RunEvents):
    """The RunEvents of one process."""

    def __init__(self) -> None:
        self._logs: dict[str, _Log] = {}
        self._begun: dict[str, tuple[Owner, str]] = {}
        self._sealed: set[str] = set()
        self._last = 0

    async def begin(
        self, owner: Owner, thread: str, run_id: str, stands: Callable[[], Awaitable[bool]] | None = None
    ) -> None:
        self._begun.pop(run_id, None)
        self._begun[run_id] = (owner, thread)
        if len(self._begun) > _MOST_BEGUN:
            del self._begun[next(iter(self._begun))]

    async def seal(self, owner: Owner, thread: str | None = None) -> None:
        self.seal_all(owner, thread)

    def seal_all(self, owner: Owner, thread: str | None) -> list[str]:
        """Seal the owner's runs that have begun in this process, and return their ids."""
        found = [
            run_id
            for run_id, (its_owner, its_thread) in self._begun.items()
            if its_owner == owner and thread in (None, its_thread)
        ]
        for run_id in found:
            self.seal_run(run_id)
        return found

    def seal_run(self, run_id: str) -> None:
        """Remove the run's events, let its listeners go, and tell nothing more of it."""
        if run_id not in self._sealed:
            self._sealed.add(run_id)
            asyncio.get_running_loop().call_later(SECONDS_SEALED, self._sealed.discard, run_id)
        self._begun.pop(run_id, None)
        log = self._logs.get(run_id)
        if log is not None:
            log.events.clear()
            log.count = 0
            self.drop(run_id)

    async def is_sealed(self, run_id: str) -> bool:
        return self.has_sealed(run_id)

    def has_sealed(self, run_id: str) -> bool:
        """Whether the run is known to be sealed in this process."""
        return run_id in self._sealed

    async def take_over(self, run_id: str) -> int:
        return FIRST_TOKEN

    async def publish(self, run_id: str, name: str, data: bytes, token: int = 0) -> None:
        self.append(run_id, name, data)

    def append(self, run_id: str, name: str, data: bytes) -> RunEvent:
        """Append one event of a run, and return it. Nothing is kept of a sealed run."""
        event = self.event(name, data)
        if run_id in self._sealed:
            return event
        log = self._logs.setdefault(run_id, _Log())
        log.events.append(event)
        log.count += 1
        log.tell()
        return event

    def event(self, name: str, data: bytes) -> RunEvent:
        """An event that is not published, with an id after all others of this process."""
        self._last = max(self._last + 1, time.time_ns() // 1000)
        return RunEvent(f"{self._last // 1000}-{self._last % 1000}", name, data)

    def start_behind(self, event_id: str) -> None:
        """Let all events to come have greater ids than this one."""
        milliseconds, rest = _place(event_id)
        self._last = max(self._last, milliseconds * 1000 + rest)

    def holds(self, run_id: str) -> bool:
        """Whether something is known of the run."""
        return run_id in self._logs

    async def knows(self, run_id: str) -> bool:
        return self.holds(run_id)

    def is_over(self, run_id: str) -> bool:
        """Whether the run has ended, as far as is known here."""
        log = self._logs.get(run_id)
        return log is not None and log.is_over

    def drop(self, run_id: str) -> None:
        """Forget the run, and let its listeners go."""
        log = self._logs.pop(run_id, None)
        if log is not None:
            log.is_over = True
            log.tell()

    async def end(self, run_id: str, token: int = 0) -> None:
        if run_id in self._sealed:
            return
        log = self._logs.setdefault(run_id, _Log())
        if not log.is_over:
            asyncio.get_running_loop().call_later(SECONDS_KEPT, self._forget, run_id, log)
        log.is_over = True
        log.tell()

    def _forget(self, run_id: str, log: _Log) -> None:
        if self._logs.get(run_id) is log:
            del self._logs[run_id]
            self._begun.pop(run_id, None)

    async def follow(self, run_id: str, after: str = "") -> AsyncGenerator[RunEvent]:
        if run_id in self._sealed:
            return
        log = self._logs.setdefault(run_id, _Log())
        log.listeners += 1
        try:
            seen = max(log.count - len(log.events), _behind(log, after))
            while True:
                news, is_over = log.news, log.is_over
                first = log.count - len(log.events)
                while seen < log.count:
                    yield log.events[max(seen, first) - first]
                    seen = max(seen, first) + 1
                    first = log.count - len(log.events)
                if is_over:
                    return
                await news.wait()
        finally:
            log.listeners -= 1
            if not (log.listeners or log.count or log.is_over):  # it was over long ago, or is executed elsewhere
                self._logs.pop(run_id, None)


def _behind(log: _Log, after: str) -> int:
    """How many events come before the one after `after`."""
    if not after:
        return 0
    place = _place(after)
    first = log.count - len(log.events)
    return first + sum(1 for event in log.events if _place(event.id) <= place)


def _place(event_id: str) -> tuple[int, int]:
    milliseconds, _, rest = event_id.partition("-")
    try:
        return int(milliseconds), int(rest or 0)
    except ValueError:
        return -1, 0
