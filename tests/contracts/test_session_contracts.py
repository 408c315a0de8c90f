"""The contract of sessions over each database."""

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalSessions
from recuerdo.adapters.mongodb import MongoDatabase, MongoSessions
from recuerdo.adapters.postgres import PostgresDatabase, PostgresSessions
from recuerdo.adapters.sqlite import SqliteDatabase, SqliteSessions
from recuerdo.testing import SessionContract


class TestLocalSessions(SessionContract):
    @pytest.fixture
    def sessions(self):
        return LocalSessions(LocalDatabase())


class TestSqliteSessions(SessionContract):
    @pytest.fixture
    async def sessions(self, tmp_path):
        async with SqliteDatabase.open(tmp_path / "recuerdo.db") as database:
            yield SqliteSessions(database)


class TestPostgresSessions(SessionContract):
    @pytest.fixture
    async def sessions(self, postgres_url):
        async with PostgresDatabase.open(postgres_url) as database:
            yield PostgresSessions(database)


class TestMongoSessions(SessionContract):
    @pytest.fixture
    async def sessions(self, mongodb_url):
        async with MongoDatabase.open(f"{mongodb_url}contracts", timeout_ms=60_000) as database:
            yield MongoSessions(database)
