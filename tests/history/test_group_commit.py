"""Appends that wait together are committed together."""

import asyncio

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalHistory
from recuerdo.core.errors import DatabaseUnavailable, DuplicateMessage
from recuerdo.core.scope import Scope
from recuerdo.history.group_commit import MOST_APPENDS, MOST_BYTES, GroupCommit
from recuerdo.testing.requests import everything, request, said, texts

SCOPE = Scope("acme", "emi", "t-1")


class RecordingHistory(LocalHistory):
    """A history that writes down the sizes of its batches, commits when the gate is open, and fails when told to."""

    def __init__(self):
        super().__init__(LocalDatabase())
        self.batches = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.fails = lambda batch: None

    async def append(self, batch):
        self.batches.append(len(batch))
        await self.gate.wait()
        error = self.fails(batch)
        if error is not None:
            raise error
        return await super().append(batch)


@pytest.fixture
def history():
    return RecordingHistory()


@pytest.fixture
def commits(history):
    return GroupCommit(history)


async def waiting(commits, *requests):
    """Tasks that append the requests, all of them in the queue or under way."""
    tasks = [asyncio.create_task(commits.append(each)) for each in requests]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


async def test_a_lone_append_waits_for_nothing(history, commits):
    """A lone append is committed at once, alone, without a timer."""
    receipt = await commits.append(request(SCOPE, said("a")))
    assert receipt.first_seq == 1
    assert history.batches == [1]


async def test_one_after_the_other(history, commits):
    """Appends that come one after the other are committed one by one."""
    for _ in range(3):
        await commits.append(request(SCOPE, said("a")))
    assert history.batches == [1, 1, 1]


async def test_what_waits_shares_a_batch(history, commits):
    """What arrives while a batch is being committed makes up the next one, in the order of arrival."""
    history.gate.clear()
    tasks = await waiting(commits, *(request(SCOPE, said(str(number))) for number in range(1)))
    tasks += await waiting(commits, *(request(SCOPE, said(str(number))) for number in range(1, 10)))
    history.gate.set()
    receipts = await asyncio.gather(*tasks)
    assert history.batches == [1, 9]
    assert [receipt.first_seq for receipt in receipts] == list(range(1, 11))
    assert texts(await everything(history, SCOPE)) == [str(number) for number in range(10)]


async def test_a_batch_is_bounded_by_number(history, commits):
    """A batch has 256 appends at most: a transaction must not hold the writer for long."""
    history.gate.clear()
    tasks = await waiting(commits, request(SCOPE, said("first")))
    tasks += await waiting(commits, *(request(SCOPE, said("x")) for _ in range(MOST_APPENDS + 10)))
    history.gate.set()
    await asyncio.gather(*tasks)
    assert history.batches == [1, MOST_APPENDS, 10]


async def test_a_batch_is_bounded_by_size(history, commits):
    """A batch has 4 MiB at most, but an append that is larger goes through alone."""
    history.gate.clear()
    third = "x" * (MOST_BYTES // 3)
    tasks = await waiting(commits, request(SCOPE, said("first")))
    tasks += await waiting(commits, *(request(SCOPE, said(third)) for _ in range(3)))
    tasks += await waiting(commits, request(SCOPE, said(third * 4)), request(SCOPE, said("last")))
    history.gate.set()
    await asyncio.gather(*tasks)
    assert history.batches == [1, 2, 1, 1, 1]


async def test_a_bad_append_fails_alone(history, commits):
    """A duplicate among waiting appends is refused to its own caller, and its neighbours go through."""
    history.gate.clear()
    batch = [said("a", id="m-1"), said("b", id="m-1"), said("c")]
    tasks = await waiting(commits, request(SCOPE, said("first")))
    tasks += await waiting(commits, *(request(SCOPE, message) for message in batch))
    history.gate.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes].index(DuplicateMessage) == 2
    assert texts(await everything(history, SCOPE)) == ["first", "a", "c"]


