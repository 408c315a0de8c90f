"""Removes everything of a user, and looks whether it is gone."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime

import msgspec

from recuerdo.core.checkpoints import CheckpointQuery
from recuerdo.core.errors import CacheUnavailable
from recuerdo.core.graph_ports import CheckpointRepository
from recuerdo.core.memories import MemoryQuery
from recuerdo.core.ports import Clock, MemoryRepository, ThreadRepository
from recuerdo.core.scope import Owner

_PAGE = 100
_ROUNDS = 8

Flush = Callable[[], Awaitable[object]]
Remove = Callable[[Owner], Awaitable[int]]
"""Removes what there is of an owner, and returns how much that was."""


class ErasureReceipt(msgspec.Struct, frozen=True):
    """What was removed of a user. `complete` says that somebody looked afterwards and found nothing.

    `others` are counts by name: `checkpoints` of so many threads, `items` of stores, `sessions`, `runs` with their
    assistants, threads and schedules, `shared` memories that the user had proposed.
    """

    owner: Owner
    at: datetime
    threads: int
    messages: int
    memories: int
    rounds: int
    complete: bool
    others: dict[str, int] = {}


class Eraser:
    """Erases users. What works on threads must tell the caches, too; without threads only memories are erased.

    `others` remove what else there is, by the names that the receipt has. `seal` removes the events of runs and turns
    that began before, and refuses what they tell later.
    """

    def __init__(
        self,
        memories: MemoryRepository,
        clock: Clock,
        threads: ThreadRepository | None = None,
        checkpoints: CheckpointRepository | None = None,
        flush: Flush | None = None,
        others: Mapping[str, Remove] | None = None,
        seal: Callable[[Owner], Awaitable[None]] | None = None,
    ) -> None:
        self._memories = memories
        self._clock = clock
        self._threads = threads
        self._checkpoints = checkpoints
        self._flush = flush
        self._others = dict(others or {})
        self._seal = seal

    async def erase(self, owner: Owner, more: Mapping[str, Remove] | None = None) -> ErasureReceipt:
        """Erase until a look finds nothing; writers who looked before can't bring anything back.

        What is written anew while this runs is erased, too, or it comes after the receipt. `more` is removed as well.
        """
        removed: Counter[str] = Counter()
        complete, rounds = False, 0
        while not complete and rounds < _ROUNDS:
            rounds += 1
            found = await self._round(owner, {**self._others, **(more or {})})
            removed += found
            complete = not found and await self._is_empty(owner)  # the last round found nothing to remove
        complete = await self._seal_events(owner) and complete  # what begins from now on reads nothing that was erased
        threads, messages, memories = (removed.pop(name, 0) for name in ("threads", "messages", "memories"))
        return ErasureReceipt(owner, self._clock(), threads, messages, memories, rounds, complete, dict(removed))

    async def _seal_events(self, owner: Owner) -> bool:
        """Whether no replica can tell the owner's events any more."""
        try:
            if self._seal is not None:
                await self._seal(owner)
        except CacheUnavailable:
            return False
        return True

    async def _round(self, owner: Owner, others: Mapping[str, Remove]) -> Counter[str]:
        """Remove everything once: runs first, or they would go on writing."""
        found: Counter[str] = Counter()
        for name, remove in others.items():
            found[name] += await remove(owner)
        if self._flush is not None:
            await self._flush()
        found["memories"] += await self._memories.erase(owner)
        found["threads"], found["messages"] = await self._erase_threads(owner)
        found["checkpoints"] += await self._erase_checkpoints(owner)
        return +found

    async def _erase_threads(self, owner: Owner) -> tuple[int, int]:
        gone = lost = 0
        while self._threads is not None and (page := (await self._threads.select(owner, _PAGE)).threads):
            for thread in page:
                if await self._threads.delete(owner.thread(thread.id), self._clock()):
                    gone, lost = gone + 1, lost + thread.message_count
        return gone, lost

    async def _erase_checkpoints(self, owner: Owner) -> int:
        """Those of threads without a history, too."""
        gone = 0
        if self._checkpoints is not None:
            query = CheckpointQuery(owner, limit=_PAGE)
            while threads := {each.thread for each in await self._checkpoints.select(query)}:
                for thread in threads:
                    await self._checkpoints.erase(owner.thread(thread))
                gone += len(threads)
        return gone

    async def _is_empty(self, owner: Owner) -> bool:
        if await self._memories.select(owner, MemoryQuery(limit=1)) or await self._memories.changes(owner, 1):
            return False
        return self._threads is None or not (await self._threads.select(owner, 1)).threads
