"""The heart of the history contract on every database, under an in-process tier over Redis."""

import pytest
import pytest_asyncio
from test_cached_contracts import Repositories, cached, sqlite

from recuerdo.adapters.mongodb import MongoDatabase, MongoHistory, MongoThreads
from recuerdo.adapters.postgres import PostgresDatabase, PostgresHistory, PostgresThreads
from recuerdo.adapters.redis import RedisCache
from recuerdo.testing.contracts.pages import ArchiveContract, TailContract


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["sqlite", "postgresql", "mongodb"])
async def bare(request, tmp_path_factory):
    if request.param == "sqlite":
        async with sqlite(tmp_path_factory.mktemp("tiers")) as repositories:
            yield repositories
    elif request.param == "postgresql":
        async with PostgresDatabase.open(request.getfixturevalue("postgres_url")) as database:
            yield Repositories(PostgresHistory(database), PostgresThreads(database))
    else:
        url = request.getfixturevalue("mongodb_url")
        async with MongoDatabase.open(f"{url}tiers", timeout_ms=60_000) as database:
            yield Repositories(MongoHistory(database), MongoThreads(database))


@pytest_asyncio.fixture(loop_scope="module")
async def repositories(redis_url, bare):
    async with RedisCache.open(redis_url) as cache, cached(bare, cache) as repositories:
        yield repositories


@pytest.fixture
def history(repositories):
    return repositories.history


@pytest.fixture
def threads(repositories):
    return repositories.threads


class TestTieredHistory(TailContract, ArchiveContract):
    """The reads that caches could get wrong: the newest messages, and marks that change in place."""
