"""The heart of the history contract on every database, under the in-process tier, under Redis, and under both."""

import pytest
from test_cached_contracts import NO_ROOM, Repositories, cached, sqlite

from recuerdo.adapters.mongodb import MongoDatabase, MongoHistory, MongoThreads
from recuerdo.adapters.postgres import PostgresDatabase, PostgresHistory, PostgresThreads
from recuerdo.testing.contracts.archiving import ArchiveContract
from recuerdo.testing.contracts.tails import TailContract


@pytest.fixture(params=["sqlite", "postgresql", "mongodb"])
async def bare(request, tmp_path):
    if request.param == "sqlite":
        async with sqlite(tmp_path) as repositories:
            yield repositories
    elif request.param == "postgresql":
        async with PostgresDatabase.open(request.getfixturevalue("postgres_url")) as database:
            yield Repositories(PostgresHistory(database), PostgresThreads(database))
    else:
        url = request.getfixturevalue("mongodb_url")
        async with MongoDatabase.open(f"{url}tiers", timeout_ms=60_000) as database:
            yield Repositories(MongoHistory(database), MongoThreads(database))


@pytest.fixture(params=["in process", "redis", "both"])
async def repositories(request, bare):
    url = None if request.param == "in process" else request.getfixturevalue("redis_url")
    async with cached(bare, url, NO_ROOM if request.param == "redis" else 2**20) as repositories:
        yield repositories


@pytest.fixture
def history(repositories):
    return repositories.history


@pytest.fixture
def threads(repositories):
    return repositories.threads


class TestTieredHistory(TailContract, ArchiveContract):
    """What caches could get wrong: the newest messages, and marks that change in place."""
