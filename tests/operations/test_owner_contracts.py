"""The contract of what operators need, over each database that has it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recuerdo.adapters.registry import Repositories, open_repositories
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.testing.contracts.owners import OwnerContract


@pytest.fixture(params=["memory://", "sqlite:///{folder}/recuerdo.db"])
async def repositories(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Repositories]:
    async with open_repositories(request.param.format(folder=tmp_path)) as repositories:
        yield repositories


@pytest.fixture
def history(repositories: Repositories) -> HistoryRepository:
    return repositories.history


@pytest.fixture
def threads(repositories: Repositories) -> ThreadRepository:
    return repositories.threads


class TestOwners(OwnerContract):
    """See OwnerContract."""
