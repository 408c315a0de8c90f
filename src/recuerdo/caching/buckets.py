"""Token buckets of one process, and shared ones, from which each replica takes tokens in advance."""

import time
from collections.abc import Callable

from recuerdo.concurrency.lru import LruCache
from recuerdo.core.errors import CacheUnavailable
from recuerdo.core.quotas import BucketKey, Quota, QuotaOutcome, SharedTokenBuckets, TokenBuckets

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


class LocalBuckets(TokenBuckets):
    """The TokenBuckets of one process. Those that were not used for long are forgotten, and full again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._levels = dict[BucketKey, _Level]()
        self._older = dict[BucketKey, _Level]()
        self._clock = clock

    async def take(self, key: BucketKey, cost: float, quota: Quota) -> QuotaOutcome:
        now = self._clock()
        level = self._levels.get(key) or self._level(key, quota, now)
        needed = _fill(level, quota, now, cost)
        if level.left < needed:
            return _refused(level, needed, quota)
        level.left -= needed
        return QuotaOutcome(True, level.left, 0.0)

    async def take_both(
        self, keys: tuple[BucketKey, BucketKey], cost: float, quotas: tuple[Quota, Quota]
    ) -> tuple[QuotaOutcome, Quota]:
        (key, other_key), (quota, other_quota), now = keys, quotas, self._clock()
        level = self._levels.get(key) or self._level(key, quota, now)
        other = self._levels.get(other_key) or self._level(other_key, other_quota, now)
        needed, also_needed = _fill(level, quota, now, cost), _fill(other, other_quota, now, cost)
        if level.left < needed:
            return _refused(level, needed, quota), quota
        if other.left < also_needed:
            return _refused(other, also_needed, other_quota), other_quota
        level.left -= needed
        other.left -= also_needed
        return QuotaOutcome(True, level.left, 0.0), quota

    def note(self, key: BucketKey, left: float) -> None:
        """Take on what the bucket has left elsewhere."""
        self._keep(key, _Level(left, self._clock()))

    def _level(self, key: BucketKey, quota: Quota, now: float) -> _Level:
        return self._keep(key, self._older.get(key) or _Level(quota.size, now))

    def _keep(self, key: BucketKey, level: _Level) -> _Level:
        if len(self._levels) >= _MOST_KEYS // 2:
            self._older, self._levels = self._levels, {}
        self._levels[key] = level
        return level


def _fill(level: _Level, quota: Quota, now: float, cost: float) -> float:
    """Add what has come back. Returns how much a request takes: what is larger than the bucket takes all of it."""
    size, per_second = quota
    left = level.left + (now - level.at) * per_second
    level.left = left if left < size else size
    level.at = now
    return cost if cost < size else size


def _refused(level: _Level, needed: float, quota: Quota) -> QuotaOutcome:
    return QuotaOutcome(False, level.left, (needed - level.left) / quota.per_second)


class SharedBuckets(TokenBuckets):
    """The TokenBuckets that replicas share. While the shared cache is away each replica has buckets of its own.

    These begin with what the shared ones had left: an answer that is late fills no bucket.
    """

    def __init__(self, shared: SharedTokenBuckets, clock: Callable[[], float] = time.monotonic) -> None:
        self._shared = shared
        self._local = LocalBuckets(clock)
        self._advances: LruCache[BucketKey, _Advance] = LruCache(_MOST_KEYS)
        self._clock = clock
        self._away_until = 0.0

    async def take_both(
        self, keys: tuple[BucketKey, BucketKey], cost: float, quotas: tuple[Quota, Quota]
    ) -> tuple[QuotaOutcome, Quota]:
        taken = await self.take(keys[0], cost, quotas[0])
        if not taken.granted:
            return taken, quotas[0]
        of_other = await self.take(keys[1], cost, quotas[1])
        if of_other.granted:
            return taken, quotas[0]
        await self.take(keys[0], -cost, quotas[0])
        return of_other, quotas[1]

    async def take(self, key: BucketKey, cost: float, quota: Quota) -> QuotaOutcome:
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
