"""The contract of items over every database that keeps them."""

import pytest

from recuerdo.adapters.local import LocalItems
from recuerdo.adapters.mongodb import MongoDatabase, MongoItems
from recuerdo.adapters.postgres import PostgresDatabase, PostgresItems
from recuerdo.adapters.sqlite import SqliteDatabase, SqliteItems
from recuerdo.testing import ItemContract


class TestLocalItems(ItemContract):
    """See ItemContract."""

    @pytest.fixture
    def items(self):
        return LocalItems()


class TestSqliteItems(ItemContract):
    """See ItemContract."""

    @pytest.fixture
    async def items(self, tmp_path):
        async with SqliteDatabase.open(tmp_path / "recuerdo.db") as database:
            yield SqliteItems(database)


class TestPostgresItems(ItemContract):
    """See ItemContract."""

    @pytest.fixture
    async def items(self, postgres_url):
        async with PostgresDatabase.open(postgres_url) as database:
            yield PostgresItems(database)


class TestMongoItems(ItemContract):
    """See ItemContract; in transactions."""

    @pytest.fixture
    async def items(self, mongodb_url):
        async with MongoDatabase.open(f"{mongodb_url}contracts", timeout_ms=60_000) as database:
            yield MongoItems(database)


class TestStandaloneMongoItems(ItemContract):
    """See ItemContract; on a server that has no transactions."""

    @pytest.fixture
    async def items(self, standalone_mongodb_url):
        async with MongoDatabase.open(f"{standalone_mongodb_url}contracts", timeout_ms=60_000) as database:
            yield MongoItems(database)
