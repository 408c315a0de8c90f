"""The contracts over a SQLite file."""

import pytest

from recuerdo.adapters.sqlite import SqliteDatabase, SqliteHistory, SqliteMemories, SqliteThreads
from recuerdo.testing import HistoryContract, MemoryContract, ThreadContract


@pytest.fixture
async def database(tmp_path):
    async with SqliteDatabase.open(tmp_path / "recuerdo.db") as database:
        yield database


@pytest.fixture
def history(database):
    return SqliteHistory(database)


@pytest.fixture
def threads(database):
    return SqliteThreads(database)


@pytest.fixture
def memories(database):
    return SqliteMemories(database)


class TestSqliteHistory(HistoryContract):
    """See HistoryContract."""


class TestSqliteThreads(ThreadContract):
    """See ThreadContract."""


class TestSqliteMemories(MemoryContract):
    """See MemoryContract."""
