"""The contract of documents over every database that keeps them."""

import pytest

from recuerdo.adapters.registry import open_repositories
from recuerdo.testing import DocumentContract


class OverUrl:
    @pytest.fixture
    async def documents(self, database_url):
        async with open_repositories(database_url) as repositories:
            yield repositories.documents


class TestLocalDocuments(OverUrl, DocumentContract):
    """See DocumentContract."""

    @pytest.fixture
    def database_url(self):
        return "memory://"


class TestSqliteDocuments(OverUrl, DocumentContract):
    """See DocumentContract."""

    @pytest.fixture
    def database_url(self, tmp_path):
        return f"sqlite:///{tmp_path / 'documents.db'}"


class TestPostgresDocuments(OverUrl, DocumentContract):
    """See DocumentContract."""

    @pytest.fixture
    def database_url(self, postgres_url):
        return postgres_url


class TestMongoDocuments(OverUrl, DocumentContract):
    """See DocumentContract."""

    @pytest.fixture
    def database_url(self, mongodb_url):
        return f"{mongodb_url}contracts?timeoutMS=60000"
