"""Checkpoints in the name of a run: written only as long as the run is the writer's."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from recuerdo.adapters.registry import Repositories, open_repositories
from recuerdo.core.checkpoints import CheckpointBatch, Committed, Holder, StoredCheckpoint
from recuerdo.core.documents import Decision
from recuerdo.core.errors import LeaseLost
from recuerdo.core.runs import Run, RunRequest
from recuerdo.core.scope import Scope
from recuerdo.runs.lifecycle import ThreadWork

NOW = datetime(2026, 11, 22, tzinfo=UTC)
SCOPE = Scope("acme", "emi", "t-1")
RUN = Run(
    run_id="r-1",
    thread_id="t-1",
    assistant_id="a",
    graph_id="g",
    status="running",
    token=2,
    kwargs=RunRequest(),
    created_at=NOW,
    updated_at=NOW,
)


@pytest.fixture(params=["sqlite", "postgres", "mongodb", "memory"])
async def repositories(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Repositories]:
    if request.param == "postgres":
        url = request.getfixturevalue("empty_postgres_url")
    elif request.param == "mongodb":
        url = request.getfixturevalue("empty_mongodb_url")
    else:
        url = "memory://" if request.param == "memory" else f"sqlite:///{tmp_path / 'fencing.db'}"
    async with open_repositories(url) as opened:
        await write(opened, RUN)
        yield opened


async def write(repositories: Repositories, run: Run, scope: Scope = SCOPE) -> None:
    assert repositories.documents is not None

    def decide(_: object) -> Decision[None]:
        work = ThreadWork(run.thread_id, [])
        work.runs[run.run_id] = run
        return work.change(None)

    await repositories.documents.change(scope.owner, run.thread_id, [], decide)


async def save(repositories: Repositories, *holders: Holder, scope: Scope = SCOPE) -> bool:
    """Whether a checkpoint was saved in their name."""
    assert repositories.checkpoints is not None
    found = await repositories.checkpoints.load(scope, "", None)
    row = StoredCheckpoint("", f"{int(found.checkpoint.id) + 1 if found else 1}", "", "r-1", b"body", b"about")
    batch = CheckpointBatch(scope, found.generation if found else None, [row], holders=holders)
    try:
        assert isinstance(await repositories.checkpoints.commit(batch), Committed)
    except LeaseLost:
        after = await repositories.checkpoints.load(scope, "", None)
        assert after == found, "nothing of it is written"
        return False
    return True


async def test_who_holds_the_run_writes(repositories: Repositories) -> None:
    assert await save(repositories, Holder("r-1", 2))
    assert await save(repositories, Holder("r-1", 2))
    assert await save(repositories), "nobody has to hold a run to write"


@pytest.mark.parametrize("holder", [Holder("r-1", 1), Holder("r-1", 3), Holder("r-2", 2)])
async def test_who_does_not_hold_the_run_does_not(repositories: Repositories, holder: Holder) -> None:
    assert not await save(repositories, holder)
    assert not await save(repositories, Holder("r-1", 2), holder), "not together with whoever does, either"


@pytest.mark.parametrize("scope", [Scope("zeta", "emi", "t-1"), Scope("acme", "ana", "t-1")])
async def test_the_run_of_somebody_else_is_no_run(repositories: Repositories, scope: Scope) -> None:
    assert not await save(repositories, Holder("r-1", 2), scope=scope)


async def test_a_run_that_is_over_is_written_to_by_nobody(repositories: Repositories) -> None:
    await write(repositories, replace(RUN, status="success"))
    assert not await save(repositories, Holder("r-1", 2))


async def test_a_takeover_in_the_midst_is_before_the_write_or_after_it(repositories: Repositories) -> None:
    """The process that took the run over finds everything that was written before, and nothing is written after."""
    assert repositories.checkpoints is not None
    for token in range(2, 22):
        taken = replace(RUN, token=token + 1)
        saved, _ = await asyncio.gather(save(repositories, Holder("r-1", token)), write(repositories, taken))
        seen = await repositories.checkpoints.load(SCOPE, "", None)
        assert not await save(repositories, Holder("r-1", token))
        assert await repositories.checkpoints.load(SCOPE, "", None) == seen
        assert saved or seen is None or seen.checkpoint.id
