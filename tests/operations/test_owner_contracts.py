"""The contract of what operators need, over each database that has it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recuerdo.adapters.registry import Repositories, open_repositories
from recuerdo.caching.local import LocalTier
from recuerdo.caching.tiers import HistoryTiers
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.history.cached import CachedHistory, CachedThreads
from recuerdo.testing.contracts.owners import OwnerContract


@pytest.fixture(params=["memory", "sqlite", "cached", "postgres", "mongodb"])
async def repositories(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Repositories]:
    url = {
        "memory": lambda: "memory://",
        "sqlite": lambda: f"sqlite:///{tmp_path}/recuerdo.db",
        "cached": lambda: "memory://",
        "postgres": lambda: request.getfixturevalue("postgres_url"),
        "mongodb": lambda: request.getfixturevalue("mongodb_url"),
    }[request.param]()
    async with open_repositories(url) as bare:
        yield under_a_cache(bare) if request.param == "cached" else bare


def under_a_cache(bare: Repositories) -> Repositories:
    tiers = HistoryTiers(LocalTier())
    return Repositories(CachedHistory(bare.history, tiers), CachedThreads(bare.threads, tiers), bare.memories)


@pytest.fixture
def history(repositories: Repositories) -> HistoryRepository:
    return repositories.history


@pytest.fixture
def threads(repositories: Repositories) -> ThreadRepository:
    return repositories.threads


class TestOwners(OwnerContract):
    """See OwnerContract."""
