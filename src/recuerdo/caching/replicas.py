"""Reads from a copy of the database that follows it, and may be behind."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from recuerdo.caching.snapshots import MOST_RECORDS
from recuerdo.concurrency.breaker import Breaker
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.ports import HistoryRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import MessageQuery, Page, Snapshot, Tail, Version

T = TypeVar("T")

TIMEOUT_SECONDS = 1.0
"""Seconds that a reader waits for the replica."""


class ReadReplica:
    """A read replica's answers, or None where it does not answer in time or is behind what the caller knows."""

    def __init__(self, repository: HistoryRepository, timeout: float = TIMEOUT_SECONDS) -> None:
        self._repository = repository
        self._timeout = timeout
        self._breaker = Breaker()

    async def snapshot(self, scope: Scope, at_least: Version) -> Snapshot | None:
        """The newest messages of the thread."""
        found = await self._asked(lambda: self._repository.snapshot(scope, MOST_RECORDS))
        return found if found is not None and found.head.version >= at_least else None

    async def tail(self, scope: Scope, limit: int, at_least: Version, most_bytes: int) -> Tail | None:
        """See HistoryRepository.tail."""
        found = await self._asked(lambda: self._repository.tail(scope, limit, most_bytes=most_bytes))
        return found if found is not None and found.head.version >= at_least else None

    async def page(self, scope: Scope, query: MessageQuery, at_least: Version) -> Page | None:
        """See HistoryRepository.page."""
        found = await self._asked(lambda: self._repository.page(scope, query))
        return found if found is not None and found.version >= at_least else None

    async def _asked(self, question: Callable[[], Coroutine[Any, Any, T]]) -> T | None:
        if not self._breaker.admits():
            return None
        try:
            async with asyncio.timeout(self._timeout):
                found = await question()
        except (RecuerdoError, TimeoutError):
            self._breaker.failed()
            return None
        self._breaker.succeeded()
        return found
