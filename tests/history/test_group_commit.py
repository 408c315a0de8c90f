"""Appends that wait together are committed together."""

import asyncio

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalHistory
from recuerdo.core.errors import DatabaseUnavailable, DuplicateMessage, InvalidInput, OutcomeUnknown
from recuerdo.core.scope import Scope
from recuerdo.history.commits import MOST_APPENDS, MOST_BYTES, GroupCommit
from recuerdo.testing.samples import everything, request, said, texts

SCOPE = Scope("acme", "emi", "t-1")


class RecordingHistory(LocalHistory):
    """A history that writes down the sizes of its batches, commits when the gate is open, and fails when told to."""

    def __init__(self):
        super().__init__(LocalDatabase())
        self.batches = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.fails = lambda batch: None
        self.answers = lambda outcomes: outcomes

    async def append(self, batch):
        self.batches.append(len(batch))
        await self.gate.wait()
        error = self.fails(batch)
        if error is not None:
            raise error
        return self.answers(await super().append(batch))


@pytest.fixture
def history():
    return RecordingHistory()


@pytest.fixture
def commits(history):
    return GroupCommit(history)


async def waiting(commits, *requests):
    """Tasks that append the requests, all of them in the queue or under way."""
    tasks = [asyncio.create_task(commits.get(each)) for each in requests]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


async def test_a_lone_append_waits_for_nothing(history, commits):
    """A lone append is committed at once, alone, without a timer."""
    receipt = await commits.get(request(SCOPE, said("a")))
    assert receipt.first_seq == 1
    assert history.batches == [1]


async def test_one_after_the_other(history, commits):
    """Appends that come one after the other are committed one by one."""
    for _ in range(3):
        await commits.get(request(SCOPE, said("a")))
    assert history.batches == [1, 1, 1]


async def test_what_waits_shares_a_batch(history, commits):
    """Appends that arrive while a batch is being committed make up the next one, in the order of arrival."""
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


@pytest.mark.parametrize("error", [KeyError("odd"), InvalidInput("odd", "is refused")])
async def test_a_batch_that_fails_whole(history, commits, error):
    """When a batch fails as a whole, its appends are tried one by one, and only the one at fault fails."""
    history.gate.clear()
    history.fails = lambda batch: error if any(b"odd" in m.body for a in batch for m in a.messages) else None
    tasks = await waiting(commits, request(SCOPE, said("first")))
    tasks += await waiting(commits, *(request(SCOPE, said(text)) for text in ("a", "odd", "b")))
    history.gate.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [outcome is error for outcome in outcomes] == [False, False, True, False]
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
        await commits.get(request(SCOPE, said("a")))
    history.fails = lambda batch: None
    assert (await commits.get(request(SCOPE, said("b")))).first_seq == 1


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
    await commits.flush()
    del task
    await asyncio.sleep(0)
    assert complaints == []


async def test_closing_waits(history, commits):
    """flush returns when everything that was asked for is committed."""
    history.gate.clear()
    tasks = await waiting(commits, *(request(SCOPE, said(text)) for text in "ab"))
    closing = asyncio.create_task(commits.flush())
    await asyncio.sleep(0)
    assert not closing.done()
    history.gate.set()
    await closing
    assert texts(await everything(history, SCOPE)) == ["a", "b"]
    await asyncio.gather(*tasks)


async def test_closing_at_rest(commits):
    """With nothing under way there is nothing to wait for, before the first append and after."""
    await commits.flush()
    await commits.get(request(SCOPE, said("a")))
    await commits.flush()


async def test_who_stops_closing_stops_nothing(history, commits):
    """When flush is cancelled, as by a timeout, the appends still come through, and so do later ones."""
    history.gate.clear()
    [task] = await waiting(commits, request(SCOPE, said("a")))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(commits.flush(), 0.01)
    history.gate.set()
    assert (await asyncio.wait_for(task, 60)).first_seq == 1
    assert (await asyncio.wait_for(commits.get(request(SCOPE, said("b"))), 60)).first_seq == 2


