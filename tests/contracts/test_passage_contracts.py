"""The contract of what searches read, over each database."""

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalHistory, LocalThreads
from recuerdo.adapters.mongodb import MongoHistory, MongoPassages, MongoThreads
from recuerdo.adapters.passages import PassagesOverHistory
from recuerdo.adapters.postgres import PostgresHistory, PostgresPassages, PostgresThreads
from recuerdo.adapters.sqlite import SqliteHistory, SqlitePassages, SqliteThreads
from recuerdo.testing import PassageContract


class TestSqlitePassages(PassageContract):
    """See PassageContract."""

    @pytest.fixture
    def database(self, sqlite_database):
        return sqlite_database

    @pytest.fixture
    def passages(self, database):
        return SqlitePassages(database)

    @pytest.fixture
    def history(self, database):
        return SqliteHistory(database)

    @pytest.fixture
    def threads(self, database):
        return SqliteThreads(database)


class TestPostgresPassages(PassageContract):
    """See PassageContract."""

    @pytest.fixture
    def database(self, postgres_database):
        return postgres_database

    @pytest.fixture
    def passages(self, database):
        return PostgresPassages(database)

    @pytest.fixture
    def history(self, database):
        return PostgresHistory(database)

    @pytest.fixture
    def threads(self, database):
        return PostgresThreads(database)


class TestMongoPassages(PassageContract):
    """See PassageContract."""

    many_threads = 40  # it looks through all threads at once, and the server of the tests takes 10 ms to change one

    @pytest.fixture
    def database(self, mongodb_database):
        return mongodb_database

    @pytest.fixture
    def passages(self, database):
        return MongoPassages(database)

    @pytest.fixture
    def history(self, database):
        return MongoHistory(database)

    @pytest.fixture
    def threads(self, database):
        return MongoThreads(database)


class TestPassagesOverHistory(PassageContract):
    """See PassageContract; vectors are kept by the searches alone."""

    @pytest.fixture
    def database(self):
        return LocalDatabase()

    @pytest.fixture
    def passages(self, history, threads):
        return PassagesOverHistory(history, threads)

    @pytest.fixture
    def history(self, database):
        return LocalHistory(database)

    @pytest.fixture
    def threads(self, database):
        return LocalThreads(database)

    async def test_passages_keep_vectors(self):
        """There is nothing to come back."""
