"""The contract of API keys over a server that speaks MongoDB's protocol."""

import pytest

from recuerdo.adapters.mongodb import MongoApiKeys
from recuerdo.testing import ApiKeyContract


@pytest.fixture
def api_keys(mongodb_database):
    return MongoApiKeys(mongodb_database)


class TestMongoApiKeys(ApiKeyContract):
    """See ApiKeyContract."""
