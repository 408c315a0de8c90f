"""The contract of items over every database that keeps them."""

import pytest

from recuerdo.adapters.local import LocalItems
from recuerdo.adapters.mongodb import MongoItems
from recuerdo.adapters.postgres import PostgresItems
from recuerdo.adapters.sqlite import SqliteItems
from recuerdo.testing import ItemContract


class TestLocalItems(ItemContract):
    """See ItemContract."""

    @pytest.fixture
    def items(self):
        return LocalItems()


class TestSqliteItems(ItemContract):
    """See ItemContract."""

    @pytest.fixture
    def items(self, sqlite_database):
        return SqliteItems(sqlite_database)


class TestPostgresItems(ItemContract):
    """See ItemContract."""

    @pytest.fixture
    def items(self, postgres_database):
        return PostgresItems(postgres_database)


class TestMongoItems(ItemContract):
    """See ItemContract; in transactions."""

    @pytest.fixture
    def items(self, mongodb_database):
        return MongoItems(mongodb_database)


class TestStandaloneMongoItems(ItemContract):
    """See ItemContract; on a server that has no transactions."""

    @pytest.fixture
    def items(self, standalone_mongodb_database):
        return MongoItems(standalone_mongodb_database)
