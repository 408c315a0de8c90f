"""The contract of checkpoints, over every database that keeps them."""

import pytest

from recuerdo.adapters.local import LocalCheckpoints, LocalDatabase
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
