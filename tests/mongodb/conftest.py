"""A database of one's own on the run's server, and what stands in it."""

from collections.abc import AsyncIterator

import pytest

from recuerdo.adapters.mongodb import MongoDatabase, MongoHistory, MongoThreads
from recuerdo.core.scope import Scope
from recuerdo.testing.samples import fresh_scope

PATIENT_MS = 60_000
"""The machine may be busy, and only tests of failures are about time."""


@pytest.fixture
def database_url(empty_mongodb_url: str) -> str:
    return empty_mongodb_url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[MongoDatabase]:
    async with MongoDatabase.open(database_url, timeout_ms=PATIENT_MS) as database:
        yield database


@pytest.fixture
async def neighbour(database: MongoDatabase, database_url: str) -> AsyncIterator[MongoDatabase]:
    """The same database, as another process has it open."""
    async with MongoDatabase.open(database_url, timeout_ms=PATIENT_MS) as neighbour:
        yield neighbour


@pytest.fixture
def history(database: MongoDatabase) -> MongoHistory:
    return MongoHistory(database)


@pytest.fixture
def threads(database: MongoDatabase) -> MongoThreads:
    return MongoThreads(database)


@pytest.fixture
def scope() -> Scope:
    return fresh_scope()
