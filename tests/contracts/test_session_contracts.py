"""The contract of sessions over each database."""

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalSessions
from recuerdo.adapters.mongodb import MongoSessions
from recuerdo.adapters.postgres import PostgresSessions
from recuerdo.adapters.sqlite import SqliteSessions
from recuerdo.testing import SessionContract


class TestLocalSessions(SessionContract):
    @pytest.fixture
    def sessions(self):
        return LocalSessions(LocalDatabase())


class TestSqliteSessions(SessionContract):
    @pytest.fixture
    def sessions(self, sqlite_database):
        return SqliteSessions(sqlite_database)


class TestPostgresSessions(SessionContract):
    @pytest.fixture
    def sessions(self, postgres_database):
        return PostgresSessions(postgres_database)


class TestMongoSessions(SessionContract):
    @pytest.fixture
    def sessions(self, mongodb_database):
        return MongoSessions(mongodb_database)
