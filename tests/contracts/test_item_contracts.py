"""The contract of items over every database that keeps them."""

import pytest

from recuerdo.adapters.local import LocalItems
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
