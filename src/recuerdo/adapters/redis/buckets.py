"""Token buckets in Redis: one hash each, which is forgotten when it would be full again."""

import asyncio
import hashlib

from recuerdo.adapters.redis import scripts
from recuerdo.adapters.redis.connection import Call, RedisCache
from recuerdo.core.errors import CacheUnavailable
from recuerdo.core.quotas import BucketKey, Quota, QuotaOutcome, SharedTokenBuckets

_TIMEOUT_SECONDS = 0.1
"""Seconds: no request is held up by its own limit."""


class RedisBuckets(SharedTokenBuckets):
    """The SharedTokenBuckets over Redis, a Valkey or a cluster."""

    def __init__(self, cache: RedisCache) -> None:
        self._take = cache.script(scripts.load("bucket_take"))

    async def take(self, key: BucketKey, cost: float, quota: Quota) -> QuotaOutcome:
        digest = hashlib.sha256("\0".join(key).encode()).hexdigest()
        name = f"recuerdo:{{{digest}}}:bucket"
        call = Call((name,), (repr(float(cost)), repr(float(quota.size)), repr(float(quota.per_second))))
        try:
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                granted, left = await self._take.run(call)
        except TimeoutError:
            raise CacheUnavailable("The shared cache does not answer in time. Try again.") from None
        level = float(left)
        wait = 0.0 if granted == b"1" else max(0.0, min(cost, quota.size) - level) / quota.per_second
        return QuotaOutcome(granted == b"1", level, wait)
