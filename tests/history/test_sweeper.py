"""The sweeper over real servers: what a writer committed and told nobody is seen by cached reads after one sweep."""
# pyright: basic

from contextlib import AsyncExitStack

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalHistory, LocalThreads
from recuerdo.adapters.redis import RedisCache, RedisHistory
from recuerdo.caching.guard import GuardedCache
from recuerdo.caching.history import CachedHistory, HistoryTiers, LocalTier
from recuerdo.core.errors import CacheUnavailable
from recuerdo.core.threads import NOWHERE
from recuerdo.history.caches import Sweeper
from recuerdo.testing.clock import NOON
from recuerdo.testing.samples import fresh_scope, say, texts


@pytest.fixture
def database():
    return LocalDatabase()


@pytest.fixture
def untold(database):
    """The database as a writer uses it who dies before the caches hear of anything."""
    return LocalHistory(database)


@pytest.fixture(params=["in process", "redis", "cluster"])
async def tiers(request):
    async with AsyncExitStack() as stack:
        shared = None
        if request.param == "redis":
            shared = await _shared(stack, request.getfixturevalue("redis_url"))
        elif request.param == "cluster":
            url = request.getfixturevalue("redis_cluster_url")
            shared = await _shared(stack, "redis+cluster" + url.removeprefix("redis"))
        yield HistoryTiers(LocalTier(), shared)


@pytest.fixture
def history(untold, tiers):
    return CachedHistory(untold, tiers)


@pytest.fixture
def sweeper(database, tiers):
    return Sweeper(LocalThreads(database), tiers)


async def test_a_sweep_ends_what_a_killed_writer_left_behind(untold, history, sweeper):
    """The entry is behind the database until the sweep, which forgets and counts it."""
    scope = fresh_scope()
    await sweeper.sweep()
    await say(history, scope, "m1")
    await history.cached_tail(scope, 5, NOWHERE)
    await say(untold, scope, "m2")
    assert texts((await history.cached_tail(scope, 5, NOWHERE)).records) == ["m1"]
    repairs = sweeper.repairs
    await sweeper.sweep()
    assert texts((await history.cached_tail(scope, 5, NOWHERE)).records) == ["m1", "m2"]
    assert sweeper.repairs == repairs + 1


async def test_a_sweep_forgets_what_was_deleted(database, history, sweeper):
    """No text of a deleted thread stays in a cache."""
    scope = fresh_scope()
    await sweeper.sweep()
    await say(history, scope, "secret")
    await history.cached_tail(scope, 5, NOWHERE)
    await LocalThreads(database).delete(scope, NOON)
    await sweeper.sweep()
    assert (await history.cached_tail(scope, 5, NOWHERE)).head.version == NOWHERE


async def test_a_sweep_leaves_alone_what_is_true(history, sweeper):
    """Entries that are up to date stay, so that a sweep costs no hits."""
    scope = fresh_scope()
    await sweeper.sweep()
    await say(history, scope, "m1")
    await history.cached_tail(scope, 5, NOWHERE)
    await say(history, scope, "m2")
    await sweeper.sweep()
    assert sweeper.repairs == 0


async def test_a_sweep_is_tried_again_when_the_cache_was_away(database):
    """A sweep that can't reach the cache raises, and the next one begins where the last good one ended."""
    async with RedisCache.open("redis://127.0.0.1:1/0") as cache:
        sweeper = Sweeper(LocalThreads(database), HistoryTiers(LocalTier(), GuardedCache(RedisHistory(cache))))
        with pytest.raises(CacheUnavailable):
            await sweeper.sweep()


async def _shared(stack, url):
    cache = await stack.enter_async_context(RedisCache.open(url))
    await cache.client.flushall()
    shared = GuardedCache(RedisHistory(cache), deadline=5)
    stack.push_async_callback(shared.aclose)
    return shared
