"""Token buckets of one process, and those that replicas share, from which each takes some in advance."""

import time
from collections.abc import Callable

from recuerdo.concurrency.lru import LruCache
from recuerdo.core.errors import CacheUnavailable
from recuerdo.core.quotas import Quota, Taken, TokenBuckets, poured

_MOST_KEYS = 100_000
_IN_ADVANCE = 50
"""A replica takes this fraction of a bucket at a time, so that it asks the shared cache for few requests."""

_SECONDS_IN_ADVANCE = 1.0
_SECONDS_AWAY = 5.0
"""How long the shared cache is not asked after it did not answer."""


class _Level:
    __slots__ = ("at", "left")

    def __init__(self, left: float, at: float) -> None:
        self.left = left
        self.at = at


class LocalBuckets:
    """The TokenBuckets of one process. The least used are forgotten, and full again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._levels: LruCache[str, _Level] = LruCache(_MOST_KEYS)
        self._clock = clock

    async def take(self, key: str, cost: float, quota: Quota) -> Taken:
        """See TokenBuckets."""
        return self.take_now(key, cost, quota)

    def take_now(self, key: str, cost: float, quota: Quota) -> Taken:
        """The same, without waiting for anything."""
        now = self._clock()
        level = self._levels.get(key)
        if level is None:
            level = _Level(quota.size, now)
            self._levels.put(key, level)
        taken = poured(level.left, now - level.at, cost, quota)
        level.left, level.at = taken.left, now
        return taken


class SharedBuckets:
    """TokenBuckets that replicas share. While the shared cache is away each replica has buckets of its own."""

    def __init__(self, shared: TokenBuckets, clock: Callable[[], float] = time.monotonic) -> None:
        self._shared = shared
        self._local = LocalBuckets(clock)
        self._advances: LruCache[str, _Level] = LruCache(_MOST_KEYS)
        self._clock = clock
        self._away_until = 0.0

    async def take(self, key: str, cost: float, quota: Quota) -> Taken:
        """See TokenBuckets; it never raises."""
        now = self._clock()
        advance = self._advances.get(key)
        if advance is not None and now - advance.at < _SECONDS_IN_ADVANCE and advance.left >= cost:
            advance.left -= cost
            return Taken(True, advance.left, 0.0)
        if now < self._away_until:
            return self._local.take_now(key, cost, quota)
        wanted = max(cost, quota.size / _IN_ADVANCE)
        try:
            taken = await self._shared.take(key, wanted, quota)
            if not taken.granted and cost < wanted:
                wanted, taken = cost, await self._shared.take(key, cost, quota)
        except CacheUnavailable:
            self._away_until = now + _SECONDS_AWAY
            return self._local.take_now(key, cost, quota)
        if taken.granted:
            self._advances.put(key, _Level(wanted - cost, now))
        return taken