async def test_a_batch_that_fails_whole(history, commits):
    """When a batch fails as a whole, its appends are tried one by one, and only the one at fault fails."""
    history.gate.clear()
    history.fails = lambda batch: (
        ValueError("odd") if any(b"odd" in m.body for a in batch for m in a.messages) else None
    )
    tasks = await waiting(commits, request(SCOPE, said("first")))
    tasks += await waiting(commits, *(request(SCOPE, said(text)) for text in ("a", "odd", "b")))
    history.gate.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [isinstance(outcome, ValueError) for outcome in outcomes] == [False, False, True, False]
    assert history.batches == [1, 3, 1, 1, 1]
    assert texts(await everything(history, SCOPE)) == ["first", "a", "b"]


async def test_a_database_that_is_away(history, commits):
    """When the database is away, every caller is told, and nothing is tried again."""
    history.gate.clear()
    history.fails = lambda batch: DatabaseUnavailable("gone") if len(batch) > 1 else None
    tasks = await waiting(commits, request(SCOPE, said("first")))
    tasks += await waiting(commits, *(request(SCOPE, said(text)) for text in "abc"))
    history.gate.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [isinstance(outcome, DatabaseUnavailable) for outcome in outcomes] == [False, True, True, True]
    assert history.batches == [1, 3]


async def test_life_goes_on_after_a_failure(history, commits):
    """After a failure the next append is committed as if nothing had been."""
    history.fails = lambda batch: DatabaseUnavailable("gone")
    with pytest.raises(DatabaseUnavailable):
        await commits.append(request(SCOPE, said("a")))
    history.fails = lambda batch: None
    assert (await commits.append(request(SCOPE, said("b")))).first_seq == 1


async def test_a_cancelled_caller(history, commits):
    """A caller who gives up does not stop the batch: its own append and its neighbours' are committed."""
    history.gate.clear()
    first, gives_up, neighbour = [
        *await waiting(commits, request(SCOPE, said("first"))),
        *await waiting(commits, request(SCOPE, said("gives up")), request(SCOPE, said("neighbour"))),
    ]
    gives_up.cancel()
    history.gate.set()
    await asyncio.gather(first, neighbour)
    with pytest.raises(asyncio.CancelledError):
        await gives_up
    assert texts(await everything(history, SCOPE)) == ["first", "gives up", "neighbour"]


async def test_a_cancelled_callers_error(history, commits):
    """The error of an append whose caller gave up is nobody's, and reported nowhere."""
    complaints = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: complaints.append(context))
    history.gate.clear()
    history.fails = lambda batch: ValueError("nobody looks")
    [task] = await waiting(commits, request(SCOPE, said("a")))
    task.cancel()
    history.gate.set()
    await commits.aclose()
    del task
    await asyncio.sleep(0)
    assert complaints == []


async def test_closing_waits(history, commits):
    """aclose returns when everything that was asked for is committed."""
    history.gate.clear()
    tasks = await waiting(commits, *(request(SCOPE, said(text)) for text in "ab"))
    closing = asyncio.create_task(commits.aclose())
    await asyncio.sleep(0)
    assert not closing.done()
    history.gate.set()
    await closing
    assert texts(await everything(history, SCOPE)) == ["a", "b"]
    await asyncio.gather(*tasks)


async def test_closing_at_rest(commits):
    """With nothing under way there is nothing to wait for, before the first append and after."""
    await commits.aclose()
    await commits.append(request(SCOPE, said("a")))
    await commits.aclose()


async def test_who_stops_closing_stops_nothing(history, commits):
    """When aclose is cancelled, as by a timeout, the appends still come through, and so do later ones."""
    history.gate.clear()
    [task] = await waiting(commits, request(SCOPE, said("a")))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(commits.aclose(), 0.01)
    history.gate.set()
    assert (await asyncio.wait_for(task, 5)).first_seq == 1
    assert (await asyncio.wait_for(commits.append(request(SCOPE, said("b"))), 5)).first_seq == 2
