"""The contract of the library over every database that keeps it."""

import pytest

from recuerdo.adapters.local import LocalLibrary
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
