"""The steps that a graph saves are committed in few transactions."""

import asyncio
from pathlib import Path

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from recuerdo.adapters.sqlite import SqliteCheckpoints, SqliteDatabase
from recuerdo.checkpoints import Checkpoints, NewCheckpoint, Place, Write
from recuerdo.core.checkpoints import CheckpointBatch, CommitRefused, Committed
from recuerdo.core.scope import Scope
from recuerdo.integrations.langgraph.codec import LangGraphCodec

_SCOPE = Scope("acme", "emi", "t-1")
_CODEC = LangGraphCodec(JsonPlusSerializer())


class _Watched(SqliteCheckpoints):
    """Notes what is in each commit, and holds the first one up until it is told to go on."""

    def __init__(self, database: SqliteDatabase) -> None:
        super().__init__(database)
        self.sizes: list[tuple[int, int]] = []
        self.begun, self.may_go_on = asyncio.Event(), asyncio.Event()

    async def commit(self, batch: CheckpointBatch) -> Committed | CommitRefused:
        self.sizes.append((len(batch.checkpoints), len(batch.writes)))
        self.begun.set()
        await self.may_go_on.wait()
        return await super().commit(batch)


async def test_the_checkpoint_that_follows_one_joins_the_writes_that_wait(tmp_path: Path) -> None:
    async with SqliteDatabase.open(tmp_path / "recuerdo.db") as database:
        repository = _Watched(database)
        checkpoints = Checkpoints(repository)

        async def save_two() -> None:
            for id_, parent in (("1", ""), ("2", "1")):
                await checkpoints.put(_CODEC, _SCOPE, "", _new(id_, parent))

        saving = asyncio.create_task(save_two())
        await repository.begun.wait()
        place = Place(_SCOPE, "", "1")
        writing = asyncio.create_task(checkpoints.put_writes(_CODEC, place, "task", "", [Write(0, "c", "text")]))
        await asyncio.sleep(0)
        repository.may_go_on.set()
        await asyncio.gather(saving, writing)
        assert repository.sizes == [(1, 0), (1, 1)]
        found = await checkpoints.get(_CODEC, Place(_SCOPE))
        assert found is not None
        assert (found.place.id, found.parent) == ("2", "1")


async def test_who_waits_no_more_takes_nobody_elses_commit_along(tmp_path: Path) -> None:
    async with SqliteDatabase.open(tmp_path / "recuerdo.db") as database:
        repository = _Watched(database)
        checkpoints = Checkpoints(repository)
        impatient, patient = [
            asyncio.create_task(checkpoints.put(_CODEC, _SCOPE, "", _new(id_, ""))) for id_ in ("1", "2")
        ]
        await repository.begun.wait()
        impatient.cancel()
        repository.may_go_on.set()
        await patient
        assert repository.sizes == [(2, 0)]
        assert impatient.cancelled()
        assert await checkpoints.get(_CODEC, Place(_SCOPE, "", "1")), "it was committed all the same"


def _new(id_: str, parent: str) -> NewCheckpoint:
    return NewCheckpoint(
        id=id_, parent=parent, run="", values={"c": id_}, versions={"c": id_}, changed=["c"], rest={}, metadata={}
    )
