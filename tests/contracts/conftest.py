"""Databases that the contracts of a file share: opening one takes longer than most of the tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from recuerdo.adapters.mongodb import MongoDatabase
from recuerdo.adapters.postgres import PostgresDatabase
from recuerdo.adapters.redis import RedisCache
from recuerdo.adapters.sqlite import SqliteDatabase

_SHARED = {
    *("sqlite_database", "postgres_database", "encrypted_postgres_database", "mongodb_database", "sqlalchemy_database"),
    *("standalone_mongodb_database", "bare", "redis_cache"),
}
_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests over a shared database run in the event loop that it was opened in."""
    for item in items:
        if (
            isinstance(item, pytest.Function)
            and item.path.parent == _HERE
            and not _SHARED.isdisjoint(item.fixturenames)
        ):
            item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["redis", "cluster"])
async def redis_cache(request: pytest.FixtureRequest) -> AsyncIterator[RedisCache]:
    """The one Redis, then the cluster of three: each client asks all of its nodes for its slots at first."""
    if request.param == "redis":
        url = request.getfixturevalue("redis_url")
    else:
        url = f"redis+cluster{request.getfixturevalue('redis_cluster_url').removeprefix('redis')}"
    async with RedisCache.open(url) as cache:
        yield cache


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sqlite_database(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SqliteDatabase]:
    async with SqliteDatabase.open(tmp_path_factory.mktemp("contracts") / "recuerdo.db") as database:
        yield database


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def postgres_database(postgres_url: str) -> AsyncIterator[PostgresDatabase]:
    async with PostgresDatabase.open(postgres_url) as database:
        yield database


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def encrypted_postgres_database(encrypted_postgres_url: str) -> AsyncIterator[PostgresDatabase]:
    async with PostgresDatabase.open(encrypted_postgres_url) as database:
        yield database


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def mongodb_database(mongodb_url: str) -> AsyncIterator[MongoDatabase]:
    async with MongoDatabase.open(f"{mongodb_url}contracts", timeout_ms=60_000) as database:
        yield database


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def standalone_mongodb_database(standalone_mongodb_url: str) -> AsyncIterator[MongoDatabase]:
    async with MongoDatabase.open(f"{standalone_mongodb_url}contracts", timeout_ms=60_000) as database:
        yield database
