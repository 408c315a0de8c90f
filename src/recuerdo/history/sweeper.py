"""Ends what a killed writer left behind: caches that were never told of a commit."""

import asyncio
import logging
import random

from recuerdo.caching.history import HistoryTiers
from recuerdo.core.errors import Unavailable
from recuerdo.core.ports import ThreadRepository

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
        """Sweep until cancelled. Whatever fails is tried again at the next sweep: stale entries live for hours."""
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
            changes = await self._threads.changed(mark, PAGE)
            if changes.mark != mark:
                self.repairs += await self._tiers.verify(changes)
            mark, is_full = changes.mark, len(changes.heads) >= PAGE
