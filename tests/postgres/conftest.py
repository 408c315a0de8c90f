from collections.abc import AsyncGenerator

import psycopg
import pytest

from recuerdo.adapters.postgres import PostgresDatabase, PostgresHistory, PostgresThreads

_SHARED = {"partitioned_database", "by_cursor"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests over a database that their file shares run in the event loop that it was opened in."""
    for item in items:
        if isinstance(item, pytest.Function) and not _SHARED.isdisjoint(item.fixturenames):
            item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)


@pytest.fixture
async def database(postgres_url: str) -> AsyncGenerator[PostgresDatabase]:
    async with PostgresDatabase.open(postgres_url) as database:
        yield database


@pytest.fixture
def history(database: PostgresDatabase) -> PostgresHistory:
    return PostgresHistory(database)


@pytest.fixture
def threads(database: PostgresDatabase) -> PostgresThreads:
    return PostgresThreads(database)


@pytest.fixture
async def superuser(postgres_url: str) -> AsyncGenerator[psycopg.AsyncConnection]:
    """A connection past all row-level security, for looking behind the scenes."""
    async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as connection:
        yield connection
