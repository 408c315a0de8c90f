"""The contract of API keys over plain dicts."""

import pytest

from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.testing import ApiKeyContract


@pytest.fixture
def database():
    return LocalDatabase()


@pytest.fixture
def api_keys(database):
    return LocalApiKeys(database)


class TestLocalApiKeys(ApiKeyContract):
    """See ApiKeyContract."""
