"""Reads from a copy of the database that follows it, and may be behind."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Literal, TypeVar

from recuerdo.concurrency.breaker import Breaker
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.ports import HistoryRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Head, MessageQuery, Page, Snapshot, Tail, Version

T = TypeVar("T")
ReplicaOutcome = Literal["answered", "behind", "unavailable"]
"""How a read of the replica ended; where it did not answer, the primary is asked."""

TIMEOUT_SECONDS = 1.0
"""Seconds that a reader waits for the replica."""


class ReadReplica:
    """A read replica's answers, or None where it does not answer in time or is behind what the caller knows."""

    def __init__(
        self,
        repository: HistoryRepository,
        timeout: float = TIMEOUT_SECONDS,
        note: Callable[[ReplicaOutcome], None] = lambda _: None,
    ) -> None:
        """`note` is called with the outcome of each read."""
        self._repository = repository
        self._timeout = timeout
        self._note = note
        self._breaker = Breaker()

    async def snapshot(self, scope: Scope, limit: int, is_new_enough: Callable[[Head], bool]) -> Snapshot | None:
        """The newest messages of the thread."""
        return await self._answer(
            lambda: self._repository.snapshot(scope, limit), lambda found: is_new_enough(found.head)
        )

    async def tail(self, scope: Scope, limit: int, at_least: Version, most_bytes: int) -> Tail | None:
        """See HistoryRepository.tail."""
        return await self._answer(
            lambda: self._repository.tail(scope, limit, most_bytes=most_bytes),
            lambda found: found.head.version >= at_least,
        )

    async def page(self, scope: Scope, query: MessageQuery, at_least: Version) -> Page | None:
        """See HistoryRepository.page."""
        return await self._answer(lambda: self._repository.page(scope, query), lambda found: found.version >= at_least)

    async def _answer(
        self, question: Callable[[], Coroutine[Any, Any, T]], is_new_enough: Callable[[T], bool]
    ) -> T | None:
        found = await self._asked(question)
        if found is None:
            self._note("unavailable")
            return None
        if not is_new_enough(found):
            self._note("behind")
            return None
        self._note("answered")
        return found

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
