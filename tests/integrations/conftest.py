from collections.abc import AsyncGenerator
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import pytest
from keepers import opened


@pytest.fixture(params=["memory", "sqlite", "postgres", "mongodb"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that keeps items."""
    match request.param:
        case "sqlite":
            return f"sqlite:///{tmp_path}/items.db"
        case "postgres":
            return request.getfixturevalue("postgres_url")
        case "mongodb":
            return request.getfixturevalue("empty_mongodb_url")
        case _:
            return "memory://"


@pytest.fixture
async def keeper(store_url: str) -> AsyncGenerator[SimpleNamespace]:
    """An open database, as far as stores need it."""
    async with opened(store_url) as keeper:
        yield keeper


@pytest.fixture
def tenant() -> str:
    """A tenant that no other test has."""
    return f"tenant-{uuid4()}"
