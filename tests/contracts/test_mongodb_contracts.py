"""The contracts over a server that speaks MongoDB's protocol."""

import pytest

from recuerdo.adapters.mongodb import MongoDatabase, MongoHistory, MongoMemories, MongoThreads
from recuerdo.testing import HistoryContract, MemoryContract, ThreadContract


@pytest.fixture
async def database(mongodb_url):
    async with MongoDatabase.open(f"{mongodb_url}contracts", timeout_ms=60_000) as database:
        yield database


@pytest.fixture
def history(database):
    return MongoHistory(database)


@pytest.fixture
def threads(database):
    return MongoThreads(database)


@pytest.fixture
def memories(database):
    return MongoMemories(database)


class TestMongoHistory(HistoryContract):
    """See HistoryContract."""


class TestMongoThreads(ThreadContract):
    """See ThreadContract."""


class TestMongoMemories(MemoryContract):
    """See MemoryContract."""
