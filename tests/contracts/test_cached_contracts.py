"""The contracts again, under each cache tier: whoever reads through a cache sees no difference."""

from contextlib import AsyncExitStack, asynccontextmanager
from typing import NamedTuple

import pytest
from hypothesis import settings

from recuerdo.adapters.local import LocalDatabase, LocalHistory, LocalThreads
from recuerdo.adapters.redis import RedisCache, RedisHistory
from recuerdo.adapters.sqlite import SqliteDatabase, SqliteHistory, SqliteThreads
from recuerdo.caching.guard import GuardedCache
from recuerdo.caching.local import LocalTier
from recuerdo.caching.tiers import HistoryTiers
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.history.cached import CachedHistory, CachedThreads
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
async def cached(repositories, redis_url=None, local_bytes=2**20):
    """The repositories under an in-process tier, over Redis where there is a URL."""
    async with AsyncExitStack() as stack:
        shared = None
        if redis_url is not None:
            cache = await stack.enter_async_context(RedisCache.open(redis_url))
            shared = GuardedCache(RedisHistory(cache), deadline=5)
            stack.push_async_callback(shared.aclose)
        tiers = HistoryTiers(LocalTier(local_bytes), shared)
        yield Repositories(CachedHistory(repositories.history, tiers), CachedThreads(repositories.threads, tiers))


@pytest.fixture(params=["in process", "redis", "both", "cluster"])
async def repositories(request, tmp_path):
    url = {
        "in process": lambda: None,
        "redis": lambda: request.getfixturevalue("redis_url"),
        "both": lambda: request.getfixturevalue("redis_url"),
        "cluster": lambda: "redis+cluster" + request.getfixturevalue("redis_cluster_url").removeprefix("redis"),
    }[request.param]()
    room = NO_ROOM if request.param in ("redis", "cluster") else 2**20
    durable = sqlite(tmp_path) if request.param == "in process" else local()
    async with durable as bare, cached(bare, url, room) as repositories:
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
TestCachedMachine.settings = settings(TestCachedMachine.settings, max_examples=50)


@pytest.mark.parametrize("room", [NO_ROOM, 2**20])
def test_random_walks_under_redis_match_the_model(redis_url, room):
    """The state machine under the Redis tier, alone and below the in-process one."""

    class RedisMachine(HistoryMachine):
        @asynccontextmanager
        async def open(self):
            async with local() as bare, cached(bare, redis_url, room) as repositories:
                yield repositories

    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(RedisMachine, settings=settings(RedisMachine.TestCase.settings, max_examples=20))
