"""Erases a user, and verifies that nothing is left."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime

import msgspec
from msgspec.structs import replace

from recuerdo.concurrency.tasks import settled
from recuerdo.core.errors import CacheUnavailable
from recuerdo.core.graph_ports import CheckpointRepository
from recuerdo.core.identifiers import new_id
from recuerdo.core.memories import Memory, MemoryEntry, MemoryQuery
from recuerdo.core.ports import Clock, LogPurge, MemoryRepository, ThreadRepository
from recuerdo.core.retention import DELETED_AT_ONCE
from recuerdo.core.scope import Owner, TenantOwner
from recuerdo.core.threads import Thread
from recuerdo.memories.changes import MemoryChanges
from recuerdo.memories.listing import all_of

_PAGE = 100
_ROUNDS = 8
_REMOVED_AGAIN = "removed until a round found nothing"
_SEALED = "removed and sealed, so that what comes late is refused"
_LISTED = ("memories", "threads", "messages")
_LISTED_AGAIN = "listed again, and nothing was found"

Flush = Callable[[], Awaitable[object]]
Remove = Callable[[Owner], Awaitable[int]]
"""Removes what there is of an owner, and returns how much that was."""

Progress = Callable[[Mapping[str, int]], Awaitable[None]]
"""Called with the number of removed entries so far, by place."""


class ErasedPlace(msgspec.Struct, frozen=True):
    """Where a user had something: how much was removed, whether it is clean now, and how that was looked at."""

    name: str
    removed: int
    clean: bool
    how: str


class ErasureReceipt(msgspec.Struct, frozen=True):
    """The user's data that was removed. `complete` says that a check afterwards found nothing left.

    `others` are counts by name: `checkpoints` of so many threads, `items` of stores, `sessions`, `runs` with their
    assistants, threads and schedules, `shared` memories that the user had proposed, `api_keys`, `contexts`. `places`
    names all of them, and the logs besides, with how each was looked at.
    """

    owner: Owner
    at: datetime
    threads: int
    messages: int
    memories: int
    rounds: int
    complete: bool
    others: dict[str, int] = {}
    places: list[ErasedPlace] = []


class Eraser:
    """Erases users. `threads` must be a repository that also updates the caches; without it only memories are erased.

    `others` remove what else there is, by the names that the receipt has. `seal` removes the events of runs and turns
    that began before, and refuses what they tell later. `purge` empties the database's own log at the end. With
    `overlaps` several threads are deleted at a time.
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
        purge: LogPurge | None = None,
        *,
        overlaps: bool = False,
    ) -> None:
        self._memories = memories
        self._clock = clock
        self._threads = threads
        self._checkpoints = checkpoints
        self._flush = flush
        self._others = dict(others or {})
        self._seal = seal
        self._purge = purge
        self._at_once = DELETED_AT_ONCE if overlaps else 1

    async def erase(
        self, owner: Owner, more: Mapping[str, Remove] | None = None, report: Progress | None = None
    ) -> ErasureReceipt:
        """Erase until a look finds nothing; writers who looked before can't bring anything back.

        Anything that is written while this runs is erased, too, or comes after the receipt. `more` is removed as well.
        `report` is called after each round with the numbers so far.
        """
        removed: Counter[str] = Counter()
        others = {**self._others, **(more or {})}
        unreached: set[str] = set()
        is_empty, rounds = False, 0
        while not is_empty and rounds < _ROUNDS:
            rounds += 1
            unreached.clear()
            found = await self._round(owner, others, unreached)
            removed += found
            if report is not None:
                await report(removed)
            is_empty = not found and await self._is_empty(owner)  # the last round found nothing to remove
        is_sealed = await self._seal_events(owner)  # what begins from now on reads nothing that was erased
        is_purged = self._purge is None or await self._purge.run()
        is_clean = {name: is_empty and name not in unreached for name in (*_LISTED, *others, "checkpoints")}
        is_clean |= {"events": is_sealed, "log": is_purged}
        places = self._places(removed, others, is_clean)
        threads, messages, memories = (removed.pop(name, 0) for name in ("threads", "messages", "memories"))
        complete = all(place.clean for place in places)
        return ErasureReceipt(
            owner, self._clock(), threads, messages, memories, rounds, complete, dict(removed), places
        )

    def _places(
        self, removed: Mapping[str, int], others: Iterable[str], is_clean: Mapping[str, bool]
    ) -> list[ErasedPlace]:
        listed = _LISTED if self._threads is not None else _LISTED[:1]
        again = [*others, *["checkpoints"] * (self._checkpoints is not None)]
        places = [ErasedPlace(name, removed.get(name, 0), is_clean[name], _LISTED_AGAIN) for name in listed]
        places += [ErasedPlace(name, removed.get(name, 0), is_clean[name], _REMOVED_AGAIN) for name in again]
        if self._seal is not None:
            places.append(ErasedPlace("events", 0, is_clean["events"], _SEALED))
        if self._purge is not None:
            places.append(ErasedPlace(self._purge.place, 0, is_clean["log"], self._purge.how))
        return places

    async def _seal_events(self, owner: Owner) -> bool:
        """Whether no replica can tell the owner's events any more."""
        try:
            if self._seal is not None:
                await self._seal(owner)
        except CacheUnavailable:
            return False
        return True

    async def _round(self, owner: Owner, others: Mapping[str, Remove], unreached: set[str]) -> Counter[str]:
        """Remove everything once: runs first, or they would go on writing. Caches that are away are `unreached`."""
        found: Counter[str] = Counter()
        for name, remove in others.items():
            try:
                found[name] += await remove(owner)
            except CacheUnavailable:
                unreached.add(name)
        if self._flush is not None:
            await self._flush()
        found["memories"] += await self._memories.erase(owner)
        found["threads"], found["messages"] = await self._erase_threads(owner)
        if self._checkpoints is not None:
            found["checkpoints"] += await self._checkpoints.erase_all(owner)
        return +found

    async def _erase_threads(self, owner: Owner) -> tuple[int, int]:
        gone = lost = 0
        while self._threads is not None and (page := (await self._threads.select(owner, _PAGE)).threads):
            for start in range(0, len(page), self._at_once):
                deletions = [self._erase_thread(owner, thread) for thread in page[start : start + self._at_once]]
                async for erased, messages in settled(deletions):
                    gone, lost = gone + erased, lost + messages
        return gone, lost

    async def _erase_thread(self, owner: Owner, thread: Thread) -> tuple[int, int]:
        erased = self._threads is not None and await self._threads.delete(owner.thread(thread.id), self._clock())
        return erased, erased * thread.message_count

    async def _is_empty(self, owner: Owner) -> bool:
        if await self._memories.select(owner, MemoryQuery(limit=1)) or await self._memories.changes(owner, 1):
            return False
        return self._threads is None or not (await self._threads.select(owner, 1)).threads


async def withdraw(repository: MemoryRepository, changes: MemoryChanges, owner: Owner) -> int:
    """Remove the user's proposals; approved ones stay as copies without their author.

    Returns how many memories named the user.
    """
    tenant = TenantOwner(owner.tenant)

    async def proposed() -> list[Memory]:
        return [each for each in await all_of(repository, tenant, MemoryQuery()) if each.source.by == owner.user]

    async def copies() -> list[MemoryEntry]:
        approved = [each for each in await proposed() if each.status == "approved"]
        return [
            MemoryEntry(None, replace(each, id=new_id(), source=replace(each.source, by=None))) for each in approved
        ]

    async def originals() -> list[MemoryEntry]:
        return [MemoryEntry(each, None) for each in await proposed()]

    await changes.make(tenant, "imported", copies)
    return len(await changes.make(tenant, "deleted", originals))
