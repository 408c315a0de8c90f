"""A shared cache that does no harm: it answers in time or not at all, and is repaired when it missed a change."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import islice
from typing import TypeVar

from recuerdo.concurrency.breaker import Breaker
from recuerdo.concurrency.tasks import AnswerTimeout, stop
from recuerdo.core.cache_ports import HistoryCache
from recuerdo.core.errors import CacheUnavailable
from recuerdo.core.scope import Scope
from recuerdo.core.threads import AppendedRecords, ChangedThreads, Head, Lease, Snapshot, Version

_log = logging.getLogger(__name__)

DEADLINE = 0.05
"""Seconds that a caller may lose to the shared cache."""

REPAIR_PAUSE = 0.25
"""Seconds between attempts to purge what the cache missed."""

SECONDS_TO_REPEAT = 1.0
"""How long a late update may take when it is sent again, in the background."""

REPAIR_BATCH = 200
"""Threads that are purged at a time."""

MOST_STALE = 100_000
"""Stale threads that are remembered. With more of them the whole cache is purged."""

PURGE_SECONDS = 60.0
"""The time limit for purging everything."""

T = TypeVar("T")


class GuardedCache(HistoryCache):
    """Wraps a HistoryCache: no call takes longer than the deadline, and only the verifying ones raise.

    A change that may not have reached the cache marks its thread as stale, and stale threads are not read from the
    cache here. A late change is sent once more, and a background task purges what is still stale as soon as the cache
    is back. With more than `most_stale` of them nothing is read until everything is purged. `failures` counts the calls
    that had no answer in time.
    """

    def __init__(
        self,
        cache: HistoryCache,
        breaker: Breaker | None = None,
        deadline: float = DEADLINE,
        most_stale: int = MOST_STALE,
    ) -> None:
        self._cache = cache
        self._breaker = breaker or Breaker()
        self._deadline = deadline
        self._most_stale = most_stale
        self.failures = 0
        self._stale: dict[Scope, int] = {}
        self._failed_updates = 0
        self._last_uncounted = 0
        self._repair: asyncio.Task[None] | None = None
        self._repeats: set[asyncio.Task[None]] = set()

    @property
    def stale_threads(self) -> int:
        """The number of threads whose entries wait to be purged; it is counted up to a limit."""
        return self._most_stale if self._last_uncounted else len(self._stale)

    async def read(self, scope: Scope, at_least: Version, wanted: int, head: Head | None = None) -> Snapshot | Lease:
        """See HistoryCache; no lease while the cache is away."""
        unknown = Lease(None, is_unknown=True)
        if self._last_uncounted or scope in self._stale or not self._breaker.admits():
            return unknown
        with suppress(CacheUnavailable):
            return await self._in_time(self._cache.read(scope, at_least, wanted, head))
        return unknown

    async def fill(self, scope: Scope, lease: Lease, snapshot: Snapshot) -> bool:
        if self._breaker.admits():
            with suppress(CacheUnavailable):
                return await self._in_time(self._cache.fill(scope, lease, snapshot))
        return False

    async def append(self, appended: Sequence[AppendedRecords]) -> None:
        await self._update([each.scope for each in appended], lambda: self._cache.append(appended))

    async def purge(self, scopes: Sequence[Scope]) -> None:
        await self._update(scopes, lambda: self._cache.purge(scopes))

    async def purge_all(self) -> None:
        """See HistoryCache; raises CacheUnavailable."""
        await self._if_admitted(self._cache.purge_all)

    async def verify(self, changed: ChangedThreads) -> int:
        """See HistoryCache; raises CacheUnavailable; the verification is repeated later."""
        return await self._if_admitted(lambda: self._cache.verify(changed))

    async def mark(self) -> str | None:
        """See HistoryCache; raises CacheUnavailable."""
        return await self._if_admitted(self._cache.mark)

    async def aclose(self) -> None:
        """Stop repairing: what is stale now lives until the sweeper of another process or its TTL ends it."""
        await stop(*self._repeats, *([] if self._repair is None else [self._repair]))

    async def _update(self, scopes: Sequence[Scope], update: Callable[[], Awaitable[None]]) -> None:
        """Mark the threads as stale unless the update succeeds, also when it fails or its caller is cancelled."""
        updated, is_late = False, False
        try:
            if self._breaker.admits():
                await self._in_time(update())
                updated = True
        except CacheUnavailable as error:
            is_late = isinstance(error.__cause__, TimeoutError)
        finally:
            if not updated:
                missed = [scope for scope in scopes if scope not in self._stale] if is_late else []
                self._mark_stale(scopes)
                if missed and not self._last_uncounted:
                    self._begin_repeat(update, [(scope, self._failed_updates) for scope in missed])

    def _begin_repeat(self, update: Callable[[], Awaitable[None]], missed: Sequence[tuple[Scope, int]]) -> None:
        task = asyncio.create_task(self._repeat(update, missed))
        self._repeats.add(task)
        task.add_done_callback(self._repeats.discard)

    async def _repeat(self, update: Callable[[], Awaitable[None]], missed: Sequence[tuple[Scope, int]]) -> None:
        """Send the update once more, which changes nothing where it has arrived.

        Its entries need not be purged then: while the database is away, they could not be filled again.
        """
        with suppress(CacheUnavailable, TimeoutError):
            async with AnswerTimeout(SECONDS_TO_REPEAT):
                await update()
            self._made_good(missed)

    def _mark_stale(self, scopes: Sequence[Scope]) -> None:
        """Number each failure, so that a purge that was sent before it does not count as its repair."""
        self._failed_updates += 1
        self._stale.update(dict.fromkeys(scopes, self._failed_updates))
        if self._last_uncounted or len(self._stale) > self._most_stale:
            self._last_uncounted = self._failed_updates
            self._stale.clear()
        if self._repair is None or self._repair.done():
            self._repair = asyncio.create_task(self._purge_stale())

    async def _if_admitted(self, ask: Callable[[], Awaitable[T]]) -> T:
        if not self._breaker.admits():
            raise CacheUnavailable("The shared cache has not answered for a while; it is tried again soon.")
        return await self._in_time(ask())

    async def _in_time(self, answer: Awaitable[T], deadline: float | None = None) -> T:
        try:
            async with AnswerTimeout(deadline or self._deadline):
                result = await answer
        except (CacheUnavailable, TimeoutError) as error:
            self._failed(error)
            raise CacheUnavailable("The shared cache does not answer in time.") from error
        if self._breaker.is_open:
            _log.info("The shared cache answers again.")
        self._breaker.succeeded()
        return result

    def _failed(self, error: Exception) -> None:
        self.failures += 1
        was_open = self._breaker.is_open
        self._breaker.failed()
        if self._breaker.is_open and not was_open:
            _log.warning("Reads continue without the shared cache: %s", str(error) or "it does not answer in time")

    async def _purge_stale(self) -> None:
        while self._stale or self._last_uncounted:
            await asyncio.sleep(REPAIR_PAUSE)
            with suppress(CacheUnavailable):
                if failure := self._last_uncounted:
                    await self._in_time(self._cache.purge_all(), PURGE_SECONDS)
                    self._last_uncounted = 0 if self._last_uncounted == failure else self._last_uncounted
                while some := list(islice(self._stale.items(), REPAIR_BATCH)):
                    await self._in_time(self._cache.purge([scope for scope, _ in some]))
                    self._made_good(some)

    def _made_good(self, purged: Sequence[tuple[Scope, int]]) -> None:
        for scope, failure in purged:
            if self._stale.get(scope) == failure:
                del self._stale[scope]
