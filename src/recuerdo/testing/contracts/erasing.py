"""Clearing and deleting threads."""

from datetime import timedelta

from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Thread, Version
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts.tenants import AsNewTenant
from recuerdo.testing.requests import commit, everything, fill, request, said, say, texts

LATER = NOON + timedelta(minutes=1, microseconds=1)
LATEST = NOON + timedelta(minutes=2)


class EraseContract(AsNewTenant):
    """What `clear` and `delete` must hold."""

    async def test_erase_a_cleared_thread(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A cleared thread is there, empty, without a title, changed at the time of the clear, in a later version."""
        before = await commit(history, request(scope, said("gone"), said("too"), title="Gone"))
        version = await threads.clear(scope, LATER)
        assert version is not None
        assert (version.seq, version > before.version) == (0, True)
        assert await threads.get(scope) == Thread(
            id=scope.thread, version=version, title="", created_at=NOON, updated_at=LATER
        )
        assert await everything(history, scope) == []

    async def test_erase_after_a_clear(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """After a clear, appends start at seq 1 of the new epoch; message ids and the title are free again."""
        await commit(history, request(scope, said("old", id="m-1"), title="Old"))
        version = await threads.clear(scope, NOON)
        assert version is not None
        receipt = await commit(history, request(scope, said("new", id="m-1"), title="New"))
        thread = await threads.get(scope)
        assert thread is not None
        assert (receipt.version, thread.title) == ((version.epoch, 1), "New")
        assert texts(await everything(history, scope)) == ["new"]

    async def test_erase_clearing_the_absent(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """To clear an absent or a deleted thread is None, and makes none."""
        assert await threads.clear(scope, NOON) is None
        assert await threads.get(scope) is None
        await say(history, scope, "x")
        await threads.delete(scope, NOON)
        assert await threads.clear(scope, NOON) is None
        assert await threads.get(scope) is None

    async def test_erase_clearing_the_empty(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """To clear an empty thread starts a new epoch too."""
        await say(history, scope, "x")
        first, second = await threads.clear(scope, NOON), await threads.clear(scope, NOON)
        assert first is not None
        assert second is not None
        assert second > first

    async def test_erase_a_cleared_thread_is_listed(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A cleared thread stays in the list, as one that changed just now."""
        for name in ("t-1", "t-2"):
            await say(history, scope.owner.thread(name), "x")
        await threads.clear(scope.owner.thread("t-2"), LATER)
        assert [thread.id for thread in (await threads.select(scope.owner, 50)).threads] == ["t-2", "t-1"]

    async def test_erase_a_deleted_thread(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A deleted thread is absent from everywhere."""
        await fill(history, scope, 3)
        assert await threads.delete(scope, NOON) is True
        assert await threads.get(scope) is None
        assert (await threads.select(scope.owner, 50)).threads == []
        assert await everything(history, scope) == []

    async def test_erase_deleting_the_absent(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """To delete an absent thread, or one a second time, is False."""
        assert await threads.delete(scope, NOON) is False
        await say(history, scope, "x")
        assert await threads.delete(scope, NOON) is True
        assert await threads.delete(scope, NOON) is False

    async def test_erase_after_a_delete(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """An append after a delete makes a new thread of the old id: new epoch, seq 1, new title, new times."""
        old = await commit(history, request(scope, said("old", id="m-1"), said("b"), title="Old"))
        await threads.delete(scope, LATER)
        new = await commit(history, request(scope, said("new", id="m-1"), title="New", at=LATEST))
        assert new.version > old.version
        assert new.first_seq == 1
        assert await threads.get(scope) == Thread(
            id=scope.thread, version=new.version, title="New", created_at=LATEST, updated_at=LATEST
        )
        assert texts(await everything(history, scope)) == ["new"]

    async def test_erase_epochs_never_return(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Through clears, deletes, appends and forks, a thread never has the same epoch twice and they only grow."""
        source = scope.owner.thread("source")
        await say(history, source, "x")
        versions: list[Version] = []
        for _ in range(3):
            versions.append((await say(history, scope, "x")).version)
            versions.append(await threads.clear(scope, NOON) or Version(0, 0))
            await threads.delete(scope, NOON)
            versions.append((await threads.fork(source, 1, scope.thread, NOON)).version)
            await threads.delete(scope, NOON)
        epochs = [version.epoch for version in versions]
        assert epochs == sorted(set(epochs))

    async def test_erase_a_deleted_owner_can_begin_again(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """When all of an owner's threads were deleted, a new one still gets an epoch that none of them had."""
        seen = {(await say(history, scope.owner.thread(name), "x")).version.epoch for name in "abc"}
        for name in "abc":
            await threads.delete(scope.owner.thread(name), NOON)
        for name in "abc":
            assert (await say(history, scope.owner.thread(name), "x")).version.epoch not in seen
