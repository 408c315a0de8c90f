"""Checkpoints of MongoDB where writers are killed or race, with transactions and without."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from copy import copy
from typing import Any

import pytest

from recuerdo.adapters.mongodb import MongoCheckpoints, MongoDatabase, MongoHistory, MongoThreads
from recuerdo.core.checkpoints import (
    CheckpointBatch,
    CheckpointQuery,
    CommitRefused,
    Committed,
    Segment,
    Span,
    StoredCheckpoint,
    StoredWrite,
    SweptRows,
)
from recuerdo.core.errors import EpochChanged
from recuerdo.core.scope import Scope
from recuerdo.testing.samples import NOON, everything, request, said, say

PATIENT_MS = 60_000
MOST_STEPS = 40
WRITES = {"bulk_write", "delete_many", "delete_one", "insert_one", "insert_many", "update_one", "find_one_and_update"}
ROWS = ("checkpoint_threads", "checkpoints", "checkpoint_writes", "checkpoint_segments", "checkpoint_values")


class Killed(BaseException):
    """The process dies at this moment."""


class Mortal:
    """A collection, or the client, of a process that is killed before a write, and writes nothing after."""

    def __init__(self, written: Any, left: list[int]) -> None:
        self._written, self._left = written, left

    def __getattr__(self, name: str) -> Any:
        operation = getattr(self._written, name)
        if name not in WRITES:
            return operation

        async def perform(*arguments: Any, **more: Any) -> Any:
            self._left[0] -= 1
            if self._left[0] < 0:
                raise Killed
            return await operation(*arguments, **more)

        return perform


def mortal(database: MongoDatabase, steps: int) -> MongoCheckpoints:
    """The checkpoints of a process that is killed behind so many writes."""
    left, checkpoints = [steps], MongoCheckpoints(database)
    checkpoints._guards = Mortal(checkpoints._guards, left)  # type: ignore[assignment]
    checkpoints._transactions = transactions = copy(database.transactions)  # type: ignore[assignment]
    transactions._client = Mortal(transactions._client, left)  # type: ignore[assignment]
    checkpoints._rows = type(checkpoints._rows)(*[Mortal(each, left) for each in checkpoints._rows])  # type: ignore[arg-type]
    return checkpoints


@pytest.fixture(params=["transactions", "transactions before MongoDB 8", "a single server"])
async def opened(request: pytest.FixtureRequest) -> AsyncIterator[MongoDatabase]:
    is_single = request.param == "a single server"
    url = request.getfixturevalue("standalone_mongodb_url" if is_single else "mongodb_url")
    async with MongoDatabase.open(f"{url}killed", timeout_ms=PATIENT_MS) as database:
        assert database.transactions.are_there is not is_single
        assert database.transactions.write_together is not is_single
        if request.param == "transactions before MongoDB 8":
            database.transactions.write_together = False
        yield database


async def save(checkpoints: MongoCheckpoints, scope: Scope) -> None:
    """A checkpoint that is made of the next segment of the log and of a value, tried again like a saver does."""
    generation, head = None, 0
    while True:
        name = f"{head:04}"
        batch = CheckpointBatch(
            scope,
            generation,
            [StoredCheckpoint("", name, "", "", b"body", b"about")],
            [StoredWrite("", name, "t", 0, "", "channel", b"w")],
            [Segment("log", head, 1, b"a")],
            {name.encode(): b"value"},
            request(scope, said(f"said {head}", id=f"m-{head}")),
        )
        outcome = await checkpoints.commit(batch)
        if isinstance(outcome, Committed):
            return
        generation, head = outcome.generation, outcome.heads["log"]


async def found_whole(checkpoints: MongoCheckpoints, scope: Scope) -> list[str]:
    """The ids of the thread's checkpoints, of which each has all that it is made of."""
    found = await checkpoints.select(CheckpointQuery(scope.owner, scope.thread))
    for each in found:
        name, start = each.checkpoint.id.encode(), int(each.checkpoint.id)
        contents = await checkpoints.contents(each.generation, scope, [Span("log", start, start + 1)], [name])
        assert (contents.segments, contents.values) == ([Segment("log", start, 1, b"a")], {name: b"value"})
        assert [write.task for write in each.writes] == ["t"]
    return [each.checkpoint.id for each in found]


