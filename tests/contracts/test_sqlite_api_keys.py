"""The contract of API keys over a SQLite file."""

import pytest

from recuerdo.adapters.sqlite import SqliteApiKeys
from recuerdo.testing import ApiKeyContract


@pytest.fixture
def api_keys(sqlite_database):
    return SqliteApiKeys(sqlite_database)


class TestSqliteApiKeys(ApiKeyContract):
    """See ApiKeyContract."""
