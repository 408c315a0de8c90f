"""The contracts over a SQLite file."""

import pytest

from recuerdo.adapters.sqlite import SqliteHistory, SqliteMemories, SqliteThreads
from recuerdo.testing import HistoryContract, MemoryContract, ThreadContract


@pytest.fixture
def history(sqlite_database):
    return SqliteHistory(sqlite_database)


@pytest.fixture
def threads(sqlite_database):
    return SqliteThreads(sqlite_database)


@pytest.fixture
def memories(sqlite_database):
    return SqliteMemories(sqlite_database)


class TestSqliteHistory(HistoryContract):
    """See HistoryContract."""


class TestSqliteThreads(ThreadContract):
    """See ThreadContract."""


class TestSqliteMemories(MemoryContract):
    """See MemoryContract."""