async def kept(database: MongoDatabase, scope: Scope) -> int:
    """How many documents of the thread's checkpoints there are."""
    wanted = {"tenant": scope.tenant, "thread": scope.thread}
    return sum([await getattr(database, name).count_documents(wanted) for name in ROWS])


async def killed_everywhere(
    database: MongoDatabase, scope: Scope, work: Callable[[MongoCheckpoints, Scope], Awaitable[object]]
) -> AsyncIterator[Scope]:
    """A thread for each write behind which the work is killed, when its lock is over; the last one's is completed."""
    for steps in range(MOST_STEPS):
        each = scope.owner.thread(f"t-{steps}")
        await save(MongoCheckpoints(database), each)
        try:
            await work(mortal(database, steps), each)
        except Killed:
            await database.checkpoint_threads.update_many({"tenant": scope.tenant}, {"$set": {"lock.until": 0}})
            yield each
        else:
            assert steps > 1, "it was killed nowhere"
            return
    raise AssertionError("it never came to its end")


async def test_a_killed_writer_leaves_a_whole_checkpoint_or_none(opened: MongoDatabase, scope: Scope) -> None:
    """Wherever it dies: with transactions nothing of it is left, and without the next writer continues behind it."""
    checkpoints, history = MongoCheckpoints(opened), MongoHistory(opened)
    async for each in killed_everywhere(opened, scope, save):
        left = await found_whole(checkpoints, each)
        assert left in (["0000"], ["0001", "0000"])
        if opened.transactions.are_there:
            assert (len(left), len(await everything(history, each))) == (1, 1)
        await save(checkpoints, each)
        assert len(await found_whole(checkpoints, each)) == len(left) + 1


@pytest.mark.parametrize("is_erased", [False, True], ids=["swept", "erased and begun anew"])
@pytest.mark.parametrize("with_messages", [False, True])
async def test_a_batch_of_a_former_generation_is_refused_though_its_logs_end_where_it_says(
    opened: MongoDatabase, scope: Scope, is_erased: bool, with_messages: bool
) -> None:
    """Nothing of it is written, neither into the checkpoints nor into the history."""
    checkpoints, history = MongoCheckpoints(opened), MongoHistory(opened)
    await save(checkpoints, scope)
    [found] = await checkpoints.select(CheckpointQuery(scope.owner, scope.thread))
    if is_erased:
        await checkpoints.erase(scope)
        await save(checkpoints, scope)
    else:
        await checkpoints.sweep(scope, lambda _: SweptRows([], [], []))
    late = CheckpointBatch(
        scope,
        found.generation,
        [StoredCheckpoint("", "late", "", "", b"body", b"about")],
        [],
        [Segment("log", 0 if is_erased else 1, 1, b"late")],
        {},
        request(scope, said("late")) if with_messages else None,
    )
    before = await kept(opened, scope), len(await everything(history, scope))
    outcome = await checkpoints.commit(late)
    assert isinstance(outcome, CommitRefused)
    assert outcome.generation not in (None, found.generation)
    assert (await kept(opened, scope), len(await everything(history, scope))) == before


async def test_what_a_killed_erasure_left_is_erased_by_the_next(opened: MongoDatabase, scope: Scope) -> None:
    checkpoints = MongoCheckpoints(opened)
    async for each in killed_everywhere(opened, scope, MongoCheckpoints.erase):
        if opened.transactions.are_there:
            assert await found_whole(checkpoints, each) == ["0000"]
        await checkpoints.erase(each)
        assert await kept(opened, each) == 0


async def test_what_a_killed_copy_left_is_erased_with_its_thread(opened: MongoDatabase, scope: Scope) -> None:
    async def copied(checkpoints: MongoCheckpoints, each: Scope) -> None:
        assert await checkpoints.copy(each, f"copy-{each.thread}")

    checkpoints = MongoCheckpoints(opened)
    async for each in killed_everywhere(opened, scope, copied):
        assert await found_whole(checkpoints, each) == ["0000"]
        target = each.owner.thread(f"copy-{each.thread}")
        if opened.transactions.are_there:
            assert await kept(opened, target) == 0
        await checkpoints.erase(target)
        assert await kept(opened, target) == 0
        assert await checkpoints.copy(each, target.thread)
        assert await found_whole(checkpoints, target) == ["0000"]


