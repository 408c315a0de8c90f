"""The contracts over a PostgreSQL database."""

from contextlib import asynccontextmanager

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from random_examples import examples
from recuerdo.adapters.postgres import PostgresDatabase, PostgresHistory, PostgresMemories, PostgresThreads
from recuerdo.testing import HistoryContract, HistoryMachine, MemoryContract, ThreadContract


@pytest.fixture
def history(postgres_database):
    return PostgresHistory(postgres_database)


@pytest.fixture
def threads(postgres_database):
    return PostgresThreads(postgres_database)


@pytest.fixture
def memories(postgres_database):
    return PostgresMemories(postgres_database)


class TestPostgresHistory(HistoryContract):
    """See HistoryContract."""


class TestPostgresThreads(ThreadContract):
    """See ThreadContract."""


class TestPostgresMemories(MemoryContract):
    """See MemoryContract."""


class TestPostgresMachine:
    """See HistoryMachine."""

    def test_random_walks(self, postgres_url):
        """Whatever is done in whatever order, the database answers as a model made of plain lists."""

        class PostgresMachine(HistoryMachine):
            @asynccontextmanager
            async def open(self):
                async with PostgresDatabase.open(postgres_url) as database:
                    yield PostgresHistory(database), PostgresThreads(database)

        run_state_machine_as_test(PostgresMachine, settings=settings(max_examples=examples(10)))
