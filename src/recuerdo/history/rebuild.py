"""Fills the shared cache from the database, before anybody asks."""

import asyncio
import time
from collections.abc import AsyncGenerator
from typing import Literal, NamedTuple

from recuerdo.caching.snapshots import MOST_RECORDS
from recuerdo.core.cache_ports import HistoryCache
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Snapshot
from recuerdo.history.iteration import OwnerFilter, threads_of

RATE = 500.0
"""Threads a second: a rebuild must leave the database to those who chat."""

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