async def test_a_killed_sweep_takes_nothing_from_what_stays(opened: MongoDatabase, scope: Scope) -> None:
    async def sweep(checkpoints: MongoCheckpoints, each: Scope) -> None:
        await save(MongoCheckpoints(opened), each)
        await checkpoints.sweep(each, lambda _: SweptRows([("", "0000")], [("log", 0)], [b"0000"]))

    checkpoints = MongoCheckpoints(opened)
    async for each in killed_everywhere(opened, scope, sweep):
        assert "0001" in [found.checkpoint.id for found in await checkpoints.select(CheckpointQuery(each.owner))]
        await sweep(checkpoints, each)
        assert await found_whole(checkpoints, each) == ["0002", "0001"]


async def test_processes_that_write_at_once_lose_nothing(opened: MongoDatabase, scope: Scope) -> None:
    """Each checkpoint is there once, in one order of the log, and so is each message."""
    several = [MongoCheckpoints(opened) for _ in range(4)]
    await asyncio.gather(*(save(several[number % 4], scope) for number in range(16)))
    assert await found_whole(several[0], scope) == [f"{number:04}" for number in reversed(range(16))]
    assert len(await everything(MongoHistory(opened), scope)) == 16


def step(scope: Scope, at: Committed | None, number: int) -> CheckpointBatch:
    """The step behind that many others: an element of the log, and a message of the thread's history."""
    history = request(scope, said(f"said {number}"), title="a title")
    generation = at.generation if at else None
    return CheckpointBatch(scope, generation, segments=[Segment("a.log", number, 1, b"a")], messages=history)


async def begun(checkpoints: MongoCheckpoints, scope: Scope) -> Committed:
    """A thread behind two steps, of which the second leaves behind in the process what it knows of the thread."""
    first = await checkpoints.commit(step(scope, None, 0))
    assert isinstance(first, Committed)
    assert isinstance(await checkpoints.commit(step(scope, first, 1)), Committed)
    return first


async def test_a_process_sees_that_another_has_extended_a_log(opened: MongoDatabase, scope: Scope) -> None:
    """Also where that one is of a version that does not tell where logs end."""
    ours, theirs = MongoCheckpoints(opened), MongoCheckpoints(opened)
    at = await begun(ours, scope)

    def silent(number: int) -> CheckpointBatch:
        return step(scope, at, number)._replace(messages=None)

    for number, tells in ((2, True), (4, False)):
        guards = opened.checkpoint_threads
        before = await guards.find_one({"tenant": scope.tenant})
        assert isinstance(await theirs.commit(silent(number)), Committed)
        if not tells and before and "ends" in before:
            await guards.update_one({"tenant": scope.tenant}, {"$set": {"ends": before["ends"]}})
        refused = await ours.commit(silent(number))
        assert refused == CommitRefused(at.generation, {"a.log": number + 1})
        assert isinstance(await ours.commit(silent(number + 1)), Committed)


async def test_a_process_sees_what_others_did_to_a_threads_history(opened: MongoDatabase, scope: Scope) -> None:
    """Their messages come first, a title that they gave stays, and a cleared thread takes no late message."""
    checkpoints, history, threads = MongoCheckpoints(opened), MongoHistory(opened), MongoThreads(opened)
    at = await begun(checkpoints, scope)
    await say(history, scope, "between")
    await threads.rename(scope, "another")
    done = await checkpoints.commit(step(scope, at, 2))
    assert isinstance(done, Committed)
    assert [message.seq for message in await everything(history, scope)] == [1, 2, 3, 4]
    assert await history.count(scope) == {"user": 4}
    found = await threads.get(scope)
    assert found is not None
    assert found.title == "another"
    await threads.clear(scope, NOON)
    with pytest.raises(EpochChanged):
        await checkpoints.commit(step(scope, at, 3)._replace(epochs=[done.epoch or 0]))
    assert await everything(history, scope) == []


async def test_nothing_that_was_said_stays_in_a_process(opened: MongoDatabase, scope: Scope) -> None:
    checkpoints = MongoCheckpoints(opened)
    await begun(checkpoints, scope)
    left = checkpoints._left  # pyright: ignore[reportPrivateUsage]
    kept_in_memory = repr([left.peek(each) for each in left])
    assert "said" not in kept_in_memory
    assert "a title" not in kept_in_memory
