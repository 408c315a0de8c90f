"""Token buckets of one process, and shared ones, from which each replica takes tokens in advance."""

import time
from collections.abc import Callable

from recuerdo.concurrency.lru import LruCache
from recuerdo.core.errors import CacheUnavailable
from recuerdo.core.quotas import Quota, QuotaOutcome, TokenBuckets, taken_from_level

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


class _Advance(_Level):
    __slots__ = ("behind",)

    def __init__(self, left: float, at: float, behind: float) -> None:
        super().__init__(left, at)
        self.behind = behind  # what the shared bucket had left then


class LocalBuckets:
    """The TokenBuckets of one process. The least used are forgotten, and full again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._levels: LruCache[str, _Level] = LruCache(_MOST_KEYS)
        self._clock = clock

    async def take(self, key: str, cost: float, quota: Quota) -> QuotaOutcome:
        now = self._clock()
        level = self._levels.get(key)
        if level is None:
            level = _Level(quota.size, now)
            self._levels.put(key, level)
        taken = taken_from_level(level.left, now - level.at, cost, quota)
        level.left, level.at = taken.left, now
        return taken

    def note(self, key: str, left: float) -> None:
        """Take on what the bucket has left elsewhere."""
        self._levels.put(key, _Level(left, self._clock()))


class SharedBuckets:
    """The TokenBuckets that replicas share. While the shared cache is away each replica has buckets of its own.

    These begin with what the shared ones had left: an answer that is late fills no bucket.
    """

    def __init__(self, shared: TokenBuckets, clock: Callable[[], float] = time.monotonic) -> None:
        self._shared = shared
        self._local = LocalBuckets(clock)
        self._advances: LruCache[str, _Advance] = LruCache(_MOST_KEYS)
        self._clock = clock
        self._away_until = 0.0

    async def take(self, key: str, cost: float, quota: Quota) -> QuotaOutcome:
        advance, now = self._advances.get(key), self._clock()
        if advance is not None and advance.left >= cost and now - advance.at < _SECONDS_IN_ADVANCE:
            advance.left -= cost
            return QuotaOutcome(True, advance.left + advance.behind, 0.0)
        if now < self._away_until:
            return await self._local.take(key, cost, quota)
        wanted = max(cost, quota.size / _IN_ADVANCE)
        try:
            taken = await self._shared.take(key, wanted, quota)
            if not taken.granted and cost < wanted:
                wanted, taken = cost, await self._shared.take(key, cost, quota)
        except CacheUnavailable:
            self._away_until = now + _SECONDS_AWAY
            return await self._local.take(key, cost, quota)
        self._local.note(key, taken.left)
        if not taken.granted:
            return taken
        meanwhile = self._advances.get(key)
        if meanwhile is not None and meanwhile is not advance:  # another caller took some at the same time
            wanted += meanwhile.left
        self._advances.put(key, _Advance(wanted - cost, now, taken.left))
        return QuotaOutcome(True, wanted - cost + taken.left, 0.0)
