"""The contract of API keys over a PostgreSQL database."""

import pytest

from recuerdo.adapters.postgres import PostgresApiKeys
from recuerdo.testing import ApiKeyContract


@pytest.fixture
def api_keys(postgres_database):
    return PostgresApiKeys(postgres_database)


class TestPostgresApiKeys(ApiKeyContract):
    """See ApiKeyContract."""
