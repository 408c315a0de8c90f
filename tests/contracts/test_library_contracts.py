"""The contract of the library over every database that keeps it."""

import pytest

from recuerdo.adapters.local import LocalLibrary
from recuerdo.adapters.mongodb import MongoLibrary
from recuerdo.adapters.postgres import PostgresLibrary
from recuerdo.adapters.sqlite import SqliteLibrary
from recuerdo.testing import LibraryContract


class TestLocalLibrary(LibraryContract):
    """See LibraryContract."""

    @pytest.fixture
    def library(self):
        return LocalLibrary()


class TestSqliteLibrary(LibraryContract):
    """See LibraryContract."""

    @pytest.fixture
    def library(self, sqlite_database):
        return SqliteLibrary(sqlite_database)


class TestPostgresLibrary(LibraryContract):
    """See LibraryContract."""

    @pytest.fixture
    def library(self, postgres_database):
        return PostgresLibrary(postgres_database)


class TestMongoLibrary(LibraryContract):
    """See LibraryContract; in transactions."""

    @pytest.fixture
    def library(self, mongodb_database):
        return MongoLibrary(mongodb_database)


class TestStandaloneMongoLibrary(LibraryContract):
    """See LibraryContract; on a server that has no transactions."""

    @pytest.fixture
    def library(self, standalone_mongodb_database):
        return MongoLibrary(standalone_mongodb_database)
