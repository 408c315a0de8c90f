"""Writers that die on the way: what they leave behind, and that it stops nobody."""

import asyncio
import signal

import pytest
from mongodb_processes import ran

from faults.faults_load import OWNER, THREADS, Receipt, check
from recuerdo.adapters.mongodb import MongoDatabase, MongoHistory, MongoThreads, sweep
from recuerdo.core.threads import ABSENT
from recuerdo.history import History
from recuerdo.testing.clock import NOON
from recuerdo.testing.samples import everything, say, seqs, texts

SCOPE = OWNER.thread("t-1")
BEHIND = ["behind the commit", "while moving", "before latest is cleared"]


async def test_a_writer_killed_before_its_commit_leaves_nothing(
    database: MongoDatabase, history: MongoHistory, database_url: str
) -> None:
    """Neither in answers nor in the collections; and the next append starts at 1."""
    assert await ran("die", database_url, "before the commit") == (-signal.SIGKILL, [])
    assert await history.head(SCOPE) == ABSENT
    assert await database.messages.count_documents({}) == await database.threads.count_documents({}) == 0
    assert (await say(history, SCOPE, "next")).first_seq == 1


@pytest.mark.parametrize("where", BEHIND)
async def test_a_writer_killed_behind_its_commit_has_appended(
    database: MongoDatabase, history: MongoHistory, database_url: str, where: str
) -> None:
    """All of it is read at once; the next append finishes what is left to do, and all messages are at rest."""
    assert await ran("die", database_url, where) == (-signal.SIGKILL, [])
    for _ in range(2):
        assert texts(await everything(history, SCOPE)) == ["1", "2", "3"]
    assert (await say(history, SCOPE, "next")).first_seq == 4
    assert seqs(await everything(history, SCOPE)) == [1, 2, 3, 4]
    assert await database.messages.count_documents({}) == 4
    assert await database.threads.count_documents({"latest": {"$exists": True}}) == 0


@pytest.mark.parametrize("where", BEHIND)
async def test_what_a_killed_writer_left_can_be_forked_archived_and_erased(
    database: MongoDatabase, history: MongoHistory, threads: MongoThreads, database_url: str, where: str
) -> None:
    """Nobody has to append first."""
    await ran("die", database_url, where)
    assert await history.archive(SCOPE, 2, 2, True) == 1
    await threads.fork(SCOPE, 2, "fork", NOON)
    assert await threads.delete(SCOPE, NOON)
    fork = await everything(history, OWNER.thread("fork"))
    assert (texts(fork), [record.archived for record in fork]) == (["1", "2"], [False, True])
    assert await database.messages.count_documents({}) == 2
    assert await database.threads.count_documents({"latest": {"$exists": True}}) == 0


@pytest.mark.parametrize("finish", ["delete", "sweep"])
async def test_an_eraser_killed_on_the_way_has_erased_and_somebody_removes_the_rest(
    database: MongoDatabase, history: MongoHistory, threads: MongoThreads, database_url: str, finish: str
) -> None:
    """The messages are gone for readers, and gone from the disk with a repeated delete or with a sweep."""
    assert await ran("die", database_url, "behind the erasing") == (-signal.SIGKILL, [])
    assert await everything(history, SCOPE) == []
    assert await database.messages.count_documents({}) == 3
    if finish == "delete":
        assert not await threads.delete(SCOPE, NOON)
    else:
        await sweep(database, grace=-1)
        assert await database.threads.count_documents({"erasing.epoch": {"$exists": True}}) == 0
    assert await database.messages.count_documents({}) == 0


async def test_processes_that_append_to_the_same_threads_leave_no_gap(
    database: MongoDatabase, history: MongoHistory, threads: MongoThreads, database_url: str
) -> None:
    """Two processes with three tasks each: every append gets its receipt, and stands where it says."""
    told = await asyncio.gather(*(ran("write", database_url, f"p{number}", 3, 15) for number in range(2)))
    assert [code for code, _ in told] == [0, 0]
    receipts = [Receipt(*receipt) for _, said in told for receipt in said]
    assert len(receipts) == 2 * 3 * 15
    stored = History(history, threads)
    check({thread: await stored.read(OWNER.thread(thread)) for thread in THREADS}, receipts)


async def test_processes_can_open_a_new_database_at_the_same_moment(database_url: str) -> None:
    """Each of four finds the indexes made once."""
    told = await asyncio.gather(*(ran("open", database_url) for _ in range(4)))
    assert told == [(0, ["open"])] * 4
    async with MongoDatabase.open(database_url, timeout_ms=60_000) as database:
        assert set(await database.messages.index_information()) == {
            *("_id_", "seq", "id", "idempotency_key", "system", "conversation_by_time", "user_by_exact_time")
        }
