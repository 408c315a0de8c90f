"""The contract of checkpoints, over every database that keeps them."""

import pytest

from recuerdo.adapters.local import LocalCheckpoints, LocalDatabase
from recuerdo.adapters.mongodb import MongoCheckpoints, MongoDatabase
from recuerdo.adapters.postgres import PostgresCheckpoints, PostgresDatabase
from recuerdo.adapters.sqlite import SqliteCheckpoints, SqliteDatabase
from recuerdo.testing import CheckpointContract


class TestLocalCheckpoints(CheckpointContract):
    """See CheckpointContract."""

    @pytest.fixture
    def checkpoints(self):
        return LocalCheckpoints(LocalDatabase())


class TestSqliteCheckpoints(CheckpointContract):
    """See CheckpointContract."""

    @pytest.fixture
    async def checkpoints(self, tmp_path):
        async with SqliteDatabase.open(tmp_path / "recuerdo.db") as database:
            yield SqliteCheckpoints(database)


class TestPostgresCheckpoints(CheckpointContract):
    """See CheckpointContract."""

    @pytest.fixture
    async def checkpoints(self, postgres_url):
        async with PostgresDatabase.open(postgres_url) as database:
            yield PostgresCheckpoints(database)


class TestMongoCheckpoints(CheckpointContract):
    """See CheckpointContract; in transactions."""

    @pytest.fixture
    async def checkpoints(self, mongodb_url):
        async with MongoDatabase.open(f"{mongodb_url}contracts", timeout_ms=60_000) as database:
            assert database.transactions.are_there
            yield MongoCheckpoints(database)


class TestStandaloneMongoCheckpoints(CheckpointContract):
    """See CheckpointContract; on a server that has no transactions."""

    @pytest.fixture
    async def checkpoints(self, standalone_mongodb_url):
        async with MongoDatabase.open(f"{standalone_mongodb_url}contracts", timeout_ms=60_000) as database:
            assert not database.transactions.are_there
            yield MongoCheckpoints(database)
