"""The contract of API keys over a SQLite file."""

import pytest

from recuerdo.adapters.sqlite import SqliteApiKeys, SqliteDatabase
from recuerdo.testing import ApiKeyContract


@pytest.fixture
async def database(tmp_path):
    async with SqliteDatabase.open(tmp_path / "recuerdo.db") as database:
        yield database


@pytest.fixture
def api_keys(database):
    return SqliteApiKeys(database)


class TestSqliteApiKeys(ApiKeyContract):
    """See ApiKeyContract."""
