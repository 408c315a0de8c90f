"""The events of runs in the memory of one process: for whoever listens, and for those who come back."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from recuerdo.core.runs import RunEvent

MOST_EVENTS = 100_000
"""Of one run: what is older is gone for those who listen from the start."""

SECONDS_KEPT = 60.0
"""How long the events of a run can be had when it is over."""


@dataclass
class _Log:
    events: deque[RunEvent] = field(default_factory=lambda: deque(maxlen=MOST_EVENTS))
    count: int = 0
    ended_at: float | None = None
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self) -> None:
        """Wake everybody who waits; who waits from now on waits for what is next."""
        news, self.news = self.news, asyncio.Event()
        news.set()


class LocalRunEvents:
    """The RunEvents of one process."""

    def __init__(self) -> None:
        self._logs: dict[str, _Log] = {}
        self._last = 0

    async def publish(self, run_id: str, name: str, data: bytes) -> None:
        """See RunEvents."""
        log = self._logs.setdefault(run_id, _Log())
        log.events.append(RunEvent(self._next_id(), name, data))
        log.count += 1
        log.tell()

    async def end(self, run_id: str) -> None:
        """See RunEvents."""
        now = time.monotonic()
        log = self._logs.setdefault(run_id, _Log())
        log.ended_at = now
        log.tell()
        old = [each for each, log in self._logs.items() if log.ended_at and now - log.ended_at > SECONDS_KEPT]
        for each in old:
            del self._logs[each]

    async def follow(self, run_id: str, after: str = "") -> AsyncGenerator[RunEvent]:
        """See RunEvents."""
        log = self._logs.setdefault(run_id, _Log())
        seen = max(log.count - len(log.events), _behind(log, after))
        while True:
            news, ended = log.news, log.ended_at is not None
            first = log.count - len(log.events)
            while seen < log.count:
                yield log.events[max(seen, first) - first]
                seen = max(seen, first) + 1
                first = log.count - len(log.events)
            if ended:
                return
            await news.wait()

    def _next_id(self) -> str:
        self._last = max(self._last + 1, time.time_ns() // 1000)
        return f"{self._last // 1000}-{self._last % 1000}"


def _behind(log: _Log, after: str) -> int:
    """How many events come before the one behind `after`."""
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