async def test_a_repository_that_loses_outcomes(history, commits):
    """When a repository answers too few appends, every caller is told that the outcome is unknown, and none hangs."""
    history.gate.clear()
    history.answers = lambda outcomes: outcomes[:-1]
    tasks = await waiting(commits, *(request(SCOPE, said(text)) for text in "abc"))
    history.gate.set()
    outcomes = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 60)
    assert [type(outcome) for outcome in outcomes] == [OutcomeUnknown] * 3
    assert history.batches == [1, 2]
    history.answers = lambda outcomes: outcomes
    assert (await asyncio.wait_for(commits.get(request(SCOPE, said("d"))), 60)).first_seq == 4


async def test_a_worker_that_is_cancelled(history, commits):
    """When the task that commits a batch is cancelled, its callers are told, and those behind it are committed."""
    history.gate.clear()
    [first] = await waiting(commits, request(SCOPE, said("first")))
    before = asyncio.all_tasks()
    followers = await waiting(commits, *(request(SCOPE, said(text)) for text in "ab"))
    opened, history.gate = history.gate, asyncio.Event()
    opened.set()
    await first
    [worker] = asyncio.all_tasks() - before - set(followers)
    [behind] = await waiting(commits, request(SCOPE, said("behind")))
    worker.cancel()
    outcomes = await asyncio.wait_for(asyncio.gather(*followers, return_exceptions=True), 60)
    assert [type(outcome) for outcome in outcomes] == [OutcomeUnknown] * 2
    history.gate.set()
    assert (await asyncio.wait_for(behind, 60)).first_seq == 2
    await asyncio.wait_for(commits.flush(), 60)


async def test_who_appends_again_at_once_is_in_the_next_batch(history, commits):
    """Callers who append again as soon as they have their receipts make up one batch, not one and the rest."""
    history.gate.clear()

    async def talk():
        for _ in range(3):
            await commits.get(request(SCOPE, said()))

    talks = [asyncio.create_task(talk()) for _ in range(5)]
    await asyncio.sleep(0)
    history.gate.set()
    await asyncio.gather(*talks)
    assert history.batches == [1, 4, 5, 5]


@pytest.fixture
def scopes():
    return [Scope("acme", "emi", f"t-{number}") for number in range(6)]


async def test_lanes_work_side_by_side(history, scopes):
    """With a concurrency of two, two batches of different threads are under way at once, and share what waits."""
    commits = GroupCommit(history, concurrency=2)
    history.gate.clear()
    tasks = await waiting(commits, *(request(scope, said("a")) for scope in scopes))
    assert history.batches == [1, 1]
    history.gate.set()
    await asyncio.gather(*tasks)
    assert history.batches == [1, 1, 3, 1]


async def test_lanes_never_share_a_thread(history, scopes):
    """Appends to one thread are never under way in two batches at once, stay in one batch, and keep their order."""
    commits = GroupCommit(history, concurrency=2)
    history.gate.clear()
    tasks = await waiting(commits, *(request(scopes[0], said(text)) for text in "abcd"))
    tasks += await waiting(commits, request(scopes[1], said("elsewhere")))
    tasks += await waiting(commits, request(scopes[0], said("e")))
    assert history.batches == [1, 1]
    history.gate.set()
    await asyncio.gather(*tasks)
    assert history.batches == [1, 1, 4]
    assert texts(await everything(history, scopes[0])) == ["a", "b", "c", "d", "e"]


async def test_lanes_keep_order_behind_a_full_batch(history, scopes):
    """An append that no longer fits into a batch waits for that batch's thread, even when another batch may start."""
    commits = GroupCommit(history, concurrency=2)
    history.gate.clear()
    half = "x" * (MOST_BYTES // 2)
    tasks = await waiting(commits, request(scopes[0], said("first")))
    tasks += await waiting(commits, *(request(scopes[0], said(text)) for text in (half, half, "last")))
    history.gate.set()
    await asyncio.gather(*tasks)
    assert [text[:5] for text in texts(await everything(history, scopes[0]))] == ["first", "xxxxx", "xxxxx", "last"]
    assert history.batches == [1, 1, 2]


async def test_closing_waits_for_all_batches(history, scopes):
    """flush returns when the last batch is done."""
    commits = GroupCommit(history, concurrency=2)
    history.gate.clear()
    tasks = await waiting(commits, *(request(scope, said()) for scope in scopes))
    closing = asyncio.create_task(commits.flush())
    history.gate.set()
    await closing
    assert all([(await everything(history, scope)) for scope in scopes])
    await asyncio.gather(*tasks)
