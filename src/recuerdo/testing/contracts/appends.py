"""Appending: order, seqs, batches, duplicates, epochs, many writers at once."""

import asyncio
from collections.abc import Sequence

import pytest

from recuerdo.core.errors import DuplicateMessage, EpochChanged
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import NOWHERE, Append, Appended, MessageQuery, Version
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts.tenants import AsNewTenant
from recuerdo.testing.requests import commit, everything, fill, fresh_scope, request, said, say, seqs, texts


class AppendContract(AsNewTenant):
    """What `append` must hold."""

    async def test_append_creates_the_thread(self, history: HistoryRepository, scope: Scope) -> None:
        """The first append to a thread gets seq 1 of an epoch that is greater than NOWHERE's."""
        message = said("hello")
        receipt = await commit(history, request(scope, message))
        assert receipt.version.epoch > 0
        assert receipt == Appended(Version(receipt.version.epoch, 1), 1, [message.id], revision=receipt.revision)

    async def test_append_goes_on(self, history: HistoryRepository, scope: Scope) -> None:
        """A later append gets the seqs behind the last message, in the same epoch."""
        first = await say(history, scope, "a", "b")
        second = await say(history, scope, "c", "d", "e")
        assert second.version == (first.version.epoch, 5)
        assert list(second.seqs) == [3, 4, 5]

    async def test_append_versions_grow(self, history: HistoryRepository, scope: Scope) -> None:
        """Every append's version is greater than the one before."""
        versions = [(await say(history, scope, text)).version for text in "abcde"]
        assert versions == sorted(set(versions))

    async def test_append_keeps_the_order(self, history: HistoryRepository, scope: Scope) -> None:
        """The messages of one append keep their order, and the receipt names their ids in it."""
        messages = [said(text) for text in "zyxwv"]
        receipt = await commit(history, request(scope, *messages))
        assert receipt.ids == [message.id for message in messages]
        assert texts(await everything(history, scope)) == list("zyxwv")

    async def test_append_new_threads_of_one_batch_share_nothing(
        self, history: HistoryRepository, scope: Scope
    ) -> None:
        """The same message id and the same key are new in each of them."""
        batch = [request(scope.owner.thread(name), said(name, id="m-1"), key="k") for name in "ab"]
        assert [isinstance(each, Appended) and each.first_seq for each in await history.append(batch)] == [1, 1]

    async def test_append_tells_the_revision(self, history: HistoryRepository, scope: Scope) -> None:
        """The receipt's revision is the head's, alone and in a batch, or it is not known."""
        await fill(history, scope, 3)
        for first in (1, 2):
            await history.archive(scope, first, first, True)
            batch = [request(scope, said(f"{first}-{number}")) for number in range(2)]
            outcomes = [await commit(history, batch[0]), *await history.append(batch[1:])]
            known = {outcome.revision for outcome in outcomes if isinstance(outcome, Appended)}
            assert known <= {None, (await history.head(scope)).revision}

    async def test_append_then_read(self, history: HistoryRepository, scope: Scope) -> None:
        """What was acknowledged is in the very next read, with the receipt's version."""
        for number in range(1, 21):
            receipt = await say(history, scope, str(number))
            page = await history.page(scope, MessageQuery(limit=1))
            assert (page.version, texts(page.records)) == (receipt.version, [str(number)])

    async def test_append_a_thousand_messages(self, history: HistoryRepository, scope: Scope) -> None:
        """One append can hold 1,000 messages, and they come back gap-free and in order."""
        receipt = await fill(history, scope, 1000)
        records = await everything(history, scope)
        assert receipt.version.seq == 1000
        assert seqs(records) == list(range(1, 1001))
        assert texts(records) == [str(seq) for seq in range(1, 1001)]

    async def test_append_an_empty_batch(self, history: HistoryRepository) -> None:
        """A batch without requests has no outcomes."""
        assert await history.append([]) == []

    async def test_append_a_batch_in_order(self, history: HistoryRepository, scope: Scope) -> None:
        """A batch is applied in order: requests to one thread get seqs one behind the other."""
        outcomes = await history.append([request(scope, said("a"), said("b")), request(scope, said("c"))])
        assert [receipt.first_seq for receipt in _receipts(outcomes)] == [1, 3]
        assert texts(await everything(history, scope)) == ["a", "b", "c"]

    async def test_append_a_batch_over_threads(self, history: HistoryRepository, scope: Scope) -> None:
        """A batch may mix threads, owners and tenants, and each counts for itself."""
        scopes = [scope, scope.owner.thread("t-2"), Scope(scope.tenant, "ana", scope.thread), fresh_scope()]
        outcomes = await history.append([request(each, said(text)) for text in "ab" for each in scopes])
        assert [receipt.first_seq for receipt in _receipts(outcomes)] == [1, 1, 1, 1, 2, 2, 2, 2]
        for each in scopes:
            assert texts(await everything(history, each)) == ["a", "b"]

    async def test_append_a_failure_between_good_requests(self, history: HistoryRepository, scope: Scope) -> None:
        """A request that fails is returned as its error; its neighbours go through without a gap in the seqs."""
        batch = [
            request(scope, said("a", id="m-1")),
            request(scope, said("lost"), said("twice", id="m-1")),
            request(scope, said("too late"), expected_epoch=2**40),
            request(scope, said("b")),
        ]
        good, duplicate, late, last = await history.append(batch)
        assert isinstance(duplicate, DuplicateMessage)
        assert isinstance(late, EpochChanged)
        assert [receipt.first_seq for receipt in _receipts([good, last])] == [1, 2]
        assert texts(await everything(history, scope)) == ["a", "b"]

    async def test_append_a_failure_makes_no_thread(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A request that fails on an absent thread does not create it."""
        twin = said("a", id="m-1")
        [outcome] = await history.append([request(scope, twin, twin)])
        assert isinstance(outcome, DuplicateMessage)
        assert await threads.get(scope) is None
        assert (await history.page(scope, MessageQuery())).version == NOWHERE

    async def test_append_a_failure_leaves_the_thread_as_it_was(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A request that fails changes neither the version nor the title nor the times."""
        await commit(history, request(scope, said(id="m-1")))
        before = await threads.get(scope)
        await history.append([request(scope, said(), said(id="m-1"), title="Lost", at=NOON.replace(hour=13))])
        assert await threads.get(scope) == before

    async def test_append_all_or_none(self, history: HistoryRepository, scope: Scope) -> None:
        """When one message of an append is a duplicate, none of them is stored, and the error names it."""
        await commit(history, request(scope, said("a", id="m-1")))
        with pytest.raises(DuplicateMessage, match="m-1"):
            await commit(history, request(scope, said("b"), said("c", id="m-1"), said("d")))
        assert texts(await everything(history, scope)) == ["a"]

    async def test_append_duplicates_within_a_batch(self, history: HistoryRepository, scope: Scope) -> None:
        """Of two requests of one batch with the same message id, the first is stored and the second refused."""
        first, second = await history.append([request(scope, said(text, id="m-1")) for text in "ab"])
        assert isinstance(first, Appended)
        assert isinstance(second, DuplicateMessage)
        assert texts(await everything(history, scope)) == ["a"]

    async def test_append_an_archived_message_keeps_its_id(self, history: HistoryRepository, scope: Scope) -> None:
        """The id of an archived message is still taken."""
        await commit(history, request(scope, said(id="m-1")))
        await history.archive(scope, 1, 1, True)
        with pytest.raises(DuplicateMessage):
            await commit(history, request(scope, said(id="m-1")))

    async def test_append_ids_belong_to_a_thread(self, history: HistoryRepository, scope: Scope) -> None:
        """The same message id may be in two threads of one user."""
        for thread in ("t-1", "t-2"):
            receipt = await commit(history, request(scope.owner.thread(thread), said(id="m-1")))
            assert receipt.ids == ["m-1"]

    async def test_append_the_expected_epoch(self, history: HistoryRepository, scope: Scope) -> None:
        """An append that expects the thread's epoch goes through."""
        epoch = (await say(history, scope, "a")).version.epoch
        receipt = await commit(history, request(scope, said("b"), expected_epoch=epoch))
        assert receipt.version == (epoch, 2)

    async def test_append_another_epoch(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """An append that expects an epoch from before a clear is refused and stores nothing."""
        epoch = (await say(history, scope, "a")).version.epoch
        await threads.clear(scope, NOON)
        with pytest.raises(EpochChanged):
            await commit(history, request(scope, said("b"), expected_epoch=epoch))
        assert await everything(history, scope) == []

    async def test_append_an_epoch_of_an_absent_thread(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """An append that expects an epoch never creates an absent thread and never brings a deleted one back."""
        with pytest.raises(EpochChanged):
            await commit(history, request(scope, said(), expected_epoch=1))
        epoch = (await say(history, scope, "a")).version.epoch
        await threads.delete(scope, NOON)
        with pytest.raises(EpochChanged):
            await commit(history, request(scope, said(), expected_epoch=epoch))
        assert await threads.get(scope) is None

    async def test_append_epoch_zero_means_absent(self, history: HistoryRepository, scope: Scope) -> None:
        """An append that expects epoch 0 creates the thread, and is refused when it is there."""
        await commit(history, request(scope, said("a"), expected_epoch=0))
        with pytest.raises(EpochChanged):
            await commit(history, request(scope, said("b"), expected_epoch=0))
        assert texts(await everything(history, scope)) == ["a"]

    async def test_append_many_writers_of_one_thread(self, history: HistoryRepository, scope: Scope) -> None:
        """Appends of many tasks at once get gap-free seqs, and each message stands where its receipt says."""
        receipts = await asyncio.gather(
            *(
                commit(history, request(scope, said(f"{task}a", id=f"{task}a"), said(f"{task}b", id=f"{task}b")))
                for task in range(50)
            )
        )
        stored = dict(enumerate(texts(await everything(history, scope)), 1))
        assert list(stored) == list(range(1, 101))
        assert dict(pair for receipt in receipts for pair in zip(receipt.seqs, receipt.ids, strict=True)) == stored

    async def test_append_many_writers_of_many_threads(self, history: HistoryRepository, scope: Scope) -> None:
        """Batches of many tasks over several threads leave each thread gap-free and each batch in order."""
        scopes = [scope.owner.thread(f"t-{number}") for number in range(5)]

        async def write(task: int) -> None:
            await history.append([request(each, said(f"{task}.{step}")) for step in range(3) for each in scopes])

        await asyncio.gather(*(write(task) for task in range(10)))
        for each in scopes:
            records = await everything(history, each)
            assert seqs(records) == list(range(1, 31))
            assert _steps_by_task(texts(records)) == {str(task): ["0", "1", "2"] for task in range(10)}

    async def test_append_readers_see_whole_appends(self, history: HistoryRepository, scope: Scope) -> None:
        """A reader among writers sees whole appends only, and exactly as many messages as the version says."""

        async def write(append: Append) -> None:
            await history.append([append])

        async def read() -> None:
            page = await history.page(scope, MessageQuery(limit=1000))
            assert seqs(page.records) == list(range(1, page.version.seq + 1))
            assert page.version.seq % 3 == 0

        writes = [write(request(scope, said(), said(), said())) for _ in range(20)]
        await asyncio.gather(*(task for pair in zip(writes, [read() for _ in writes], strict=True) for task in pair))


def _receipts(outcomes: Sequence[Appended | Exception]) -> list[Appended]:
    receipts = [outcome for outcome in outcomes if isinstance(outcome, Appended)]
    assert len(receipts) == len(outcomes), outcomes
    return receipts


def _steps_by_task(written: list[str]) -> dict[str, list[str]]:
    steps: dict[str, list[str]] = {}
    for text in written:
        task, _, step = text.partition(".")
        steps.setdefault(task, []).append(step)
    return steps
