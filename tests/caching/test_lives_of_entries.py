"""How long Redis keeps what: the classes of the design, as the server itself counts them."""

import pytest

from recuerdo.adapters.redis import RedisCache, RedisEntries, RedisHistory, entries, history
from recuerdo.core.caches import CacheKey
from recuerdo.core.messages import Record
from recuerdo.core.threads import NOWHERE, AppendedRecords, Head, Snapshot, Version
from recuerdo.testing.samples import fresh_scope

HOUR = 60 * 60
MINUTES = 5 * 60


@pytest.fixture
async def cache(redis_url):
    async with RedisCache.open(redis_url) as cache:
        yield cache


@pytest.mark.parametrize(("data", "hours"), [("messages", 24), ("window", 1), ("memory", 1), ("context", 0.5)])
async def test_an_entry_lives_as_its_class_says(cache, data, hours):
    """Messages 24 hours, windows and memories one, contexts half an hour from their last use."""
    key = CacheKey(fresh_scope().tenant, data, "resource")
    await RedisEntries(cache).write(key, (b"value",))
    assert await _seconds_left(cache, entries._keys(key)[0]) == pytest.approx(hours * HOUR, abs=MINUTES)


async def test_a_thread_lives_a_day(cache):
    """Snapshots of threads are messages, and each append renews them."""
    redis, scope = RedisHistory(cache), fresh_scope()
    lease = await redis.read(scope, NOWHERE, 1)
    await redis.fill(scope, lease, Snapshot(Head(Version(1, 0), 0), None, []))
    key = history._keys(scope)[0]
    await cache.run(["PEXPIRE", key, 1000 * HOUR])
    await redis.append([AppendedRecords(scope, 1, [Record(1, False, b"{}")], 0)])
    assert await _seconds_left(cache, key) == pytest.approx(24 * HOUR, abs=MINUTES)


async def _seconds_left(cache, key):
    return await cache.run(["PTTL", key]) / 1000
