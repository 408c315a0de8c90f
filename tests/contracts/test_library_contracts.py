"""The contract of the library over every database that keeps it."""

import pytest

from recuerdo.adapters.local import LocalLibrary
from recuerdo.adapters.mongodb import MongoDatabase, MongoLibrary
from recuerdo.adapters.postgres import PostgresDatabase, PostgresLibrary
from recuerdo.adapters.sqlite import SqliteDatabase, SqliteLibrary
from recuerdo.testing import LibraryContract


class TestLocalLibrary(LibraryContract):
    """See LibraryContract."""

    @pytest.fixture
    def library(self):
        return LocalLibrary()


class TestSqliteLibrary(LibraryContract):
    """See LibraryContract."""

    @pytest.fixture
    async def library(self, tmp_path):
        async with SqliteDatabase.open(tmp_path / "recuerdo.db") as database:
            yield SqliteLibrary(database)


class TestPostgresLibrary(LibraryContract):
    """See LibraryContract."""

    @pytest.fixture
    async def library(self, postgres_url):
        async with PostgresDatabase.open(postgres_url) as database:
            yield PostgresLibrary(database)


class TestMongoLibrary(LibraryContract):
    """See LibraryContract; in transactions."""

    @pytest.fixture
    async def library(self, mongodb_url):
        async with MongoDatabase.open(f"{mongodb_url}contracts", timeout_ms=60_000) as database:
            yield MongoLibrary(database)


class TestStandaloneMongoLibrary(LibraryContract):
    """See LibraryContract; on a server that has no transactions."""

    @pytest.fixture
    async def library(self, standalone_mongodb_url):
        async with MongoDatabase.open(f"{standalone_mongodb_url}contracts", timeout_ms=60_000) as database:
            yield MongoLibrary(database)
