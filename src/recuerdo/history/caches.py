"""Keep the shared cache up to date: remove entries that a killed writer left stale, and fill it in advance."""

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator
from typing import Literal, NamedTuple

from recuerdo.caching.history import MOST_RECORDS, HistoryTiers
from recuerdo.core.cache_ports import HistoryCache
from recuerdo.core.errors import InvalidInput, Unavailable
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import BEGINNING, Snapshot
from recuerdo.history.iteration import OwnerFilter, threads_of

_log = logging.getLogger(__name__)

PAUSE = 1.0
"""The most seconds between two sweeps."""

PAGE = 200
"""Threads that are compared at a time: few enough for the shared cache's deadline."""


class Sweeper:
    """Compares the threads that were changed lately with their cache entries, and forgets the entries that differ.

    Every replica has one. Over a shared cache they share the work: each goes on from the mark that the last one left
    beside the entries, so that a mark is lost with what it speaks of, and comes back with it from a backup.
    """

    def __init__(self, threads: ThreadRepository, tiers: HistoryTiers) -> None:
        self._threads = threads
        self._tiers = tiers
        self.repairs = 0

    async def run(self) -> None:
        """Sweep until cancelled. Failures are tried again at the next sweep: stale entries live for hours."""
        while True:
            try:
                await self.sweep()
            except Unavailable:
                pass
            except Exception:
                _log.exception("A sweep of the caches failed; the next one continues where it stopped.")
            await asyncio.sleep(PAUSE * random.uniform(0.5, 1.0))  # noqa: S311

    async def sweep(self) -> None:
        """Compare everything that was changed since the last sweep. Raises CacheUnavailable, DatabaseUnavailable."""
        mark, is_full = await self._tiers.mark(), True
        while is_full:
            try:
                changes = await self._threads.changed(mark, PAGE)
            except InvalidInput:  # the entries are of another database
                changes = await self._threads.changed(mark := BEGINNING, PAGE)
            if changes.mark != mark:
                self.repairs += await self._tiers.verify(changes)
            mark, is_full = changes.mark, len(changes.heads) >= PAGE


RATE = 500.0
"""Threads a second: a rebuild must leave the database free for conversations."""

Outcome = Literal["filled", "fresh", "busy"]


class Rebuilt(NamedTuple):
    """A thread whose entry was filled, was fresh already, or was left to others: they fill it, or it just changed."""

    scope: Scope
    outcome: Outcome


class CacheRebuild:
    """Reads threads one by one and fills their entries under leases, so that no entry is ever behind its thread."""

    def __init__(self, messages: HistoryRepository, threads: ThreadRepository, cache: HistoryCache) -> None:
        self._messages = messages
        self._threads = threads
        self._cache = cache

    async def rebuild(self, choice: OwnerFilter, rate: float = RATE) -> AsyncGenerator[Rebuilt]:
        """Fill the entries of the chosen threads, at most `rate` a second.

        Entries that are fresh are left, so that a rebuild which was cut off goes on when it is repeated. Raises
        CacheUnavailable or DatabaseUnavailable.
        """
        began, done = time.monotonic(), 0
        async for scope, _ in threads_of(self._threads, choice):
            yield Rebuilt(scope, await self._fill(scope))
            done += 1
            await asyncio.sleep(max(0.0, began + done / rate - time.monotonic()))

    async def _fill(self, scope: Scope) -> Outcome:
        head = await self._messages.head(scope)
        found = await self._cache.read(scope, head.version, MOST_RECORDS, head)
        if isinstance(found, Snapshot):
            return "fresh"
        if found.token is None:
            return "busy"
        snapshot = await self._messages.snapshot(scope, MOST_RECORDS)
        return "filled" if await self._cache.fill(scope, found, snapshot) else "busy"
