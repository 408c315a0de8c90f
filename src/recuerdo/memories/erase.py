"""Removes everything of a user, and looks whether it is gone."""

from collections.abc import Awaitable, Callable
from datetime import datetime

import msgspec

from recuerdo.core.memories import MemoryQuery
from recuerdo.core.ports import CheckpointRepository, Clock, MemoryLedger, ThreadRepository
from recuerdo.core.scope import Owner

_PAGE = 100
_ROUNDS = 8

Flush = Callable[[], Awaitable[object]]


class Receipt(msgspec.Struct, frozen=True):
    """What was removed of a user. `complete` says that somebody looked afterwards and found nothing."""

    owner: Owner
    at: datetime
    threads: int
    messages: int
    memories: int
    rounds: int
    complete: bool


class Eraser:
    """Erases users. What works on threads must tell the caches, too; without threads only memories are erased."""

    def __init__(
        self,
        memories: MemoryLedger,
        clock: Clock,
        threads: ThreadRepository | None = None,
        checkpoints: CheckpointRepository | None = None,
        flush: Flush | None = None,
    ) -> None:
        self._memories = memories
        self._clock = clock
        self._threads = threads
        self._checkpoints = checkpoints
        self._flush = flush

    async def erase(self, owner: Owner) -> Receipt:
        """Erase until a look finds nothing; writers who looked before can't bring anything back.

        What is appended or remembered anew while this runs is erased, too, or it comes after the receipt.
        """
        threads = messages = memories = rounds = 0
        complete = False
        while not complete and rounds < _ROUNDS:
            rounds += 1
            if self._flush is not None:
                await self._flush()
            memories += await self._memories.erase(owner)
            gone, lost = await self._erase_threads(owner)
            threads, messages = threads + gone, messages + lost
            complete = await self._is_empty(owner)
        return Receipt(owner, self._clock(), threads, messages, memories, rounds, complete)

    async def _erase_threads(self, owner: Owner) -> tuple[int, int]:
        gone = lost = 0
        while self._threads is not None and (page := (await self._threads.select(owner, _PAGE)).threads):
            for thread in page:
                scope = owner.thread(thread.id)
                if self._checkpoints is not None:
                    await self._checkpoints.erase(scope)
                if await self._threads.delete(scope, self._clock()):
                    gone, lost = gone + 1, lost + thread.message_count
        return gone, lost

    async def _is_empty(self, owner: Owner) -> bool:
        if await self._memories.select(owner, MemoryQuery(limit=1)) or await self._memories.changes(owner, 1):
            return False
        return self._threads is None or not (await self._threads.select(owner, 1)).threads
