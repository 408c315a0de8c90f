"""Which threads are summarised by themselves: those that grew, and where nobody has said anything for a while."""

from datetime import datetime, timedelta

from recuerdo.core.ports import Clock, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.memories.maintenance.summarise import Summaries

IDLE = timedelta(minutes=10)
"""How long nobody has said anything when a thread counts as idle."""

GROWTH = 6
"""A thread is summarised when it has so many messages that its summary does not cover."""

_PAGE = 500


class IdleThreads:
    """Notices which threads change, and summarises them when they are idle; any number of processes may do it.

    A thread counts from when its change is noticed. What changed before this process began waits for its next change.
    """

    def __init__(self, threads: ThreadRepository, summaries: Summaries, clock: Clock) -> None:
        self._threads = threads
        self._summaries = summaries
        self._clock = clock
        self._mark: str | None = None
        self._waiting: dict[Scope, tuple[datetime, int]] = {}

    async def summarise(self) -> int:
        """Look for changes, and summarise what is idle by now. Returns how many summaries were written."""
        await self._notice()
        now = self._clock()
        idle = [(scope, seq) for scope, (since, seq) in self._waiting.items() if since + IDLE <= now]
        written = 0
        for scope, seq in idle:
            del self._waiting[scope]
            written += await self._summarise(scope, seq)
        return written

    async def _notice(self) -> None:
        while True:
            first, changes = self._mark is None, await self._threads.changed(self._mark, _PAGE)
            now, self._mark = self._clock(), changes.mark
            for scope, head in changes.heads.items():
                self._waiting.pop(scope, None)
                if head.version.seq >= GROWTH and not scope.owner.is_anonymous:
                    self._waiting[scope] = now, head.version.seq
            if first or len(changes.heads) < _PAGE:
                return

    async def _summarise(self, scope: Scope, seq: int) -> bool:
        known = await self._summaries.of(scope)
        if seq - ((known.source.seq or 0) if known else 0) < GROWTH:
            return False
        return await self._summaries.summarise(scope) != known
