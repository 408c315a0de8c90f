"""The contracts again, read through a cache: there is no difference to see."""
# pyright: basic

from contextlib import AsyncExitStack, asynccontextmanager
from typing import NamedTuple

import pytest
import pytest_asyncio
from hypothesis import settings

from random_examples import examples
from recuerdo.adapters.local import LocalDatabase, LocalHistory, LocalThreads
from recuerdo.adapters.redis import RedisCache, RedisHistory
from recuerdo.adapters.sqlite import SqliteDatabase, SqliteHistory, SqliteThreads
from recuerdo.caching.guard import GuardedCache
from recuerdo.caching.history import CachedHistory, CachedThreads, HistoryTiers, LocalTier
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.testing import HistoryContract, HistoryMachine, ThreadContract

NO_ROOM = 0
"""Bytes of an in-process tier that keeps nothing, so that every read meets the shared one."""


class Repositories(NamedTuple):
    history: HistoryRepository
    threads: ThreadRepository


@asynccontextmanager
async def sqlite(folder):
    async with SqliteDatabase.open(folder / "recuerdo.db") as database:
        yield Repositories(SqliteHistory(database), SqliteThreads(database))


@asynccontextmanager
async def local():
    database = LocalDatabase()
    yield Repositories(LocalHistory(database), LocalThreads(database))


@asynccontextmanager
async def cached(repositories, cache=None, local_bytes=2**20):
    """The repositories under an in-process tier, over Redis where there is one."""
    async with AsyncExitStack() as stack:
        shared = None
        if cache is not None:
            shared = GuardedCache(RedisHistory(cache), deadline=5)
            stack.push_async_callback(shared.aclose)
        tiers = HistoryTiers(LocalTier(local_bytes), shared)
        yield Repositories(CachedHistory(repositories.history, tiers), CachedThreads(repositories.threads, tiers))


@pytest_asyncio.fixture(loop_scope="module")
async def repositories(redis_cache):
    """Every read meets the entries in Redis. Random walks below do the same with the other tiers.

    The task that repairs the cache runs in the loop of the tests, and can only be stopped there.
    """
    async with local() as bare, cached(bare, redis_cache, NO_ROOM) as repositories:
        yield repositories


@pytest.fixture
def history(repositories):
    return repositories.history


@pytest.fixture
def threads(repositories):
    return repositories.threads


class TestCachedHistory(HistoryContract):
    """See HistoryContract."""


class TestCachedThreads(ThreadContract):
    """See ThreadContract."""


class CachedMachine(HistoryMachine):
    @asynccontextmanager
    async def open(self):
        async with local() as bare, cached(bare) as repositories:
            yield repositories


TestCachedMachine = CachedMachine.TestCase
TestCachedMachine.settings = settings(TestCachedMachine.settings, max_examples=examples(50))


@pytest.mark.parametrize("tiers", ["redis", "both", "cluster"])
def test_random_walks_under_redis_match_the_model(request, tiers):
    """The state machine under Redis alone, under an in-process tier over it, and under a cluster."""
    url = request.getfixturevalue("redis_cluster_url" if tiers == "cluster" else "redis_url")
    if tiers == "cluster":
        url = f"redis+cluster{url.removeprefix('redis')}"

    class RedisMachine(HistoryMachine):
        @asynccontextmanager
        async def open(self):
            room = 2**20 if tiers == "both" else NO_ROOM
            async with RedisCache.open(url) as cache, local() as bare, cached(bare, cache, room) as repositories:
                yield repositories

    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(
        RedisMachine, settings=settings(RedisMachine.TestCase.settings, max_examples=examples(10))
    )
