"""The contracts over a server that speaks MongoDB's protocol."""

import pytest

from recuerdo.adapters.mongodb import MongoHistory, MongoMemories, MongoThreads
from recuerdo.testing import HistoryContract, MemoryContract, ThreadContract


@pytest.fixture
def history(mongodb_database):
    return MongoHistory(mongodb_database)


@pytest.fixture
def threads(mongodb_database):
    return MongoThreads(mongodb_database)


@pytest.fixture
def memories(mongodb_database):
    return MongoMemories(mongodb_database)


class TestMongoThreads(ThreadContract):
    """See ThreadContract; before the others, since some of its tests read all threads of the server."""


class TestMongoHistory(HistoryContract):
    """See HistoryContract."""


class TestMongoMemories(MemoryContract):
    """See MemoryContract."""
