"""The contract of API keys over a server that speaks MongoDB's protocol."""

import pytest

from recuerdo.adapters.mongodb import MongoApiKeys, MongoDatabase
from recuerdo.testing import ApiKeyContract


@pytest.fixture
async def database(mongodb_url):
    async with MongoDatabase.open(f"{mongodb_url}contracts", timeout_ms=60_000) as database:
        yield database


@pytest.fixture
def api_keys(database):
    return MongoApiKeys(database)


class TestMongoApiKeys(ApiKeyContract):
    """See ApiKeyContract."""
