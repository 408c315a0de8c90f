"""A shared cache that can't hurt: it answers in time or not at all, and what it missed is made good."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from recuerdo.caching.breaker import Breaker
from recuerdo.core.errors import CacheUnavailable
from recuerdo.core.ports import HistoryCache
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Change, Head, Lease, Snapshot, Version

DEADLINE = 0.05
"""Seconds that a caller may lose to the shared cache."""

REPAIR_PAUSE = 0.25
"""Seconds between attempts to purge what the cache missed."""

T = TypeVar("T")


class GuardedCache:
    """The HistoryCache around another that never raises and never takes longer than the deadline.

    A change that did not surely reach the cache leaves its entry stale. Stale threads are not read from the cache
    here, and a background task purges their entries as soon as the cache is back.
    """

    def __init__(self, cache: HistoryCache, breaker: Breaker | None = None, deadline: float = DEADLINE) -> None:
        self._cache = cache
        self._breaker = breaker or Breaker()
        self._deadline = deadline
        self._stale: set[Scope] = set()
        self._repair: asyncio.Task[None] | None = None

    @property
    def stale_threads(self) -> int:
        """How many threads wait for their entries to be purged."""
        return len(self._stale)

    async def read(self, scope: Scope, at_least: Version, wanted: int, head: Head | None = None) -> Snapshot | Lease:
        """See HistoryCache; no lease while the cache is away."""
        no_lease = Lease(None)
        if scope in self._stale or not self._breaker.admits():
            return no_lease
        with suppress(CacheUnavailable):
            return await self._in_time(self._cache.read(scope, at_least, wanted, head))
        return no_lease

    async def fill(self, scope: Scope, lease: Lease, snapshot: Snapshot) -> bool:
        """See HistoryCache."""
        if self._breaker.admits():
            with suppress(CacheUnavailable):
                return await self._in_time(self._cache.fill(scope, lease, snapshot))
        return False

    async def append(self, changes: Sequence[Change]) -> None:
        """See HistoryCache."""
        await self._tell({change.scope for change in changes}, lambda: self._cache.append(changes))

    async def purge(self, scope: Scope) -> None:
        """See HistoryCache."""
        await self._tell({scope}, lambda: self._cache.purge(scope))

    async def aclose(self) -> None:
        """Stop repairing: what is stale now lives until the sweeper of another process or its TTL ends it."""
        if self._repair is not None:
            self._repair.cancel()
            await asyncio.gather(self._repair, return_exceptions=True)

    async def _tell(self, scopes: set[Scope], tell: Callable[[], Awaitable[None]]) -> None:
        """Stale until told, so that neither a failure nor a cancelled caller leaves a wrong entry in use."""
        new = scopes - self._stale
        self._stale |= new
        try:
            if self._breaker.admits():
                await self._in_time(tell())
                self._stale -= new
        except CacheUnavailable:
            pass
        finally:
            if self._stale:
                self._start_repair()

    async def _in_time(self, answer: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout(self._deadline):
                result = await answer
        except (CacheUnavailable, TimeoutError) as error:
            self._breaker.failed()
            raise CacheUnavailable("The shared cache does not answer in time.") from error
        self._breaker.succeeded()
        return result

    def _start_repair(self) -> None:
        if self._repair is None or self._repair.done():
            self._repair = asyncio.create_task(self._purge_stale())

    async def _purge_stale(self) -> None:
        while self._stale:
            await asyncio.sleep(REPAIR_PAUSE)
            with suppress(CacheUnavailable):
                for scope in list(self._stale):
                    await self._in_time(self._cache.purge(scope))
                    self._stale.discard(scope)
