"""The contract of API keys over a PostgreSQL database."""

import pytest

from recuerdo.adapters.postgres import PostgresApiKeys, PostgresDatabase
from recuerdo.testing import ApiKeyContract


@pytest.fixture
async def database(postgres_url):
    async with PostgresDatabase.open(postgres_url) as database:
        yield database


@pytest.fixture
def api_keys(database):
    return PostgresApiKeys(database)


class TestPostgresApiKeys(ApiKeyContract):
    """See ApiKeyContract."""
