"""The contracts over plain dicts."""

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalHistory, LocalMemories, LocalThreads
from recuerdo.testing import HistoryContract, MemoryContract, ThreadContract


@pytest.fixture
def database():
    return LocalDatabase()


@pytest.fixture
def history(database):
    return LocalHistory(database)


@pytest.fixture
def threads(database):
    return LocalThreads(database)


@pytest.fixture
def memories(database):
    return LocalMemories(database)


class TestLocalHistory(HistoryContract):
    """See HistoryContract."""


class TestLocalThreads(ThreadContract):
    """See ThreadContract."""


class TestLocalMemories(MemoryContract):
    """See MemoryContract."""
