"""Replacing a whole conversation in one transaction."""

import asyncio
from datetime import timedelta

import pytest

from recuerdo.core.errors import AlreadyErased, DuplicateMessage, EpochChanged, IdempotencyConflict
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.core.thread_metadata import ThreadMetadata
from recuerdo.core.threads import MessageQuery, Version
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts import AsNewTenant
from recuerdo.testing.samples import ALL, commit, everything, request, said, say, seqs, texts

LATER = NOON + timedelta(minutes=1, microseconds=1)


class ReplaceContract(AsNewTenant):
    """The rules for `replace`."""

    async def test_replace_a_conversation(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """The new messages alone are there, in a later epoch from seq 1 on, and the title is theirs; metadata stays."""
        await threads.set_metadata(scope, ThreadMetadata.of({"channel": "web"}), None, NOON)
        before = await commit(history, request(scope, *map(said, "abc"), title="Old"))
        await history.archive(scope, 1, 2, True)
        receipt = await history.replace(request(scope, said("x", id="m-1"), said("y", id="m-2"), at=LATER, title="New"))
        assert receipt.version.epoch > before.version.epoch
        assert (receipt.version.seq, receipt.first_seq, receipt.ids) == (2, 1, ["m-1", "m-2"])
        found = await everything(history, scope)
        assert (texts(found), seqs(found), [each.archived for each in found]) == (["x", "y"], [1, 2], [False, False])
        thread = await threads.get(scope)
        assert thread is not None
        assert (thread.version, thread.title, thread.metadata) == (receipt.version, "New", {"channel": "web"})
        assert (thread.created_at, thread.updated_at) == (NOON, LATER)
        assert await history.count(scope) == {"user": 2}
        assert (await history.head(scope)).version == receipt.version

    async def test_replace_is_gone_on_from(self, history: HistoryRepository, scope: Scope) -> None:
        """Appends continue after the new messages, whose predecessors' ids are free again."""
        await commit(history, request(scope, said("old", id="m-1")))
        receipt = await history.replace(request(scope, said("new", id="m-1")))
        assert (await say(history, scope, "next")).version == Version(receipt.version.epoch, 2)
        assert texts(await everything(history, scope)) == ["new", "next"]

    @pytest.mark.parametrize("is_deleted", [False, True], ids=["absent", "deleted"])
    async def test_replace_nothing(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope, is_deleted: bool
    ) -> None:
        """A thread that is absent or deleted begins."""
        if is_deleted:
            await say(history, scope, "gone")
            await threads.delete(scope, NOON)
        receipt = await history.replace(request(scope, said("new"), title="New", expected_epoch=0))
        assert texts(await everything(history, scope)) == ["new"]
        thread = await threads.get(scope)
        assert thread is not None
        assert (thread.version, thread.title) == (Version(receipt.version.epoch, 1), "New")

    async def test_replace_ends_the_epoch(self, history: HistoryRepository, scope: Scope) -> None:
        """Late appends that expect the epoch of before are refused, and so is a replacement."""
        before = (await say(history, scope, "old")).version.epoch
        await history.replace(request(scope, said("new"), expected_epoch=before))
        with pytest.raises(EpochChanged):
            await commit(history, request(scope, said("late"), expected_epoch=before))
        with pytest.raises(EpochChanged):
            await history.replace(request(scope, said("late"), expected_epoch=before))
        assert texts(await everything(history, scope)) == ["new"]

    async def test_replace_spends_keys(self, history: HistoryRepository, scope: Scope) -> None:
        """A late retry of an append from before the replacement stores nothing."""
        await commit(history, request(scope, said("old"), key="k"))
        await history.replace(request(scope, said("new")))
        with pytest.raises(AlreadyErased):
            await commit(history, request(scope, said("old"), key="k"))
        with pytest.raises(AlreadyErased):
            await history.replace(request(scope, said("old"), key="k"))
        assert texts(await everything(history, scope)) == ["new"]

    async def test_replace_once(self, history: HistoryRepository, scope: Scope) -> None:
        """A repeated replacement has the first receipt, erases nothing, and expects what the first one did."""
        before = (await say(history, scope, "old")).version.epoch
        asked = request(scope, said("a"), said("b"), key="k", expected_epoch=before)
        first = await history.replace(asked)
        await say(history, scope, "c")
        again = await history.replace(asked)
        assert (again.version, again.ids, again.replayed) == (first.version, first.ids, True)
        assert texts(await everything(history, scope)) == ["a", "b", "c"]
        with pytest.raises(IdempotencyConflict):
            await history.replace(request(scope, said("other"), key="k"))
        await history.replace(request(scope, said("d")))
        with pytest.raises(AlreadyErased):
            await history.replace(asked._replace(expected_epoch=None))
        assert texts(await everything(history, scope)) == ["d"]

    async def test_replace_refused_changes_nothing(self, history: HistoryRepository, scope: Scope) -> None:
        """Two messages of one id are refused, and the conversation of before is there as it was."""
        await commit(history, request(scope, said("old"), key="k"))
        head = await history.head(scope)
        with pytest.raises(DuplicateMessage):
            await history.replace(request(scope, said("a", id="m-1"), said("b", id="m-1"), key="l"))
        assert await history.head(scope) == head
        assert texts(await everything(history, scope)) == ["old"]
        assert (await commit(history, request(scope, said("old"), key="k"))).replayed

    async def test_replace_beside_readers(self, history: HistoryRepository, scope: Scope) -> None:
        """A reader gets one conversation whole meanwhile, and none that is older than one that it read before."""
        await say(history, scope, *["0"] * 3)
        is_done = asyncio.Event()

        async def read() -> None:
            latest = 0
            while not is_done.is_set():
                await asyncio.sleep(0)  # a database in this process answers without letting anybody else in
                page, tail = await history.page(scope, MessageQuery(limit=ALL)), await history.tail(scope, 50)
                for found in (texts(page.records), texts(tail.records)):
                    assert found == [found[0]] * (3 + int(found[0]))
                    assert int(found[0]) >= latest
                    latest = int(found[0])

        async def write() -> None:
            try:
                for n in range(1, 6):
                    await history.replace(request(scope, *[said(str(n)) for _ in range(3 + n)]))
                    await asyncio.sleep(0)
            finally:
                is_done.set()

        async with asyncio.timeout(60):
            await asyncio.gather(read(), read(), write())
        assert texts(await everything(history, scope)) == ["5"] * 8

    async def test_replace_beside_others(self, history: HistoryRepository, scope: Scope) -> None:
        """Replacements at the same moment leave one of them whole, and retries of one of them make it once."""
        await say(history, scope, "old")
        same = request(scope, said("k"), said("k"), key="k")
        others = [request(scope, said(name), said(name)) for name in "ab"]
        receipts = await asyncio.gather(*map(history.replace, others))
        assert len({receipt.version.epoch for receipt in receipts}) == 2
        assert texts(await everything(history, scope)) in (["a", "a"], ["b", "b"])
        repeated = await asyncio.gather(*(history.replace(same) for _ in range(3)))
        assert sorted(receipt.replayed for receipt in repeated) == [False, True, True]
        assert texts(await everything(history, scope)) == ["k", "k"]
